"""Deeds on the family's simulated machines. Each is planned, run as the engine runs it, and read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from raidctl.change.expectations import known_words, moved, unmet
from raidctl.model import Controller, Drive
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Action, Deed, Plan, Step, Verb
from raidctl.vendor.shapes import outside
from raidctl_megaraid import operate
from raidctl_megaraid.operate import VERBS
from tests.support.readings import READINGS
from tests.vendors.megaraid.megaraid_demos import VENDORS, run, simulated

CONTROLLER = "megaraid:0"


class Bench:
    """A simulated machine with a log of the commands that changed it."""

    def __init__(self, name: str, place: Path) -> None:
        self.machine: Simulated = simulated(name, place)
        self.argvs: list[str] = []
        self.replies: list[str] = []
        self.recorded = f"{name}, of the family"

    def read(self) -> Survey:
        """Read the machine; each state is read once."""
        return READINGS.of(self.recorded, self.machine.state(), self.machine, VENDORS, "local")

    def controller(self) -> Controller:
        """The controller in its current state."""
        [found] = [one for one in self.read().inventory.controllers if one.id == CONTROLLER]
        return found

    def drive(self, bay: str) -> Drive:
        """The drive in a bay."""
        return next(drive for drive in self.controller().drives if drive.id == f"{CONTROLLER}/{bay}")

    def status(self, volume: str = "v0") -> str:
        """The status of a volume."""
        return next(one.status for one in self.controller().volumes if one.id == f"{CONTROLLER}/{volume}")

    def plan(
        self, verb: Verb, where: str = "", bay: str | None = None, successor: str | None = None, part: str | None = None
    ) -> Plan:  # fmt: skip
        """The plan of a deed. ``where`` is ``v0``, a bay, or empty for the controller."""
        seen = self.read()
        deed = Deed(
            object_id=f"{CONTROLLER}/{where}" if where else CONTROLLER, verb=verb,
            drive=f"{CONTROLLER}/{bay}" if bay else None,
            successor=f"{CONTROLLER}/{successor}" if successor else None, part=part,
        )  # fmt: skip
        return operate.plan_deeds(self.controller(), [deed], list(seen.inventory.tools), seen.view)

    def do(
        self, verb: Verb, where: str = "", bay: str | None = None, successor: str | None = None, part: str | None = None
    ) -> list[str]:  # fmt: skip
        """Carry out a deed as the engine does. Return its commands without tool and controller."""
        plan = self.plan(verb, where, bay, successor, part)
        assert not plan.denials, plan.denials
        for step in plan.steps:
            self.carry_out(step, step.action)
            assert not unmet(self.read(), step.expects), step
        return [words(step.action) for step in plan.steps]

    def undo(self, step: Step) -> None:
        """Undo a step and check what is expected afterwards."""
        self.carry_out(step, step.undo)
        assert not unmet(self.read(), step.undo_expects), step

    def carry_out(self, step: Step, action: Action) -> None:
        """Run a command that is in the table on the planned object. The tool must not reject it."""
        seen = self.read()
        assert moved(seen, step.subjects) is None
        assert outside(action, operate.SHAPES, known_words(seen.inventory, seen.view)) is None
        for saved in step.saves:
            assert self.machine.answer(saved.action.request(reading=True)).trouble is None
        answer = run(self.machine, *action.argv)
        self.argvs.append(" ".join(action.argv))
        self.replies.append(answer.text)
        assert operate.judge(action, answer) is None, answer.text


def words(action: Action) -> str:
    """``/e32/s5 set offline``, ``-PDOffline -PhysDrv[8:1]``: a command without tool, controller and log options."""
    found = [word for word in action.argv[1:] if word not in ("nolog", "J", "-NoLog", "-a0")]
    return " ".join(found).removeprefix("/c0")


def everything(controller: Controller) -> Iterator[Deed]:
    """Every deed on every object of a controller, possible or not."""
    drives = [drive.id for drive in controller.drives][:12]
    for verb in VERBS:
        yield from (Deed(object_id=volume.id, verb=verb) for volume in controller.volumes)
        yield from (Deed(object_id=drive, verb=verb) for drive in drives)
        for drive in drives:
            targets = [controller.id, *(volume.id for volume in controller.volumes[:2])]
            yield from (Deed(object_id=one, verb=verb, drive=drive, successor=drives[-1]) for one in targets)
