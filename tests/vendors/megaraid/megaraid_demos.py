"""The family's simulated machines, with the settings that a test needs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from raidctl.model import Controller, Tool
from raidctl.request import Run, RunAnswer
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import survey
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.registry import vendors

VENDORS = vendors()[0]
DEMOS = ("9271", "h730", "9660", "perc5i")


def simulated(name: str, place: Path, changes: Mapping[str, str] | None = None) -> Simulated:
    """A simulated machine; ``changes`` are settings without the leading ``megaraid 0/``."""
    found = machine(name, VENDORS, place)
    if changes:
        found.keep(found.state() | {f"megaraid 0/{key}": value for key, value in changes.items()})
    return found


def seen(found: Simulated) -> tuple[Controller, list[Tool]]:
    """Its controller in its current state, and the tools that were used."""
    inventory = survey(found, VENDORS).inventory
    [controller] = [item for item in inventory.controllers if item.id.startswith("megaraid:")]
    return controller, list(inventory.tools)


def controller_of(name: str, place: Path, changes: Mapping[str, str] | None = None) -> Controller:
    """The controller of a simulated machine."""
    return seen(simulated(name, place, changes))[0]


def desired(where: str, setting: Setting, value: str) -> Desired:
    """A desired setting; ``where`` is ``v0``, or empty for the controller."""
    return Desired(object_id=f"megaraid:0/{where}" if where else "megaraid:0", setting=setting, value=value)


def run(found: Simulated, *argv: str) -> RunAnswer:
    """The reply to a command that changes something."""
    answer = found.answer(Run(argv, changes=True))
    assert isinstance(answer, RunAnswer)
    return answer
