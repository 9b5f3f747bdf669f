"""The simulated cards: what they print with other settings, and what they say to setcache."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.vendor.simulator import State
from raidctl_adaptec.change import current_settings
from raidctl_adaptec.simulator import change, initial, render
from tests.vendors.adaptec.adaptec_texts import ZMM, card_of, drive_text, machine, part, pqi, volume_text

ASK = ("arcconf", "getconfig", "1", "AL")
OLD = machine(
    {"Global Physical Device Write Cache Policy": "Disabled"},
    volumes=[volume_text(0), volume_text(1, {"Write-cache setting": "Disabled", "Write-cache status": "Off"})],
)
LONG = machine(
    backup=part("Controller Battery Information", {"Status": "Optimal"}),
    volumes=[volume_text(0, {"Write-cache setting": "Enabled (write-back) when protected by battery/ZMM"})],
    drives=[drive_text(0), drive_text(1, {"Write Cache": "Enabled (write-back)"})],
)
NEW = pqi(cache={"Wait for Cache Room": "Disabled", "Write Cache Bypass Threshold Size": "1040 KB"})
TEXTS = {"old": OLD, "long": LONG, "new": NEW}
BATTERIES = (
    "Failed", "Charging", "Recharging", "Learn Cycle In Progress", "Reconditioning", "Degraded", "Not Ready",
    "Replacement Required", "Not Installed", "Missing", "Discharging", "Amber",
)  # fmt: skip
CACHES = ("Temporarily Disabled", "Permanently Disabled", "Not Configured", "Amber")
WORDS = {"ld": ("wt", "wb", "wbb"), "device": ("wt", "wb"), "readcache": ("ron", "roff"), "caching": ("con", "coff")}


def choices(name: str) -> tuple[str, ...]:
    """All that a setting can be."""
    place, _, knob = name.rpartition("/")
    if knob == "writecache":
        return WORDS["ld" if "/ld " in place else "device"]
    return WORDS.get(knob, ("enable", "disable"))


@st.composite
def states(draw: st.DrawFn) -> tuple[str, State]:
    """A card, and settings of it."""
    text = TEXTS[draw(st.sampled_from(sorted(TEXTS)))]
    state = initial(ASK, text)
    drawn: State = {}
    for name, value in state.items():
        knob = name.rpartition("/")[2]
        if name.startswith("adaptec/"):  # the drives in their bays
            drawn[name] = value
        elif knob == "battery":
            drawn[name] = draw(st.sampled_from((value, *BATTERIES)))
        elif knob == "cache":
            drawn[name] = draw(st.sampled_from((value, *CACHES)))
        elif knob == "read":
            drawn[name] = str(draw(st.integers(0, 100)))
        elif knob == "write":
            drawn[name] = str(100 - int(drawn[f"{name.rpartition('/')[0]}/read"]))
        elif knob == "writecachebypassthreshold":
            drawn[name] = str(draw(st.integers(1, 65)) * 16)
        else:
            drawn[name] = draw(st.sampled_from(choices(name)))
    return text, drawn


@settings(deadline=None)
@given(states())
def test_what_is_printed_tells_the_settings(drawn: tuple[str, State]) -> None:
    """parse(render(state)) == state, for every state of every card."""
    text, state = drawn
    assert initial(ASK, render(ASK, text, state)) == state


@settings(deadline=None)
@given(states())
def test_the_family_reads_what_is_printed(drawn: tuple[str, State]) -> None:
    """The real parser tells every setting of volumes and drives as the simulator has it."""
    text, state = drawn
    told = current_settings(card_of(render(ASK, text, state)))
    for name, value in state.items():
        _, _, rest = name.partition("/")
        if name.startswith("adaptec/"):
            continue
        place, _, knob = rest.rpartition("/")
        kind, _, number = place.partition(" ")
        if kind in ("ld", "device"):
            assert told[f"adaptec:1/{'v' if kind == 'ld' else ''}{number}", knob] == value
        elif rest in ("nobatterywritecache", "writecachebypassthreshold"):
            assert told["adaptec:1", rest] == value
        elif rest == "cacheratio/read":
            assert told["adaptec:1", "cacheratio"] == f"{value}/{state['controller 1/cacheratio/write']}"
        else:
            # the policy for all drives is a knob only where all of them agree
            assert rest in ("battery", "cache", "cacheratio/write", "deviceall", "waitforcacheroom")


@settings(deadline=None)
@given(states())
def test_the_state_in_force_follows_from_setting_and_battery(drawn: tuple[str, State]) -> None:
    """Of an older card: wbb is write-back with a good battery only, and the card says so itself."""
    text, state = drawn
    good = state["controller 1/battery"] in ("ZMM Optimal", "Optimal")
    for volume in card_of(render(ASK, text, state)).volumes if text is not NEW else ():
        mode = state[f"controller 1/ld {volume.id.rpartition('v')[2]}/writecache"]
        assert volume.cache is not None
        assert volume.cache.write_active == (
            "write_back" if mode == "wb" or (mode == "wbb" and good) else "write_through"
        )


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_an_unchanged_card_prints_what_was_recorded(text: str) -> None:
    """To the letter."""
    assert render(ASK, text, initial(ASK, text)) == text


def test_the_words_are_those_of_the_version() -> None:
    """A version that says "Enabled (write-back)" goes on to say so."""
    changed = render(ASK, LONG, initial(ASK, LONG) | {"controller 1/ld 0/writecache": "wb"})
    assert "Write-cache setting                      : Enabled (write-back)\n" in changed


def said(text: str, *words: str) -> tuple[int, str, bool]:
    """Exit code, closing line, and whether anything was changed."""
    state = initial(ASK, text)
    reply = change(("arcconf", "setcache", *words), state)
    assert reply is not None
    return reply.code, reply.out.strip().splitlines()[-1], dict(reply.state) != state


DONE = (0, "Command completed successfully.", True)


@pytest.mark.parametrize(
    "words",
    [
        "1 logicaldrive 0 wt noprompt", "1 LOGICALDRIVE 1 wbb noprompt nologs", "1 logicaldrive 0 roff",
        "1 deviceall enable noprompt", "1 device 0 1 wb noprompt",
    ],
)  # fmt: skip
def test_an_older_card_takes(words: str) -> None:
    """The commands of aacraid."""
    assert said(OLD, *words.split()) == DONE


@pytest.mark.parametrize(
    "words",
    [
        "1 logicaldrive 0 coff noprompt", "1 cacheratio 25 75", "1 nobatterywritecache enable",
        "1 waitforcacheroom enable", "1 writecachebypassthreshold 512",
    ],
)  # fmt: skip
def test_a_younger_card_takes(words: str) -> None:
    """The commands of smartpqi."""
    assert said(NEW, *words.split()) == DONE


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        (OLD, "1 logicaldrive 0 wbb noprompt", 2),
        (OLD, "1 deviceall disable", 2),
        (NEW, "1 cacheratio 10 90", 2),
        (OLD, "1 logicaldrive 7 wt noprompt", 2),
        (OLD, "1 logicaldrive 0 con noprompt", 2),
        (NEW, "1 logicaldrive 0 wt noprompt", 2),
        (NEW, "1 deviceall enable noprompt", 2),
        (OLD, "1 cacheratio 25 75", 2),
        (NEW, "1 cacheratio 25 70", 3),
        (NEW, "1 writecachebypassthreshold 100", 3),
        (OLD, "1 logicaldrive 0 perhaps", 3),
        (OLD, "1", 3),
        (OLD, "2 logicaldrive 0 wt", 6),
        (OLD, "", 6),
        (OLD, "noprompt", 6),
    ],
)
def test_what_is_set_already_or_is_not_there_is_aborted(text: str, words: str, code: int) -> None:
    """With the exit code of each kind of refusal; nothing is changed."""
    assert said(text, *words.split()) == (code, "Command aborted.", False)


def test_all_drives_follow_the_command_for_all() -> None:
    """The card's policy and each drive say so."""
    state = initial(ASK, OLD)
    reply = change(("arcconf", "setcache", "1", "deviceall", "enable", "noprompt"), state)
    assert reply is not None
    card = card_of(render(ASK, OLD, reply.state))
    assert {drive.write_cache for drive in card.drives} == {"enabled"}
    assert {volume.cache.drive_write_cache for volume in card.volumes if volume.cache} == {"enabled"}


@pytest.mark.parametrize("argv", [(), ("arcconf",), ("arcconf", "getstatus", "1"), ("hdparm", "-W", "/dev/sda")])
def test_other_commands_are_none_of_its_business(argv: tuple[str, ...]) -> None:
    """They change nothing, and their answers are passed on."""
    assert change(argv, {}) is None
    assert (initial(argv, OLD), render(argv, OLD, {"controller 1/battery": "Failed"})) == ({}, OLD)


def test_a_failed_zmm_takes_write_back_out_of_force() -> None:
    """The setting stays, the status changes, and the volume says why."""
    failed = render(ASK, OLD, initial(ASK, OLD) | {"controller 1/battery": "Failed"})
    cache = card_of(failed).volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active) == ("protected_write_back", "write_through")
    assert "failed" in (cache.why_not_in_force or "")
    assert ZMM in OLD
