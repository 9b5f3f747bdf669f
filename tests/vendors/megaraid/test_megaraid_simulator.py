"""Simulated controllers that behave as the tools do. They print their state and reply to changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raidctl_megaraid
from raidctl.model import Controller
from raidctl.vendor.plan import Action
from raidctl.vendor.protocol import Document
from raidctl.vendor.simulator import State
from raidctl_megaraid import change, simulator
from raidctl_megaraid.simulator.state import BATTERIES
from tests.support.printed import rendered, settings_of, texts
from tests.vendors.megaraid.megaraid_demos import DEMOS, controller_of, run, seen, simulated

BY_SETTING = {
    "wrcache": ("WT", "WB", "AWB"),
    "rdcache": ("RA", "NoRA"),
    "iopolicy": ("Direct", "Cached"),
    "pdcache": ("On", "Off", "Default"),
    "badbbu": ("Yes", "No"),
    "battery": BATTERIES,
    "preserved": ("Yes", "No"),
    "block ssd": ("Yes", "No"),
    "alarm": ("On", "Disable", "Missing"),
}
RATES = {"rebuildrate": "rebuild", "ccrate": "check", "prrate": "patrol_read", "bgirate": "initialize",
         "reconrate": "expand"}  # fmt: skip
FIGURES = {"cacheflushint": 255, "charge": 100, **dict.fromkeys(RATES, 100)}
FACTS = ("cli", "os", "media", "tool", "clock", "auto")
"""Facts of a controller that never change."""
PARTS = ("bay ", "disk ", "position ", "volume ", "line ", "serial ")
"""Drives and arrays, which change together; see the tests of the bays."""


def choices(name: str, key: str, recorded: str) -> st.SearchStrategy[str]:
    """The values that a setting of a machine can have."""
    setting = key.rpartition("/")[2]
    if setting in FACTS or setting.startswith(PARTS):
        return st.just(recorded)
    if setting in FIGURES:
        return st.integers(0, FIGURES[setting]).map(str)
    if setting.startswith("supports "):
        return st.sampled_from(("Yes", "No"))
    values = BY_SETTING[setting]
    if name == "perc5i":
        values = {"rdcache": ("RA", "NoRA", "adaptive")}.get(setting, values)
    return st.sampled_from(values)


def states(name: str) -> st.SearchStrategy[State]:
    """Every state that a machine can be in."""
    recorded = settings_of(simulator, texts(name))
    return st.fixed_dictionaries({key: choices(name, key, value) for key, value in recorded.items()})


MACHINES = st.sampled_from(DEMOS).flatmap(lambda name: st.tuples(st.just(name), states(name)))


def read(name: str, state: Mapping[str, str]) -> Controller:
    """The controller of a machine in a state, as raidctl reads it."""
    documents = []
    for argv, text in rendered(simulator, name, state).items():
        found = raidctl_megaraid.sniff("", text)
        if found is not None:
            documents.append(Document(" ".join(argv), found.kind, text))
    [controller] = raidctl_megaraid.read(documents).controllers
    return controller


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(MACHINES)
def test_what_is_printed_is_the_state(machine: tuple[str, State]) -> None:
    """Every state can be read from the outputs that it renders."""
    name, state = machine
    assert settings_of(simulator, rendered(simulator, name, state)) == state


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(MACHINES)
def test_raidctl_reads_what_is_simulated(machine: tuple[str, State]) -> None:
    """Each setting is read. Write-through is active if the battery is not good."""
    name, state = machine
    controller = read(name, state)
    megacli = name == "perc5i"
    assert controller.cache is not None
    if "megaraid 0/cacheflushint" in state:
        assert controller.cache.flush_interval_seconds == int(state["megaraid 0/cacheflushint"])
    rates = {setting: state[f"megaraid 0/{setting}"] for setting in RATES if f"megaraid 0/{setting}" in state}
    assert {setting: getattr(controller.rates, RATES[setting]) for setting in rates} == {
        k: f"{v}%" for k, v in rates.items()
    }
    assert controller.cache.preserved_data == (state["megaraid 0/preserved"] == "Yes")
    for volume in controller.volumes:
        mine = {key.rpartition("/")[2]: value for key, value in state.items() if f"/{volume.id[11:]}/" in key}
        assert volume.cache is not None
        goes_on = mine["wrcache"] == "AWB" or mine.get("badbbu") == "Yes"
        policy = {"WT": "write_through", "AWB": "unprotected_write_back"}.get(
            mine["wrcache"], "unprotected_write_back" if goes_on else "protected_write_back"
        )
        assert volume.cache.write_policy == policy
        good = state["megaraid 0/battery"] == "Optimal"
        back = mine["wrcache"] != "WT" and (good or goes_on)
        assert volume.cache.write_active == ("write_back" if back else "write_through"), (megacli, mine)
        read_ahead = {"NoRA": "none", "RA": "read_ahead", "adaptive": "adaptive"}
        assert volume.cache.read_policy == read_ahead[mine["rdcache"]]
        if "iopolicy" in mine:
            assert volume.cache.io_policy == mine["iopolicy"].lower()
        if "pdcache" in mine:
            words = {"On": "enabled", "Off": "disabled", "Default": "default"}
            assert volume.cache.drive_write_cache == words[mine["pdcache"]]


@pytest.mark.parametrize("name", DEMOS)
def test_a_change_touches_the_places_of_the_setting_alone(name: str) -> None:
    """A change alters only the lines of its setting."""
    state = settings_of(simulator, texts(name))
    key = next(key for key in state if key.endswith("/rdcache"))
    other = {"RA": "NoRA", "NoRA": "RA"}[state[key]]
    others = rendered(simulator, name, state | {key: other})
    for before, after in zip(texts(name).values(), others.values(), strict=True):
        changed = [line for line, new in zip(before.split("\n"), after.split("\n"), strict=True) if line != new]
        assert all("ache" in line for line in changed)


@pytest.mark.parametrize("name", ["9271", "h730", "9660"])
def test_an_adaptive_read_ahead_that_was_there_is_shown(tmp_path: Path, name: str) -> None:
    """The first generation shows adaptive read-ahead, the second does not have it."""
    found = controller_of(name, tmp_path, {"v0/rdcache": "adaptive"})
    shown = found.volumes[0].cache
    assert shown is not None
    assert (shown.read_policy == "adaptive") == (name != "9660")


# --- replies to changes

STORCLI = ("storcli64", "/c0/v0", "set")


def verdict(name: str, place: Path, *argv: str, **settings: str) -> str | None:
    """The problem in the reply to a command. A refusal must not change the state."""
    found = simulated(name, place, {key.replace("_", " "): value for key, value in settings.items()})
    before = found.state()
    fault = change.judge(Action(argv=argv), run(found, *argv))
    assert fault is None or found.state() == before
    return fault


@pytest.mark.parametrize("value", ["WT", "wt", "AWB", "WB"])
def test_storcli_sets_what_it_knows(tmp_path: Path, value: str) -> None:
    """Case does not count, and the current value is not a failure."""
    assert verdict("9271", tmp_path, *STORCLI, f"wrcache={value}", "nolog", "J") is None


def test_storcli_sets_several_at_once(tmp_path: Path) -> None:
    """Several settings in one command have a row each."""
    found = simulated("9271", tmp_path)
    answer = run(found, *STORCLI, "rdcache=NoRA", "wrcache=WT", "iopolicy=Cached", "nolog", "J")
    assert answer.text.count('"Success"') == 4
    [volume] = seen(found)[0].volumes
    assert volume.cache is not None
    assert (volume.cache.read_policy, volume.cache.write_policy, volume.cache.io_policy) == (
        "none",
        "write_through",
        "cached",
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("/c0/v9", "set", "wrcache=WT"), "Invalid VD number"),
        (("/c3/v0", "set", "wrcache=WT"), "not found"),
        (("/c3", "flushcache"), "not found"),
        (("/c0/v0", "set", "wrcache=FWB"), "syntax error"),
        (("/c0/v0", "set", "diskcache=On"), "syntax error"),
        (("/c0", "set", "cacheflushint=soon"), "syntax error"),
        (("/c0", "set", "cacheflushint=300"), "Invalid parameter"),
        (("c0", "set", "wrcache=WT"), "syntax error"),
        (("/c0", "flushcache", "now"), "syntax error"),
        (("/c0/v0", "set", "nolog", "wrcache=WT"), "syntax error"),
        (("/c0/v0", "set", "J", "wrcache=WT"), "syntax error"),
    ],
)
def test_storcli_refuses_what_is_not_there(tmp_path: Path, words: tuple[str, ...], expected: str) -> None:
    """Unknown objects and words are rejected with the tool's text. They change nothing."""
    if words[0].startswith("/"):
        assert expected in (verdict("9271", tmp_path, "storcli64", *words, "nolog", "J") or "")
    else:
        assert expected in run(simulated("9271", tmp_path), "storcli64", *words).text


@pytest.mark.parametrize("tail", [(), ("nolog",), ("J", "nolog")])
def test_storcli_answers_in_plain_text_unless_json_is_asked_for_at_the_end(
    tmp_path: Path, tail: tuple[str, ...]
) -> None:
    """A reply without rows is not a success. A missing J at the end is noticed."""
    answer = run(simulated("9271", tmp_path), *STORCLI, "wrcache=WT", *tail)
    assert not answer.text.startswith("{")
    assert change.judge(Action(argv=STORCLI), answer) is not None


def test_storcli_rejects_what_the_controller_does_not_support(tmp_path: Path) -> None:
    """An unsupported setting is rejected with ``Un-supported Command``."""
    words = (*STORCLI, "iopolicy=Cached", "nolog", "J")
    assert "Un-supported" in (verdict("9271", tmp_path, *words, supports_iopolicy="No") or "")


def test_the_caches_of_ssds_are_blocked_with_exit_code_0(tmp_path: Path) -> None:
    """A volume of SSDs is rejected with ``SSD Pd is present``. One of HDDs is changed."""
    found = simulated("h730", tmp_path, {"block ssd": "Yes"})
    answer = run(found, "perccli64", "/c0/v0", "set", "pdcache=On", "nolog", "J")
    assert (answer.code, "SSD Pd is present" in answer.text) == (0, True)
    assert change.judge(Action(argv=("perccli64", "/c0/v0")), answer) == "SSD Pd is present (error 255)"
    other = run(found, "perccli64", "/c0/v1", "set", "pdcache=On", "nolog", "J")
    assert change.judge(Action(argv=("perccli64", "/c0/v1")), other) is None


@pytest.mark.parametrize(
    "words",
    [
        ("/c0/v2", "set", "rdcache=RA", "wrcache=WT"),
        ("/c0/v2", "set", "iopolicy=Direct"),
        ("/c0/v2", "set", "pdcache=On"),
        ("/c0", "set", "cacheflushint=4"),
        ("/c0", "flushcache"),
    ],
)
def test_storcli2_answers_what_it_does_not_know_in_plain_text(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Unknown commands, and two settings at once, are syntax errors."""
    assert "syntax error" in (verdict("9660", tmp_path, "storcli2", *words, "nolog", "J") or "")


def test_storcli2_refuses_a_volume_that_is_not_there_with_exit_code_0(tmp_path: Path) -> None:
    """The row names the origin of the error in ``ErrType``."""
    answer = run(simulated("9660", tmp_path), "storcli2", "/c0/v9", "set", "wrcache=WT", "nolog", "J")
    assert (answer.code, '"ErrType": "CLI"' in answer.text, "Invalid VD number" in answer.text) == (0, True, True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("-LDSetProp", "WB", "-L5", "-a0"), "Exist"),
        (("-LDSetProp", "WB", "-L0", "-a7"), "not present"),
        (("-LDSetProp", "AWB", "-L0", "-a0"), "Invalid input"),
        (("-AdpSetProp", "CacheFlushInterval", "-300", "-a0"), "Failed to Set"),
        (("-AdpSetProp", "AlarmDsbl", "-a0"), "Invalid input"),
        (("-LDSetProp", "WB", "-L0", "0"), "Invalid input"),
        (("-LDSetProp", "WB", "-L0"), "Invalid input"),
        (("-LDSetProp", "WB", "0", "-a0"), "Invalid input"),
        (("-LDSetProp", "WB", "NORA", "-L0", "-a0"), "Invalid input"),
        (("-AdpSetProp", "CacheFlushInterval", "4s", "-a0"), "Invalid input"),
        (("-AdpCacheFlush",), "Invalid input"),
        (("-AdpCacheFlush", "now", "-a0"), "Invalid input"),
    ],
)
def test_megacli_refuses_what_is_not_there(tmp_path: Path, words: tuple[str, ...], expected: str) -> None:
    """Unknown objects and words are rejected with the tool's text. They change nothing."""
    assert expected in (verdict("perc5i", tmp_path, "MegaCli", *words, "-NoLog") or "")


def test_megacli_forces_write_back_and_shows_it(tmp_path: Path) -> None:
    """Forced write-back is active with a failed battery."""
    found = simulated("perc5i", tmp_path, {"v0/wrcache": "WT", "battery": "Failed"})
    answer = run(found, "MegaCli", "-LDSetProp", "ForcedWB", "-Immediate", "-L0", "-a0", "-NoLog")
    assert change.judge(Action(argv=("MegaCli", "-LDSetProp")), answer) is None
    cache_of = seen(found)[0].volumes[0].cache
    assert cache_of is not None
    assert (cache_of.write_policy, cache_of.write_active) == ("unprotected_write_back", "write_back")


def test_megacli_sets_write_back_that_does_not_come_into_effect(tmp_path: Path) -> None:
    """With a bad battery the tool reports success and a warning. Write-through stays active."""
    found = simulated("perc5i", tmp_path, {"v0/wrcache": "WT"})
    answer = run(found, "MegaCli", "-LDSetProp", "WB", "-L0", "-a0", "-NoLog")
    assert "will not come into effect immediately" in answer.text
    assert change.judge(Action(argv=("MegaCli", "-LDSetProp")), answer) is None
    cache_of = seen(found)[0].volumes[0].cache
    assert cache_of is not None
    assert (cache_of.write_policy, cache_of.write_active) == ("protected_write_back", "write_through")


@pytest.mark.parametrize(
    ("name", "argv"),
    [("9271", ("storcli64", "/c0", "flushcache", "nolog", "J")), ("perc5i", ("MegaCli", "-AdpCacheFlush", "-a0"))],
)
def test_a_flush_fails_while_data_is_preserved(tmp_path: Path, name: str, argv: tuple[str, ...]) -> None:
    """A flush succeeds without preserved cache only, and changes no setting."""
    assert verdict(name, tmp_path / "a", *argv) is None
    assert verdict(name, tmp_path / "b", *argv, preserved="Yes")


@pytest.mark.parametrize("name", DEMOS)
def test_a_reading_command_is_no_change(name: str) -> None:
    """No recorded command is a change."""
    for argv in texts(name):
        assert simulator.change(argv, settings_of(simulator, texts(name))) is None


@settings(deadline=None)
@given(st.text(), st.sampled_from(["storcli64", "MegaCli", "hpacucli"]))
def test_no_text_breaks_the_simulation(text: str, program: str) -> None:
    """Random text has no settings and is printed unchanged."""
    for garbage in (text, f'{{"Command Status": {text}', f"Adapter #0\n{text}"):
        state = simulator.initial((program,), garbage)
        assert simulator.render((program,), garbage, state) == garbage


@settings(deadline=None)
@given(st.lists(st.text(min_size=1), max_size=4), st.sampled_from(["storcli64", "MegaCli"]))
def test_no_command_breaks_the_simulation(words: list[str], program: str) -> None:
    """A random command is rejected or is not a change."""
    state = settings_of(simulator, texts("9271"))
    reply = simulator.change((program, *words), state)
    assert reply is None or reply.state == state
