"""Commits a second against the rotational limit: one stream rewriting one block cannot beat the speed of the disk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from raidctl.bench.estimators.spread import of_rounds, too_short
from raidctl.bench.result import Spread

Reading = Literal["waits_for_the_disk", "acknowledged_early", "unclear"]

WAITS_UP_TO = 1.05
EARLY_FROM = 1.5
"""Times the rotational limit; between the two nothing follows."""


def limit(rpm: Spread) -> Spread:
    """The most commits a second that a disk of that speed can make: one a revolution."""
    return Spread(
        measured=None if rpm.measured is None else rpm.measured / 60,
        unit="ops/s",
        n=rpm.n,
        low=None if rpm.low is None else rpm.low / 60,
        high=None if rpm.high is None else rpm.high / 60,
    )


def judge(rate: Spread, rpm: Spread, *, rotating: bool | None) -> Reading:
    """Whether one stream of commits waits for the disk; only on a medium that is proven to rotate does more follow.

    The whole interval of the rate must be on one side, against the less telling end of the interval of the speed.
    """
    most = limit(rpm)
    if not rotating or most.measured is None or rate.low is None or rate.high is None:
        return "unclear"
    low, high = most.low or most.measured, most.high or most.measured
    if rate.high <= WAITS_UP_TO * low:
        return "waits_for_the_disk"
    return "acknowledged_early" if rate.low >= EARLY_FROM * high else "unclear"


def rate(ends_ns: Sequence[Sequence[int]], windows: int | None = None) -> Spread:
    """Commits a second of several phases, each given by the ends of its commits (ns, ascending).

    Each phase is cut into ``windows`` of equally many commits (None: into as many as make twelve in all), so that few
    phases, or one, still have an interval.
    """
    total = sum(max(0, len(ends) - 1) for ends in ends_ns)
    if not ends_ns or any(len(ends) < 2 or too_short((ends[-1] - ends[0]) / 1e9, len(ends) - 1) for ends in ends_ns):
        return Spread(measured=None, unit="ops/s", n=total)
    windows = windows or max(2, -(-12 // len(ends_ns)))
    rates = []
    for ends in ends_ns:
        marks = [round(part * (len(ends) - 1) / windows) for part in range(windows + 1)]
        rates += [
            (after - before) * 1e9 / (ends[after] - ends[before])
            for before, after in pairwise(marks)
            if ends[after] > ends[before]
        ]
    return of_rounds(rates, "ops/s", total)


def intervals_ms(ends_ns: Sequence[int]) -> list[float]:
    """Milliseconds between neighbouring ends: what the speed is told from."""
    return [(after - before) / 1e6 for before, after in pairwise(ends_ns)]
