"""Simulated machines and command lines for the tests of changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.vendor.registry import vendors
from tests.change.real_machine import Machine, machines


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the tools of other tests. Their command lines could be equal to ours."""
    (tmp_path / "processes").mkdir()
    monkeypatch.setattr("raidctl.change.still_running.PROCESSES", tmp_path / "processes")


@pytest.fixture
def p400(tmp_path: Path) -> Simulated:
    """A simulated P400: RAID-5, caching on, 25/75, two good batteries."""
    return machine("p400", vendors()[0], tmp_path / "p400")


@pytest.fixture
def on(tmp_path: Path) -> Iterator[Callable[[str], Machine]]:
    """Make a machine of a demo, with its tools on PATH. Remaining processes are killed at the end."""
    yield from machines(tmp_path)
