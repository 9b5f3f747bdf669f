"""What every behaviour of a tool leaves after other deeds.

The deeds are on foreign configurations, learn cycles, rebuilds and states of drives.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from raidctl.errors import ChangeNotUndone
from raidctl.model import Controller
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.vendor.plan import Deed
from tests.change.md_machine import VENDORS, Bench
from tests.operate.controllers.outcomes import OUTCOMES, applied
from tests.support.misbehaving_tools import UNREADABLE, Behaviour

CONTROLLER = "megaraid:0"


class Case(NamedTuple):
    """A deed on a simulated machine."""

    demo: str
    deed: Deed
    bystander: str
    """The bay of a drive that the deed does not name."""
    state: Callable[[Controller], object]
    """What the deed changes."""
    before: Callable[[Simulated], None] = lambda _: None
    """What has happened to the machine."""


def role(bay: str) -> Callable[[Controller], object]:
    """The state of a drive, in the tool's word."""
    return lambda controller: next(one.status_text for one in controller.drives if one.id == f"{CONTROLLER}/{bay}")


def foreign(simulated: Simulated) -> None:
    """Set up a foreign configuration and data of a lost volume.

    The drive in bay 8:1 is a member of the former, the cache holds the latter.
    """
    simulated.pull("8:1")
    simulated.keep({**simulated.state(), "megaraid 0/auto": "Off"})
    simulated.insert("8:1")
    state = simulated.state()
    drive = f"megaraid 0/disk {state['megaraid 0/bay 8:1']}"
    own = {**json.loads(state[drive]), "foreign": "0"}
    kept = {"megaraid 0/pinned 6": "Missing", "megaraid 0/preserved": "Yes"}
    simulated.keep({**state, drive: json.dumps(own), **kept})


CASES = [
    Case("h730-foreign", Deed(object_id=CONTROLLER, verb="import_foreign"), "32:5", role("32:9")),
    Case("h730-foreign", Deed(object_id=CONTROLLER, verb="clear_foreign"), "32:5",
         lambda controller: [one.foreign for one in controller.drives]),
    Case("perc5i", Deed(object_id=CONTROLLER, verb="import_foreign"), "8:3", role("8:1"), foreign),
    Case("perc5i", Deed(object_id=CONTROLLER, verb="clear_foreign"), "8:3",
         lambda controller: [one.foreign for one in controller.drives], foreign),
    Case("perc5i", Deed(object_id=CONTROLLER, verb="discard_preserved", part=f"{CONTROLLER}/v6"), "8:3",
         lambda controller: controller.preserved, foreign),
    Case("h730", Deed(object_id=CONTROLLER, verb="start_patrol"), "32:5",
         lambda controller: controller.patrol_read and controller.patrol_read.state),
    Case("9271", Deed(object_id=CONTROLLER, verb="start_learn"), "252:5",
         lambda controller: controller.batteries[0].status),
    Case("h730", Deed(object_id=f"{CONTROLLER}/32:4", verb="offline", drive=f"{CONTROLLER}/32:4"), "32:5",
         role("32:4")),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.demo} {case.deed.verb}")
@pytest.mark.parametrize("behaviour", OUTCOMES)
def test_the_outcome_is_what_the_machine_shows(case: Case, behaviour: Behaviour, tmp_path: Path) -> None:
    """A refused deed that changed nothing was not done.

    The point of no return makes no difference, and the tool's word is no proof that a deed was done.
    """
    bench = Bench(tmp_path, machine(case.demo, VENDORS, tmp_path / "machine"), recorded=case.demo)

    case.before(bench.machine)

    def now() -> object:
        [controller] = [one for one in bench.look().inventory.controllers if one.id == CONTROLLER]
        return case.state(controller)

    def another_fails(simulated: Simulated) -> None:
        simulated.fail(case.bystander)

    was = now()
    plan = bench.plan(case.deed)
    assert plan.steps
    assert not plan.denials
    bench.behaviour, bench.match, bench.otherwise = behaviour, " ".join(plan.steps[0].action.argv[1:]), another_fails
    change = bench.change(plan)
    ended = applied(change)
    error, doubtful = OUTCOMES[behaviour]
    assert isinstance(ended, error) if error else ended is None, ended
    assert change.doubtful == doubtful
    if behaviour in UNREADABLE:
        assert "could not be read" in str(ended)
        assert "disappeared" not in str(ended)
        assert len(bench.argvs) == 1  # nothing was run to undo what nobody can see
        bench.behaviour = "accepts"
    assert (now() != was) == (error is None or behaviour == "another instance runs after the change")
    assert [one.unconfirmed for one in bench.journal.pending()] == [True] * (error is ChangeNotUndone)
    bench.behaviour = "accepts"
    bench.restored()
    assert bench.journal.pending() == []
