"""Deeds of a family on a simulated machine.

They are planned, compared with its table of commands, run, read back, undone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast, get_args

from raidctl.change.expectations import known_words, moved, unmet
from raidctl.change.lookup import owner
from raidctl.model import Controller
from raidctl.recording.recording import load
from raidctl.select import family_of
from raidctl.simulation.demo import path_of, simulators
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import Survey
from raidctl.vendor.operations import Operations, operations_of
from raidctl.vendor.plan import Action, Deed, Plan, Step, Verb
from raidctl.vendor.registry import vendors
from raidctl.vendor.shapes import outside
from raidctl.vendor.simulator import Bays
from tests.support.machines import FIXTURES, MACHINES
from tests.support.readings import READINGS

VENDORS = vendors()[0]
VERBS: tuple[Verb, ...] = get_args(Verb)
OWN: tuple[Verb, ...] = ("pull", "push", "copying", "rebuilding", "verifying", "copy_table", "wipe", "fail", "remove")
"""Verbs that no controller carries out. They are a person's, the core's, or md's."""


def operations(family: str) -> Operations:
    """The module ``operate`` of a family."""
    found = operations_of(next(vendor for vendor in VENDORS if family == vendor.FAMILY))
    assert found is not None
    return found


def simulated(name: str, place: Path) -> Simulated:
    """A demo, or a recorded machine of ``fixtures/``, that can be changed."""
    path = FIXTURES / name if name in MACHINES else path_of(name, VENDORS)
    return Simulated(load(path), simulators(VENDORS), place / f"{name}.json")


def look(runner: Simulated) -> Survey:
    """What raidctl reads from a simulated machine. One of :func:`simulated` in the same state is read only once."""
    recorded = f"{runner.place.stem}, for deeds"
    return READINGS.of(recorded, runner.state(), runner, VENDORS, "test")


def planned(seen: Survey, *deeds: Deed) -> Plan:
    """The plan of deeds on one controller."""
    controller = owner(seen.inventory.controllers, deeds[0].object_id)
    assert controller is not None
    return operations(family_of(controller)).plan_deeds(controller, deeds, seen.inventory.tools, seen.view)


def why(runner: Simulated, *deeds: Deed) -> str:
    """The reasons why deeds are refused."""
    made = planned(look(runner), *deeds)
    assert made.steps == ()
    return " ".join(denial.reason for denial in made.denials)


def allowed(seen: Survey, family: str, action: Action) -> str | None:
    """Why a command must not be run. It is not in the family's table, or names what was not read."""
    return outside(action, operations(family).SHAPES, known_words(seen.inventory, seen.view))


def run(runner: Simulated, family: str, action: Action) -> str | None:
    """Run a command; the tool's objection."""
    return operations(family).judge(action, runner.answer(action.request()))


def play(runner: Simulated, *deeds: Deed, back: bool = True) -> list[str]:
    """Carry out deeds as the engine does. Undo them and do them again; return the commands.

    Args:
        runner: The machine; it is changed.
        deeds: On one controller.
        back: Whether each step is undone once.
    """
    seen = look(runner)
    made = planned(seen, *deeds)
    assert made.denials == (), [denial.reason for denial in made.denials]
    family = deeds[0].object_id.partition(":")[0]
    for step in made.steps:
        _play(runner, family, step, back=back)
    return [str(step.action) for step in made.steps]


def _play(runner: Simulated, family: str, step: Step, *, back: bool) -> None:
    before = look(runner)
    assert step.kind == "deed"
    assert step.expects
    assert step.subjects
    assert moved(before, step.subjects) is None
    assert unmet(before, step.requires) == []
    assert unmet(before, step.expects), "it is so already"
    assert allowed(before, family, step.action) is None
    assert (step.way_back == "none") is step.undo.empty
    assert bool(step.no_way_back) is step.undo.empty
    _run(runner, family, step.action)
    assert unmet(look(runner), step.expects) == []
    if back and not step.undo.empty:
        assert allowed(look(runner), family, step.undo) is None
        _run(runner, family, step.undo)
        assert unmet(look(runner), step.undo_expects) == []
        assert step.undo_expects
        _run(runner, family, step.action)
        assert unmet(look(runner), step.expects) == []


def _run(runner: Simulated, family: str, action: Action) -> None:
    why = run(runner, family, action)
    assert why is None, (str(action), why)


def bays(family: str) -> Bays:
    """The simulator of a family."""
    found = [one for one in simulators(VENDORS) if one.__name__.partition(".")[0] == f"raidctl_{family}"]  # type: ignore[attr-defined] # a module
    return cast("Bays", found[0])


def every_deed(controller: Controller) -> Iterator[Deed]:
    """Every verb with every drive, volume and array of a controller."""
    volumes = [volume.id for volume in controller.volumes]
    arrays = [array.id for array in controller.arrays]
    for verb in VERBS:
        if verb in OWN:
            continue
        yield from (Deed(object_id=volume, verb=verb) for volume in volumes)
        for drive in controller.drives:
            targets: Sequence[str] = (controller.id, drive.id, *volumes, *arrays)
            for target in targets:
                yield Deed(object_id=target, verb=verb, drive=drive.id)
                yield Deed(object_id=target, verb=verb, drive=drive.id, replaces=drive.id)


def check_every_plan(seen: Survey, controller: Controller) -> int:
    """Plan every deed, check its commands, and return the number of steps. The table may have no other commands."""
    family = family_of(controller)
    found = 0
    for deed in every_deed(controller):
        made = operations(family).plan_deeds(controller, [deed], seen.inventory.tools, seen.view)
        assert all(denial.reason for denial in made.denials)
        for step in made.steps:
            found += 1
            for action in (step.action, step.undo):
                assert action.empty or allowed(seen, family, action) is None, (deed, str(action))
            assert (step.way_back == "none") is step.undo.empty, step
            assert step.undo.empty is (step.no_way_back is not None)
            assert step.subjects
            assert step.expects
            assert step.action.timeout <= 60
            assert step.action.lock == family
    return found
