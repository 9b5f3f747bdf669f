"""Simulated machines with locate LEDs."""

from __future__ import annotations

from pathlib import Path

from raidctl.recording.recording import load
from raidctl.simulation.demo import simulators
from raidctl.simulation.runner import Simulated
from raidctl.vendor.registry import vendors

ROOT = Path(__file__).resolve().parents[2]

VENDORS = vendors()[0]


def simulated(machine: str, place: Path) -> Simulated:
    """A recorded machine whose LEDs can be switched."""
    return Simulated(load(ROOT / "fixtures" / machine), simulators(VENDORS), place / "settings.json")
