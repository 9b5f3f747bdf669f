"""Commits per second against the rotational limit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from raidctl.bench.result import Spread

Reading = Literal["waits_for_the_disk", "acknowledged_early", "unclear"]

WAITS_UP_TO = 1.05
"""Multiple of the rotational limit up to which commits wait for the medium."""
EARLY_FROM = 1.5
"""Multiple of the rotational limit from which commits are early. Between both the result is unclear."""


def limit(rpm: Spread) -> Spread:
    """The maximum number of commits per second: one per revolution."""
    return Spread(
        measured=None if rpm.measured is None else rpm.measured / 60,
        unit="ops/s",
        n=rpm.n,
        low=None if rpm.low is None else rpm.low / 60,
        high=None if rpm.high is None else rpm.high / 60,
    )


def judge(rate: Spread, rpm: Spread, *, rotating: bool | None) -> Reading:
    """Judge whether commits wait for the medium. A conclusion needs a medium known to rotate.

    The whole interval of the rate must be on one side of the limit, at the less favourable end of the interval of the
    speed.
    """
    most = limit(rpm)
    if not rotating or most.measured is None or rate.low is None or rate.high is None:
        return "unclear"
    low, high = most.low or most.measured, most.high or most.measured
    if rate.high <= WAITS_UP_TO * low:
        return "waits_for_the_disk"
    return "acknowledged_early" if rate.low >= EARLY_FROM * high else "unclear"


def intervals_ms(ends_ns: Sequence[int]) -> list[float]:
    """Milliseconds between successive completions, from which the speed is estimated."""
    return [(after - before) / 1e6 for before, after in pairwise(ends_ns)]
