"""Simulated controllers with bays. There is a demo of each, with a drive that may be replaced.

A family takes part by the names of its demos in :data:`DEMOS`; everything else is found in its tool's output.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache
from pathlib import Path

import pytest

from raidctl.health.redundancy import below
from raidctl.model import Controller, Drive, Volume
from raidctl.operate.boot_loader import Surroundings
from raidctl.operate.first_facts_behind import facts_behind
from raidctl.operate.removal import check
from raidctl.simulation.demo import machine
from raidctl.survey.survey import Survey
from raidctl.vendor.unreported import unreported
from tests.change.md_machine import VENDORS, Bench
from tests.operate.replacements import Replacement, replacing

DEMOS = ("p400", "p440", "gen10", "h730", "perc5i", "6805", "9690", "1882")
"""Demos whose simulators have bays."""
QUICK = ("p440", "6805")
every = pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in DEMOS]
)
"""A test for each demo. The quick run has two: the others differ in nothing that depends on the Python."""
NOT_TAKEN_BACK = ("h730", "perc5i")
"""Demos whose controllers do not take a former member back automatically, but list it as bad."""
INCOMPLETE = {"perc5i": "8:1"}
"""Demos with an array that lacks a drive. The value is the failed one's bay, which is exchanged first."""
DARK = ("9690",)
"""Demos in which nothing blinks, as the tool no longer lists the drive."""
SILENT = ("1882",)
"""Demos whose tools cannot report an expected failure of a drive."""
PULLED, PUSHED, LATER = 50.0, 100.0, 40_000.0
"""Seconds after which a person pulls a drive, and puts one in. Any rebuild is over by then."""


@dataclass
class ControllerReplacement(Replacement):
    """A controller, and the replacement of one of its drives."""

    controller: str
    volume: str
    old: Drive
    known: tuple[str | None, ...] = ()
    """Serial numbers of the drives at the beginning."""

    @property
    def bay(self) -> str:
        """The bay of the drive that leaves, as the simulator names it."""
        return self.old.id.removeprefix(f"{self.controller}/")

    def now(self) -> tuple[Controller, Volume]:
        """The controller and the volume as the tool prints them now."""
        controller = next(one for one in self.bench.look().inventory.controllers if one.id == self.controller)
        return controller, next(one for one in controller.volumes if one.id == self.volume)

    def others(self) -> list[Drive]:
        """The other members of the array."""
        controller, volume = self.now()
        return [one for one in below(controller, volume) if one.serial != self.old.serial]

    def new(self) -> Drive | None:
        """The drive that was put in, if it is there."""
        controller, _ = self.now()
        return next(
            (one for one in controller.drives if one.serial not in self.known and "ZC1N" in (one.serial or "")), None
        )

    # --- a person's hands

    def pull(self, bay: str | None = None) -> None:
        """Take the old drive out now, or that of another bay."""
        self.bench.machine.pull(bay or self.bay)

    def push(self, kind: str = "like", bay: str | None = None, serial: str | None = None) -> None:
        """Put a drive in now."""
        self.bench.machine.insert(bay or self.bay, serial, kind)  # type: ignore[arg-type]  # one of the kinds

    def hands(self, kind: str = "like", *, at: float = 0.0) -> None:
        """A person pulls the old drive, and puts a new one in."""
        self.bench.moments = [
            (at + PULLED, self.pull),
            (at + PUSHED, lambda: self.push(kind)),
        ]

    def run(self) -> None:
        """The whole replacement, from the first plan to the end."""
        self.replacing.run(self.start())


def replacement_on(name: str, place: Path) -> ControllerReplacement:
    """The machine of a demo. Any rebuild that was under way is over, and a drive that may be pulled is chosen."""
    place.mkdir(parents=True, exist_ok=True)
    bench = Bench(place, machine(name, VENDORS, place), recorded=name)
    if name in INCOMPLETE:
        bench.machine.pull(INCOMPLETE[name])
        bench.machine.insert(INCOMPLETE[name])
    bench.machine.pass_time(LATER)
    return of_drive(bench, *_chosen(name, bench.look()))


def of_drive(bench: Bench, controller: str, volume: str, drive: str) -> ControllerReplacement:
    """The replacement of a drive, given by ids."""
    seen = bench.look()
    found = next(one for one in seen.inventory.controllers if one.id == controller)
    old = next(one for one in found.drives if one.id == drive)
    facts = facts_behind(seen, found, old)
    known = tuple(one.serial for one in found.drives)
    return ControllerReplacement(bench, replacing(bench, facts), controller, volume, old, known)


_CHOSEN: dict[str, tuple[str, str, str]] = {}


def _chosen(name: str, seen: Survey) -> tuple[str, str, str]:
    """Ids of a controller, a volume and a pullable member of it. Every test of a machine gets the same ones."""
    if name not in _CHOSEN:
        _CHOSEN[name] = next(
            (one.id, volume.id, drive.id)
            for one in seen.inventory.controllers if one.mode not in ("software", "none")
            for volume in one.volumes if volume.failures_tolerated and volume.status == "ok"
            for drive in reversed(below(one, volume))
            if drive.serial and may_be_pulled(seen, drive.id)
        )  # fmt: skip
    return _CHOSEN[name]


@cache
def around() -> Surroundings:
    """The facts that the families declare as unreported."""
    return Surroundings(unreported=unreported(VENDORS))


def may_be_pulled(seen: Survey, drive: str) -> bool:
    """Whether no guard refuses it."""
    return check(seen.inventory, seen.view, drive, datetime.now(timezone.utc), around()).verdict == "yes"
