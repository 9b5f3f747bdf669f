"""The simulated Smart Array: what is rendered is what is read."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.change.engine import knobs
from raidctl.demo import machine
from raidctl.observe import survey
from raidctl.registry import vendors
from raidctl.simulation import State
from raidctl_smartarray import simulator

VENDORS = vendors()[0]
SWITCH = ("enable", "disable")
DEMOS = ("p400", "p440", "gen10")


def generated(state: State) -> st.SearchStrategy[State]:
    """Other settings of the same machine."""
    values = {
        "cacheratio": st.integers(0, 20).map(lambda n: f"{n * 5}/{100 - n * 5}"),
        "drivewritecache": st.sampled_from((*SWITCH, "default")),
        "nobatterywritecache": st.sampled_from(SWITCH),
        "arrayaccelerator": st.sampled_from(SWITCH),
        "ssdsmartpath": st.sampled_from(SWITCH),
        "writecachebypassthreshold": st.integers(1, 65).map(lambda n: str(n * 16)),
    }
    return st.fixed_dictionaries({name: values.get(name.rpartition("/")[2], st.just(state[name])) for name in state})


@pytest.mark.parametrize("demo", DEMOS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_is_rendered_is_what_is_read(demo: str, data: st.DataObject) -> None:
    """Whatever the settings are, the parsers read them out of what the simulated tool prints."""
    with TemporaryDirectory() as place:
        simulated = machine(demo, VENDORS, Path(place))
        wanted = data.draw(generated(simulated.state()))
        simulated.keep(wanted)
        told = knobs(survey(simulated, VENDORS).inventory, VENDORS)
        for (object_id, knob), value in told.items():
            if object_id.startswith("smartarray:"):
                assert value == next(v for name, v in wanted.items() if _same(name, object_id, knob))


def _same(name: str, object_id: str, knob: str) -> bool:
    place, _, setting = name.rpartition("/")
    card, _, below = object_id.partition("/")
    target = "" if not below else f"/ld {below[1:]}" if below.startswith("v") else f"/array {below}"
    return setting == knob and place == f"slot={card.partition(':')[2]}{target}"


def ask(*words: str, state: State) -> tuple[int, str, State]:
    """What a changing command gives."""
    reply = simulator.change(("ssacli", *words), state)
    assert reply is not None
    return reply.code, reply.out, dict(reply.state)


STATE: State = {"slot=1/cacheratio": "25/75", "slot=1/ld 1/arrayaccelerator": "enable"}


@pytest.mark.parametrize(
    "words",
    [
        ("ctrl", "slot=7", "modify", "cacheratio=50/50"),
        ("ctrl", "slot=1", "ld", "9", "modify", "arrayaccelerator=enable"),
        ("ctrl", "slot=1", "modify", "cacheratio=50/60"),
        ("ctrl", "slot=1", "modify", "colour=red"),
        ("ctrl", "slot=1", "ld", "1", "modify", "arrayaccelerator=perhaps"),
        ("modify",),
    ],
)
def test_what_the_real_tool_refuses_is_refused(words: tuple[str, ...]) -> None:
    """An error text and a code, and nothing is changed."""
    code, out, state = ask(*words, state=STATE)
    assert (code, state) == (1, STATE)
    assert "Error:" in out


def test_a_change_is_kept_and_says_nothing() -> None:
    """As the real tool: success is silence."""
    code, out, state = ask("ctrl", "slot=1", "modify", "cacheratio=50/50", "forced", state=STATE)
    assert (code, out.strip(), state["slot=1/cacheratio"]) == (0, "", "50/50")


def test_commands_of_others_are_left_alone() -> None:
    """Another tool's command, and one that only reads, are no change."""
    assert simulator.change(("storcli64", "/c0", "show"), STATE) is None
    assert simulator.change(("ssacli", "ctrl", "all", "show"), STATE) is None
