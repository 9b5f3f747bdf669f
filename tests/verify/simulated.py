"""A simulated machine whose controller's policy is switched, and its journal."""

from __future__ import annotations

import json
from pathlib import Path

from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.switcher import Switcher
from raidctl.model import Inventory
from raidctl.verify.kernel import Kernel
from raidctl.verify.subjects import CheckedMachine, Subject, named


def at(place: Path, demo: str = "9271") -> Settings:
    """The options of a simulated machine with an empty state directory."""
    found = Settings()
    found.demo, found.state_dir = demo, str(place / "state")
    return found


def seen(settings: Settings) -> Inventory:
    """The current machine."""
    with machine(settings) as here:
        return here.survey().inventory


def policy(place: Path) -> str | None:
    """The active write policy of the one volume."""
    [controller] = seen(at(place)).controllers
    cache = controller.volumes[0].cache
    return cache.write_active if cache else None


def subject(settings: Settings, name: str) -> tuple[CheckedMachine, Subject]:
    """A volume of the machine."""
    with machine(settings) as here:
        known = CheckedMachine(here.survey(), Kernel())
    [found] = named(known, [name])
    return known, found


def switcher(place: Path) -> Switcher:
    """Of the one volume of the simulated machine."""
    return Switcher(at(place), subject(at(place), "/dev/sda")[1])


def results(place: Path) -> list[str]:
    """How the changes in the journal ended."""
    text = (place / "state" / "demo" / "9271" / "journal.jsonl").read_text(encoding="utf-8")
    return [entry["result"] for line in text.splitlines() if "result" in (entry := json.loads(line))]
