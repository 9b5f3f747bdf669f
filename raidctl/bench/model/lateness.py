"""Measure how late replies are sent: an overloaded host looks like a slow array."""

from __future__ import annotations

import os
from typing import TypedDict

from raidctl.bench.estimators.histogram import Histogram

LATE_MS = 2.0
MAX_LATE = 0.05
"""Maximum share of answers more than 2 ms late. Above it the figures are the host's, not the model's."""
MAX_LOST = 0.02
"""Maximum share of time lost in stalls of the host."""


def raise_priority() -> bool:
    """Ask the kernel for high scheduling priority; return whether it was granted."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        return False
    return True


class Report(TypedDict):
    """Status of a model's timekeeping."""

    answers: int
    p50_ms: float
    p99_ms: float
    worst_ms: float
    late: float
    """Share of the answers that were more than 2 ms late."""
    lost: float
    """Share of time in which the host stalled."""
    host_too_slow: bool
    client_p50_ms: float
    """Time from a reply to the client's next request. The client has no other requests."""
    client_p99_ms: float


class Lateness:
    """Collect the lateness of answers since the last reset."""

    def __init__(self, now: float) -> None:
        """``now``: seconds."""
        self.reset(now)

    def reset(self, now: float) -> None:
        """Reset."""
        self._begin = now
        self._histogram = Histogram(7)
        self._count = self._late = 0
        self._lost = 0.0
        self._waiting: list[int] = []
        self._clients = Histogram(7)
        self._thinking: list[int] = []

    def add(self, late: float, lost: float) -> None:
        """Record a reply ``late`` seconds after it was due. ``lost`` seconds of these cannot be recovered."""
        self._count += 1
        self._late += late * 1000 > LATE_MS
        self._lost += lost
        self._waiting.append(max(0, int(late * 1e9)))
        if len(self._waiting) >= 4096:
            self._flush()

    def record_client_time(self, seconds: float) -> None:
        """Record a client's time from its last answer to its next request."""
        self._thinking.append(max(0, int(seconds * 1e9)))
        if len(self._thinking) >= 4096:
            self._flush()

    def report(self, now: float) -> Report:
        """The status since the last reset. Without answers, the host is not too slow."""
        self._flush()
        late = self._late / self._count if self._count else 0.0
        lost = self._lost / max(now - self._begin, 1e-9)
        middle, high = self._histogram.quantile(0.5) or 0, self._histogram.quantile(0.99) or 0
        return Report(
            answers=self._count,
            p50_ms=middle / 1e6,
            p99_ms=high / 1e6,
            worst_ms=(self._histogram.worst or 0) / 1e6,
            late=late,
            lost=lost,
            host_too_slow=late > MAX_LATE or lost > MAX_LOST,
            client_p50_ms=(self._clients.quantile(0.5) or 0) / 1e6,
            client_p99_ms=(self._clients.quantile(0.99) or 0) / 1e6,
        )

    def _flush(self) -> None:
        self._histogram.add(self._waiting)
        self._waiting.clear()
        self._clients.add(self._thinking)
        self._thinking.clear()
