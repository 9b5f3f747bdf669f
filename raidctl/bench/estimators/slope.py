"""Whether a flush empties a cache, by flush times per MiB written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from raidctl.bench.estimators.figures import HUGE, SEED, bootstrap, line, spread
from raidctl.bench.result import Spread

FLUSHED_FROM = 0.2
"""Share of the destage slope above which a flush empties the cache. That slope is of a cache that empties at the
destage rate."""
KEPT_BELOW = 0.05
"""Below this share the flush leaves the cache as it is."""
EXPLAINED = 0.8
"""Minimum share of the variance that the line explains. It is required for a flush that empties a cache."""
MIN_POINTS = 6

Reading = Literal["flushed", "kept", "unclear"]


@dataclass(frozen=True, kw_only=True)
class FlushSlope:
    """The line through (MiB written, milliseconds of the flush)."""

    slope: Spread
    """ms/MiB; 0 within its interval if a flush costs nothing."""
    base: float | None
    """Milliseconds of a flush with nothing written before it."""
    r2: float | None
    """Share of the variance explained by the line."""


def fit(points: Sequence[tuple[float, float]], seed: int = SEED) -> FlushSlope:
    """The line through points of (MiB dirty, ms). Its interval is found by resampling the points."""
    good = [(x, y) for x, y in points if -HUGE < x < HUGE and -HUGE < y < HUGE]
    whole = line([x for x, _ in good], [y for _, y in good]) if len(good) >= MIN_POINTS else None
    if whole is None:
        return FlushSlope(slope=spread(None, "ms/MiB", len(good)), base=None, r2=None)

    def draw(source: Random) -> float | None:
        drawn = source.choices(good, k=len(good))
        found = line([x for x, _ in drawn], [y for _, y in drawn])
        return found.slope if found else None

    interval = _widened(whole.slope, bootstrap(draw, seed), len(good))
    return FlushSlope(slope=spread(whole.slope, "ms/MiB", len(good), interval), base=whole.intercept, r2=whole.r2)


def _widened(value: float, interval: tuple[float, float] | None, count: int) -> tuple[float, float] | None:
    """Widen the interval of a few resampled points. The factor uses degrees of freedom and Student's t."""
    if interval is None:
        return None
    free = count - 2
    factor = math.sqrt(count / free) * (1 + 1.21 / free)
    return value - factor * (value - interval[0]), value + factor * (interval[1] - value)


def judge(found: FlushSlope, destage: float | None) -> Reading:
    """Judge the effect of a flush on a cache. The cache empties at ``destage`` MiB/s."""
    slope = found.slope
    if destage is None or not 0 < destage < HUGE or slope.low is None or slope.high is None:
        return "unclear"
    full = 1000 / destage
    # a flush cannot take less time with more dirty data: the interval must contain or adjoin 0
    if slope.high < KEPT_BELOW * full and slope.low > -FLUSHED_FROM * full:
        return "kept"
    return "flushed" if slope.low > FLUSHED_FROM * full and (found.r2 or 0.0) > EXPLAINED else "unclear"


def still_dirty(written: float, seconds: float, destage: float) -> float:
    """MiB left in a cache that emptied while it was written.

    It emptied at ``destage`` MiB/s; the result is 0 or more.
    """
    return max(0.0, written - max(0.0, seconds) * max(0.0, destage))
