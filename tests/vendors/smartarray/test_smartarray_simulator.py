"""The simulated Smart Array: rendered outputs are read back."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.change.engine import current_settings
from raidctl.simulation.demo import machine
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from raidctl.vendor.simulator import State
from raidctl_smartarray import simulator
from tests.support.printed import rendered, settings_of, texts

VENDORS = vendors()[0]
SWITCH = ("enable", "disable")
DEMOS = ("p400", "p440", "gen10")


BATTERIES = {
    "OK": "ok", "Recharging": "charging", "Not Fully Charged": "charging", "Degraded": "degraded",
    "Failed (Replace Batteries)": "failed", "Failed (Replace Batteries/Capacitors)": "failed",
    "Not Attached": "missing", "Disconnected": "missing", "Amber": "unknown",
}  # fmt: skip
CACHES = ("OK", "Temporarily Disabled", "Permanently Disabled", "Not Configured", "Amber")


def generated(state: State) -> st.SearchStrategy[State]:
    """Other settings of the same machine, with the same controller and drives."""
    values = {
        "cacheratio": st.integers(0, 20).map(lambda n: f"{n * 5}/{100 - n * 5}"),
        "drivewritecache": st.sampled_from((*SWITCH, "default", "unchanged")),
        "nobatterywritecache": st.sampled_from(SWITCH),
        "arrayaccelerator": st.sampled_from(SWITCH),
        "ssdsmartpath": st.sampled_from(SWITCH),
        "writecachebypassthreshold": st.integers(1, 65).map(lambda n: str(n * 16)),
        "rebuildpriority": st.sampled_from(("low", "medium", "mediumhigh", "high")),
        "expandpriority": st.sampled_from(("low", "medium", "high")),
        "battery": st.sampled_from(sorted(BATTERIES)),
        "cache": st.sampled_from(CACHES),
    }
    kept = {"usage", "array"}
    names = {name: name.rpartition("/")[2] for name in state if not name.startswith("smartarray/")}
    assert set(names.values()) <= values.keys() | kept
    drives = {name: st.just(value) for name, value in state.items() if name not in names}
    return st.fixed_dictionaries(
        {name: st.just(state[name]) if setting in kept else values[setting] for name, setting in names.items()} | drives
    )


def shown(state: State) -> State:
    """Return the settings that the tool shows. It shows no split while no volume uses the cache or it is disabled."""
    used = any(name.endswith("/arrayaccelerator") and value == "enable" for name, value in state.items())
    off = any(name.endswith("/cache") and value == "Permanently Disabled" for name, value in state.items())
    return {name: value for name, value in state.items() if (used and not off) or not name.endswith("/cacheratio")}


@pytest.mark.slow
@pytest.mark.parametrize("demo", DEMOS)
@settings(deadline=None)
@given(data=st.data())
def test_what_is_printed_is_the_state(demo: str, data: st.DataObject) -> None:
    """Every state can be read from the rendered outputs."""
    state = data.draw(generated(settings_of(simulator, texts(demo))))
    assert settings_of(simulator, rendered(simulator, demo, state)) == shown(state)


@pytest.mark.slow
@pytest.mark.parametrize("demo", DEMOS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_the_family_reads_what_is_printed(demo: str, data: st.DataObject) -> None:
    """The parsers read every setting and the battery from the rendered outputs."""
    with TemporaryDirectory() as place:
        simulated = machine(demo, VENDORS, Path(place))
        wanted = data.draw(generated(settings_of(simulator, texts(demo))))
        simulated.keep(simulated.state() | wanted)
        inventory = survey(simulated, VENDORS).inventory
    mine = {
        key: value for key, value in current_settings(inventory, VENDORS).items() if key[0].startswith("smartarray:")
    }
    facts = ("battery", "cache", "usage", "array")
    names = {name for name in shown(wanted) if name.rpartition("/")[2] not in facts and name.startswith("slot=")}
    assert mine == {_setting(name): wanted[name] for name in names}
    for controller in inventory.controllers:
        word = wanted.get(f"slot={controller.slot}/battery")
        assert word is None or {battery.status for battery in controller.batteries} == {BATTERIES[word]}


def _setting(name: str) -> tuple[str, str]:
    """The engine's name of ``slot=0/ld 1/arrayaccelerator``."""
    place, _, setting = name.removeprefix("slot=").rpartition("/")
    slot, _, below = place.partition("/")
    kind, _, number = below.partition(" ")
    return f"smartarray:{slot}" + (f"/v{number}" if kind == "ld" else f"/{number}" if kind else ""), setting


def ask(*words: str, state: State) -> tuple[int, str, State]:
    """Exit code, output and state after a changing command."""
    reply = simulator.change(("ssacli", *words), state)
    assert reply is not None
    return reply.code, reply.out, dict(reply.state)


STATE: State = {
    "slot=1/cacheratio": "25/75", "slot=1/drivewritecache": "disable", "slot=1/nobatterywritecache": "disable",
    "slot=1/writecachebypassthreshold": "1040", "slot=1/array A/ssdsmartpath": "disable",
    "slot=1/array B/ssdsmartpath": "enable", "slot=1/ld 1/array": "A", "slot=1/ld 1/arrayaccelerator": "enable",
    "slot=1/ld 2/array": "B", "slot=1/ld 2/arrayaccelerator": "disable", "slot=1/battery": "OK", "slot=1/cache": "OK",
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("ctrl slot=7 modify cacheratio=50/50", "slot=7"),
        ("ctrl slot=1 ld 9 modify arrayaccelerator=enable", "not found"),
        ("ctrl slot=1 modify cacheratio=50/60", "not a valid value"),
        ("ctrl slot=1 modify cacheratio=33/67", "not a valid value"),
        ("ctrl slot=1 modify cacheratio=25", "not a valid value"),
        ("ctrl slot=1 modify colour=red", "not a valid option"),
        ("ctrl slot=1 modify battery=OK", "not a valid option"),
        ("ctrl slot=1 ld 1 modify cacheratio=50/50", "not a valid option"),
        ("ctrl slot=1 modify arrayaccelerator=enable", "not a valid option"),
        ("ctrl slot=1 ld 1 modify arrayaccelerator=perhaps", "not a valid value"),
        ("ctrl slot=1 ld 1 modify arrayaccelerator=default", "not a valid value"),
        ("ctrl slot=1 ld 1 modify arrayaccelerator=Enable", "not a valid value"),
        ("ctrl slot=1 ld 1 modify ArrayAccelerator=enable", "not a valid option"),
        ("ctrl slot=1 ld 1 modify arrayaccelerator", "Syntax error"),
        ("ctrl slot=1 modify", "Syntax error"),
        ("ctrl slot=1 modify forced", "Syntax error"),
        ("ctrl slot=1 modify forced cacheratio=50/50", "Syntax error"),
        ("ctrl slot=1 ld 1 2 modify arrayaccelerator=enable", "Syntax error"),
        ("ctrl slot=1 volume 1 modify arrayaccelerator=enable", "Syntax error"),
        ("ctrl slot=1 modify writecachebypassthreshold=24", "not a valid value"),
        ("ctrl slot=1 modify writecachebypassthreshold=1056", "not a valid value"),
        ("ctrl slot=1 modify drivewritecache=enable usage=configured", "Syntax error"),
        ("ctrl slot=1 modify cacheratio=50/50 usage=configured", "Syntax error"),
        ("ctrl slot=1 ld 2 modify arrayaccelerator=enable", "SSD Smart Path"),
        ("ctrl slot=1 array A modify ssdsmartpath=enable", "Caching is enabled"),
        ("modify", "Syntax error"),
    ],
)
def test_what_the_real_tool_refuses_is_refused(words: str, error: str) -> None:
    """A refused command prints an error, exits with 1 and changes nothing."""
    code, out, state = ask(*words.split(), state=STATE)
    assert (code, state) == (1, STATE)
    assert out.strip().startswith("Error: ")
    assert error in out


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("modify drivewritecache=enable forced", 'Parameter "usage" must be specified.'),
        ("modify drivewritecache=enable usage=all forced", "Syntax error"),
        ("modify drivewritecache=enable usage=configured usage=hba forced", "Syntax error"),
    ],
)
def test_the_new_wording_asks_for_the_use(words: str, error: str) -> None:
    """Gen10 and later require the use of the drives."""
    code, out, _ = ask("ctrl", "slot=1", *words.split(), state=STATE | {"slot=1/usage": "needed"})
    assert (code, error in out) == (1, True)


@pytest.mark.parametrize(
    ("usage", "after"), [("configured", "enable"), ("unconfigured", "disable"), ("hba", "disable")]
)
def test_each_use_of_the_drives_has_a_setting(usage: str, after: str) -> None:
    """The setting of configured drives is that of the volumes."""
    words = ("ctrl", "slot=1", "modify", "drivewritecache=enable", f"usage={usage}", "forced")
    assert ask(*words, state=STATE | {"slot=1/usage": "needed"})[2]["slot=1/drivewritecache"] == after


def test_a_split_is_refused_while_no_volume_uses_the_cache() -> None:
    """Without a caching volume, a split is not supported."""
    idle = STATE | {"slot=1/ld 1/arrayaccelerator": "disable"}
    code, out, _ = ask("ctrl", "slot=1", "modify", "cacheratio=50/50", "forced", state=idle)
    assert (code, "not supported" in out) == (1, True)


def test_smart_path_of_another_array_does_not_matter() -> None:
    """Only Smart Path of the volume's array prevents caching."""
    off = STATE | {"slot=1/ld 1/arrayaccelerator": "disable"}
    assert ask("ctrl", "slot=1", "ld", "1", "modify", "aa=enable", "forced", state=off)[0] == 0


def test_a_change_is_kept_without_output() -> None:
    """A successful change prints nothing, as with the real tool."""
    code, out, state = ask("ctrl", "slot=1", "modify", "cacheratio=50/50", "forced", state=STATE)
    assert (code, out.strip(), state["slot=1/cacheratio"]) == (0, "", "50/50")


def test_commands_of_others_are_left_alone() -> None:
    """Reading commands and those of other tools are not changes."""
    assert simulator.change(("storcli64", "/c0", "show"), STATE) is None
    assert simulator.change(("ssacli", "ctrl", "all", "show"), STATE) is None
