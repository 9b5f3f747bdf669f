"""The simulated controllers' outputs with other settings, and replies to setcache."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.vendor.simulator import State
from raidctl_adaptec.change import current_settings
from raidctl_adaptec.simulator import change, initial, render
from tests.vendors.adaptec.adaptec_outputs import ZMM, controller_of, drive_text, machine, part, pqi, volume_text

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
    """All values of a setting."""
    place, _, setting = name.rpartition("/")
    if setting == "writecache":
        return WORDS["ld" if "/ld " in place else "device"]
    return WORDS.get(setting, ("enable", "disable"))


@st.composite
def states(draw: st.DrawFn) -> tuple[str, State]:
    """A controller, and settings of it."""
    text = TEXTS[draw(st.sampled_from(sorted(TEXTS)))]
    state = initial(ASK, text)
    drawn: State = {}
    for name, value in state.items():
        setting = name.rpartition("/")[2]
        if name.startswith("adaptec/"):  # the drives in their bays
            drawn[name] = value
        elif setting == "battery":
            drawn[name] = draw(st.sampled_from((value, *BATTERIES)))
        elif setting == "cache":
            drawn[name] = draw(st.sampled_from((value, *CACHES)))
        elif setting == "read":
            drawn[name] = str(draw(st.integers(0, 100)))
        elif setting == "write":
            drawn[name] = str(100 - int(drawn[f"{name.rpartition('/')[0]}/read"]))
        elif setting == "writecachebypassthreshold":
            drawn[name] = str(draw(st.integers(1, 65)) * 16)
        else:
            drawn[name] = draw(st.sampled_from(choices(name)))
    return text, drawn


@settings(deadline=None)
@given(states())
def test_what_is_printed_gives_the_settings(drawn: tuple[str, State]) -> None:
    """parse(render(state)) == state, for every state of every controller."""
    text, state = drawn
    assert initial(ASK, render(ASK, text, state)) == state


@settings(deadline=None)
@given(states())
def test_the_family_reads_what_is_printed(drawn: tuple[str, State]) -> None:
    """The parser reads every volume and drive setting from simulated output."""
    text, state = drawn
    current = current_settings(controller_of(render(ASK, text, state)))
    for name, value in state.items():
        _, _, rest = name.partition("/")
        if name.startswith("adaptec/"):
            continue
        place, _, setting = rest.rpartition("/")
        kind, _, number = place.partition(" ")
        if kind in ("ld", "device"):
            assert current[f"adaptec:1/{'v' if kind == 'ld' else ''}{number}", setting] == value
        elif rest in ("nobatterywritecache", "writecachebypassthreshold"):
            assert current["adaptec:1", rest] == value
        elif rest == "cacheratio/read":
            assert current["adaptec:1", "cacheratio"] == f"{value}/{state['controller 1/cacheratio/write']}"
        else:
            # the policy for all drives is a setting only if all of them agree
            assert rest in ("battery", "cache", "cacheratio/write", "deviceall", "waitforcacheroom")


@settings(deadline=None)
@given(states())
def test_the_active_policy_follows_from_setting_and_battery(drawn: tuple[str, State]) -> None:
    """On aacraid, wbb is write-back only with a good battery."""
    text, state = drawn
    good = state["controller 1/battery"] in ("ZMM Optimal", "Optimal")
    for volume in controller_of(render(ASK, text, state)).volumes if text is not NEW else ():
        mode = state[f"controller 1/ld {volume.id.rpartition('v')[2]}/writecache"]
        assert volume.cache is not None
        assert volume.cache.write_active == (
            "write_back" if mode == "wb" or (mode == "wbb" and good) else "write_through"
        )


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_an_unchanged_controller_prints_what_was_recorded(text: str) -> None:
    """An unchanged state prints the recorded output to the letter."""
    assert render(ASK, text, initial(ASK, text)) == text


def test_the_words_are_those_of_the_version() -> None:
    """A version that prints "Enabled (write-back)" keeps that form after a change."""
    changed = render(ASK, LONG, initial(ASK, LONG) | {"controller 1/ld 0/writecache": "wb"})
    assert "Write-cache setting                      : Enabled (write-back)\n" in changed


def reply_to(text: str, *words: str) -> tuple[int, str, bool]:
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
def test_an_aacraid_controller_accepts_its_commands(words: str) -> None:
    """The commands of aacraid are accepted."""
    assert reply_to(OLD, *words.split()) == DONE


@pytest.mark.parametrize(
    "words",
    [
        "1 logicaldrive 0 coff noprompt", "1 cacheratio 25 75", "1 nobatterywritecache enable",
        "1 waitforcacheroom enable", "1 writecachebypassthreshold 512",
    ],
)  # fmt: skip
def test_a_smartpqi_controller_accepts_its_commands(words: str) -> None:
    """The commands of smartpqi are accepted."""
    assert reply_to(NEW, *words.split()) == DONE


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
def test_unchanged_and_invalid_settings_are_aborted(text: str, words: str, code: int) -> None:
    """Each kind of refusal has its exit code and changes nothing."""
    assert reply_to(text, *words.split()) == (code, "Command aborted.", False)


def test_all_drives_follow_the_command_for_all() -> None:
    """The controller's policy and each drive show the command for all drives."""
    state = initial(ASK, OLD)
    reply = change(("arcconf", "setcache", "1", "deviceall", "enable", "noprompt"), state)
    assert reply is not None
    controller = controller_of(render(ASK, OLD, reply.state))
    assert {drive.write_cache for drive in controller.drives} == {"enabled"}
    assert {volume.cache.drive_write_cache for volume in controller.volumes if volume.cache} == {"enabled"}


@pytest.mark.parametrize("argv", [(), ("arcconf",), ("arcconf", "getstatus", "1"), ("hdparm", "-W", "/dev/sda")])
def test_other_commands_change_nothing(argv: tuple[str, ...]) -> None:
    """Other commands change nothing, and their outputs are passed on."""
    assert change(argv, {}) is None
    assert (initial(argv, OLD), render(argv, OLD, {"controller 1/battery": "Failed"})) == ({}, OLD)


def test_a_failed_zmm_disables_write_back() -> None:
    """With a failed ZMM, write-through is active. The volume shows the reason."""
    failed = render(ASK, OLD, initial(ASK, OLD) | {"controller 1/battery": "Failed"})
    cache = controller_of(failed).volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active) == ("protected_write_back", "write_through")
    assert "failed" in (cache.why_not_in_force or "")
    assert ZMM in OLD
