"""Order statistics, straight lines and fixed-seed resampling, shared by the estimators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from raidctl.bench.result import Spread

SEED = 20030601
"""Seed of every resampling unless the caller gives another."""
ROUNDS = 200
"""Number of bootstrap draws. The ends of a 95% interval are the 5th value from either side."""
HUGE = 1e100
"""Limit above which values count as not finite. It keeps sums of squares from overflowing."""


def finite(values: Iterable[float]) -> list[float]:
    """The finite values: not NaN, not infinite, not implausibly large."""
    return [float(value) for value in values if -HUGE < value < HUGE]


def median(values: Iterable[float]) -> float | None:
    """The median; None without values."""
    ordered = sorted(finite(values))
    return quantile(ordered, 0.5) if ordered else None


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the sorted ``ordered`` lies, interpolated.

    ``share`` is 0 to 1, and ``ordered`` is not empty.
    """
    place = min(max(share, 0.0), 1.0) * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def deviation(values: Sequence[float]) -> float:
    """Standard deviation from the median absolute deviation (times 1.4826).

    It is robust to outliers, and 0 without values.
    """
    middle = median(values)
    if middle is None:
        return 0.0
    return 1.4826 * (median(abs(value - middle) for value in values) or 0.0)


@dataclass(frozen=True)
class Line:
    """A straight line through points."""

    slope: float
    intercept: float
    residual: float
    """Sum of squared distances."""
    r2: float
    """Share of the variance explained, 0 to 1; 0 if nothing varies."""


def line(xs: Sequence[float], ys: Sequence[float], weights: Sequence[float] | None = None) -> Line | None:
    """Least-squares line; None with fewer than two different ``xs``."""
    weights = weights or [1.0] * len(xs)
    total = math.fsum(weights)
    if len(xs) < 2 or total <= 0:
        return None
    x_mean = math.fsum(w * x for w, x in zip(weights, xs, strict=True)) / total
    y_mean = math.fsum(w * y for w, y in zip(weights, ys, strict=True)) / total
    x_spread = math.fsum(w * (x - x_mean) ** 2 for w, x in zip(weights, xs, strict=True))
    if x_spread <= 0 or max(xs) - min(xs) <= 1e-12 * max(abs(x) for x in xs):
        return None
    product = math.fsum(w * (x - x_mean) * (y - y_mean) for w, x, y in zip(weights, xs, ys, strict=True))
    slope = product / x_spread
    intercept = y_mean - slope * x_mean
    rest = math.fsum(w * (y - intercept - slope * x) ** 2 for w, x, y in zip(weights, xs, ys, strict=True))
    y_spread = math.fsum(w * (y - y_mean) ** 2 for w, y in zip(weights, ys, strict=True))
    explained = 1 - rest / y_spread if y_spread > 0 else 0.0
    return Line(slope, intercept, rest, min(max(explained, 0.0), 1.0))


def chance(seed: int = SEED) -> Random:
    """A random generator with a fixed seed."""
    return Random(seed)  # noqa: S311 - resampling wants a fixed seed, not a secret


def bootstrap(
    draw: Callable[[Random], float | None], seed: int = SEED, rounds: int = ROUNDS
) -> tuple[float, float] | None:
    """The 95% interval of ``draw`` on resampled data. None if fewer than half of the draws gave a value."""
    source = chance(seed)
    drawn = [value for value in (draw(source) for _ in range(rounds)) if value is not None]
    ordered = sorted(finite(drawn))
    if len(ordered) * 2 < rounds:
        return None
    return quantile(ordered, 0.025), quantile(ordered, 0.975)


def spread(
    measured: float | None, unit: str, n: int, interval: tuple[float, float] | None = None, values: Sequence[float] = ()
) -> Spread:
    """A figure with its interval, which always contains the figure. Without a figure, there is no interval."""
    if measured is None:
        return Spread(measured=None, unit=unit, n=n)
    low, high = (min(interval[0], measured), max(interval[1], measured)) if interval else (None, None)
    lowest, highest = (min(values), max(values)) if values else (None, None)
    return Spread(measured=measured, unit=unit, n=n, low=low, high=high, min=lowest, max=highest)
