"""Commits a second against the rotational limit: one stream rewriting one block cannot beat the speed of the disk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

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


def intervals_ms(ends_ns: Sequence[int]) -> list[float]:
    """Milliseconds between successive ends, from which the speed is estimated."""
    return [(after - before) / 1e6 for before, after in pairwise(ends_ns)]
