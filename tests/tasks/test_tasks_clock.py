"""The clock of a watch."""

from __future__ import annotations

import time

import pytest

from raidctl.tasks.watch import SLEEP_SECONDS, SystemClock


def test_no_single_sleep_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Ctrl-C right before a sleep of 30 seconds is noticed after half a second."""
    slept: list[float] = []
    monkeypatch.setattr(time, "monotonic", lambda: sum(slept))
    monkeypatch.setattr(time, "sleep", slept.append)
    SystemClock().sleep(30)
    assert sum(slept) == pytest.approx(30)
    assert max(slept) <= SLEEP_SECONDS
