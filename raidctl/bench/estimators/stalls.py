"""Find stalled operations and their period, as when a cache is flushed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from raidctl.bench.estimators.figures import median, spread
from raidctl.bench.estimators.spread import of_rounds
from raidctl.bench.result import Spread

TIMES_TYPICAL = 10.0
MIN_MS = 20.0
"""Minimum milliseconds of a stall. It also takes at least ten times the median."""
MIN_STALLS = 5
"""Minimum number of stalls for a period: four intervals."""
REGULAR = 0.15
"""Maximum relative difference of an interval from the period."""
MAX_MISSED = 3
"""Maximum number of periods in an interval. A stall without operations is not seen."""


@dataclass(frozen=True, kw_only=True)
class Stall:
    """Operations that stalled together."""

    start: float
    """Seconds after the beginning."""
    seconds: float
    """From the start of the first to the end of the last."""
    operations: int


def find(starts_ns: Sequence[int], latencies_ns: Sequence[int], threshold_ms: float | None = None) -> list[Stall]:
    """Stalls in order of time. Operations above the threshold that overlap are one stall."""
    if threshold_ms is None:
        typical = (median(latencies_ns) or 0.0) / 1e6
        threshold_ms = max(MIN_MS, TIMES_TYPICAL * typical)
    slow = sorted(
        (start, start + wait) for start, wait in zip(starts_ns, latencies_ns, strict=True) if wait >= threshold_ms * 1e6
    )
    stalls: list[tuple[int, int, int]] = []
    for start, end in slow:
        if stalls and start <= stalls[-1][1]:
            first, last, count = stalls[-1]
            stalls[-1] = (first, max(last, end), count + 1)
        else:
            stalls.append((start, end, 1))
    return [Stall(start=first / 1e9, seconds=(last - first) / 1e9, operations=n) for first, last, n in stalls]


def longest(stalls: Sequence[Stall]) -> Stall | None:
    """The longest stall; None if there is none."""
    return max(stalls, key=lambda stall: stall.seconds, default=None)


def period(stalls: Sequence[Stall]) -> Spread:
    """Seconds between regular stalls; without a value if they are irregular or too few.

    Stalls are timed by their ends: an operation may begin any time before it stalls.
    """
    ends = [stall.start + stall.seconds for stall in stalls]
    gaps = [after - before for before, after in pairwise(ends)]
    if len(stalls) < MIN_STALLS or min(gaps) <= 0:
        return spread(None, "s", len(stalls))
    shortest = sorted(gaps)[len(gaps) // 4]
    counts = [max(1, round(gap / shortest)) for gap in gaps]
    turns = [gap / count for gap, count in zip(gaps, counts, strict=True)]
    typical = median(turns) or 0.0
    off = [abs(gap - count * typical) for gap, count in zip(gaps, counts, strict=True)]
    if max(counts) > MAX_MISSED or max(off) > REGULAR * typical or counts.count(1) * 2 < len(counts):
        return spread(None, "s", len(stalls))
    return of_rounds(turns, "s", len(stalls))
