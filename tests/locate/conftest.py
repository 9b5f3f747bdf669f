"""Command lines on simulated machines, with a clock that the test controls."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from raidctl.vendor.simulator import State


class Clock:
    """Replaces the wait of ``raidctl locate``: scheduled events happen at once."""

    def __init__(self) -> None:
        self.waited: list[float] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def sleep(self, seconds: float) -> None:
        """Let the time pass."""
        self.waited.append(seconds)
        self.meanwhile()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock without real time."""
    found = Clock()
    monkeypatch.setattr("raidctl.cli.locate.on.sleep", found.sleep)
    return found


@pytest.fixture
def state(tmp_path: Path) -> Callable[[str], State]:
    """The current settings of a simulated machine."""

    def read(demo: str) -> State:
        found: State = json.loads((tmp_path / "state" / "demo" / demo / "settings.json").read_bytes())
        return found

    return read
