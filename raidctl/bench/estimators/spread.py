"""The median of rounds, ratios of paired rounds, minimum data for both. The median has a 95% interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raidctl.bench.estimators.figures import finite, median, spread
from raidctl.bench.result import Spread

SHORTEST_SECONDS = 0.5
"""Shorter phases give no figure (`n/a`)."""
MIN_OPERATIONS = 300
DRIFT = 0.20
"""Maximum relative difference between the first test and its final repetition."""
EXACT_UP_TO = 1000
CONFIDENCE = 0.95


def ranks(n: int) -> tuple[int, int] | None:
    """Indices (from 0) of the order statistics that enclose the median. They do so with 95%; None for n below 6.

    The chance that the median is below the k-th smallest of n is that of fewer than k heads in n throws.
    """
    outside = (1 - CONFIDENCE) / 2
    if n > EXACT_UP_TO:
        low = max(0, math.floor(n / 2 - 1.96 * math.sqrt(n) / 2) - 1)
        return low, n - 1 - low
    below, best = 0, None
    for k in range(n // 2 + 1):
        below += math.comb(n, k)
        if below / 2**n > outside:
            break
        best = k
    return None if best is None else (best, n - 1 - best)


def of_rounds(values: Sequence[float], unit: str, n: int | None = None) -> Spread:
    """Median of rounds with its interval of order statistics. ``n``: the number of values."""
    ordered = sorted(finite(values))
    places = ranks(len(ordered))
    interval = (ordered[places[0]], ordered[places[1]]) if places else None
    return spread(median(ordered), unit, len(ordered) if n is None else n, interval, ordered)


def too_short(seconds: float, operations: int) -> bool:
    """Whether a phase is too short. The minimum is half a second, and 300 operations."""
    return not (seconds >= SHORTEST_SECONDS and operations >= MIN_OPERATIONS)


def paired_ratio(first: Sequence[float], second: Sequence[float]) -> Spread:
    """Median of second/first per round. Pairs without two positive figures are left out."""
    pairs = zip(first, second, strict=True)
    ratios = [b / a for a, b in pairs if len(finite((a, b))) == 2 and a > 0 and b > 0]
    return of_rounds(ratios, "ratio")


def drifted(first: float | None, last: float | None) -> bool | None:
    """Whether the same test differs by more than 20% at the end. None if either figure is unknown or 0."""
    if first is None or last is None or not (first > 0 and last > 0):
        return None
    return max(first, last) / min(first, last) - 1 > DRIFT


def overlap(first: Spread, second: Spread) -> bool | None:
    """Whether two runs agree within their intervals. None if one has no interval."""
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return None
    return first.low <= second.high and second.low <= first.high
