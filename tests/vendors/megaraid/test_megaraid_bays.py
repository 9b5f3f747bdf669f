"""Drives in the bays of simulated machines. Tests pull, insert and fail them, and the tools print them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import raidctl_megaraid
from raidctl.errors import UsageError
from raidctl.model import Controller, VolumeStatus
from raidctl.vendor.protocol import Document
from raidctl.vendor.simulator import State
from raidctl_megaraid import simulator
from raidctl_megaraid.simulator.machine import group_state, load
from tests.support.printed import rendered, settings_of, texts
from tests.vendors.megaraid.megaraid_deeds import Bench

MACHINES = {"h730": [f"32:{slot}" for slot in range(9)], "9271": [f"252:{slot}" for slot in range(6)],
            "perc5i": [f"8:{slot}" for slot in range(4)]}  # fmt: skip
STATUS: dict[str, tuple[VolumeStatus, ...]] = {
    "Optl": ("ok", "checking"), "Pdgd": ("degraded", "rebuilding"), "Dgrd": ("degraded", "rebuilding"),
    "OfLn": ("offline", "failed"),
}  # fmt: skip


def read(name: str, state: State) -> Controller:
    """The controller as its recorded commands print it in a state."""
    found = {**rendered(simulator, name, state)}
    documents = [
        Document(" ".join(argv), kind.kind, text)
        for argv, text in found.items() if (kind := raidctl_megaraid.sniff("", text)) is not None
    ]  # fmt: skip
    [controller] = raidctl_megaraid.read(documents).controllers
    return controller


BayAction = tuple[str, str]


@st.composite
def bay_actions(draw: st.DrawFn) -> tuple[str, list[BayAction]]:
    """A machine, and a sequence of actions on its bays."""
    name = draw(st.sampled_from(sorted(MACHINES)))
    what = st.sampled_from(("pull", "push", "small", "failing", "fail", "wait"))
    return name, draw(st.lists(st.tuples(what, st.sampled_from(MACHINES[name])), max_size=6))


def moved(state: State, action: BayAction) -> State:
    """The machine after an action; unchanged if the action is impossible."""
    what, bay = action
    try:
        if what == "pull":
            return simulator.pull(state, bay)
        if what == "fail":
            return simulator.fail(state, bay)
        if what == "wait":
            return simulator.advance(state, 4000.0)
        kind = what if what in ("small", "failing") else "like"
        return simulator.insert(state, bay, None, kind)  # type: ignore[arg-type]  # one of the kinds
    except ValueError:
        return state


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(bay_actions())
def test_the_tools_print_the_drives_in_the_bays(played: tuple[str, list[BayAction]]) -> None:
    """Drives, members of each array, and each volume's state are printed. The drives have serial numbers."""
    name, done = played
    state = settings_of(simulator, texts(name))
    for action in done:
        state = moved(state, action)
    controller, machine = read(name, state), load("0", state)
    shown = {drive.id.partition("/")[2]: drive for drive in controller.drives}
    assert set(shown) == set(machine.bays)
    for bay, drive in shown.items():
        assert drive.serial == state[f"megaraid/bay {bay}"]
        group = machine.group_of(machine.disks[machine.bays[bay]])
        assert drive.array == (f"{controller.id}/g{group}" if group else None), bay
    for volume in controller.volumes:
        group = machine.volumes[volume.id.rpartition("/v")[2]].group
        assert volume.status in STATUS[group_state(machine, group)]


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_an_impossible_action_on_a_bay_names_the_bay(name: str, tmp_path: Path) -> None:
    """Emptying an empty bay, filling a full one, or inserting an unknown drive is an error."""
    machine, bay = Bench(name, tmp_path).machine, MACHINES[name][0]
    with pytest.raises(UsageError, match="not an empty bay; there are drives in"):
        machine.insert(bay)
    machine.pull(bay)
    with pytest.raises(UsageError, match=f"bay {bay} is empty; there are drives in"):
        machine.pull(bay)
    with pytest.raises(UsageError, match="is not a drive that was pulled"):
        machine.insert(bay, "NONE")
    with pytest.raises(UsageError, match="no controller megaraid:4"):
        machine.pull(f"megaraid:4/{bay}")


def test_other_machines_have_no_such_bays() -> None:
    """A state of another simulator has no bays here: LookupError."""
    with pytest.raises(LookupError):
        simulator.pull({}, "1")
    with pytest.raises(LookupError):
        simulator.insert({}, "1", None)
    with pytest.raises(LookupError):
        simulator.fail({}, "1")
    assert simulator.advance({"md/clock": "0"}, 5.0) == {"md/clock": "0"}
