"""The recorded machines of ``fixtures/``: each folder is a machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from raidctl.recording.recording import Recording, load
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import families_that_count_redundancy, vendors

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
MACHINES = sorted(path.parent.name for path in FIXTURES.glob("*/record.json"))
COUNTING = families_that_count_redundancy(vendors()[0])
"""Families whose number of further failures the core takes as it is."""


@cache
def recording(machine: str) -> Recording:
    """The recording of a machine by its folder's name."""
    return load(FIXTURES / machine)


@cache
def replayed(machine: str) -> Survey:
    """What raidctl makes of a recorded machine."""
    found, problems = vendors()
    kept = recording(machine)
    when = kept.manifest.collected_at
    return survey(ReplayRunner(kept), found, source=f"replay:{machine}", collected_at=when, problems=problems)
