"""What the estimators share: order statistics, straight lines, and resampling with a fixed seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from raidctl.bench.result import Spread

SEED = 20030601
"""Seed of every resampling, unless the caller names another one."""
ROUNDS = 200
"""How often the bootstrap draws; the ends of a 95 % interval are then the 5th value from either side."""
HUGE = 1e100
"""Nothing measured is larger: what is, counts as not finite, so that no sum of squares can overflow."""


def finite(values: Iterable[float]) -> list[float]:
    """Those that are numbers: not NaN, not infinite, not beyond anything that can be measured."""
    return [float(value) for value in values if -HUGE < value < HUGE]


def median(values: Iterable[float]) -> float | None:
    """The middle one (the mean of the two middle ones); None where there are none."""
    ordered = sorted(finite(values))
    return quantile(ordered, 0.5) if ordered else None


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` (0 to 1) of sorted, not empty ``ordered`` lies; between two, interpolated."""
    place = min(max(share, 0.0), 1.0) * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def deviation(values: Sequence[float]) -> float:
    """Standard deviation by the median distance to the median (times 1.4826): deaf to single outliers; 0 of none."""
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
    """Share of the variance that it explains, 0 to 1; 0 where nothing varies."""


def line(xs: Sequence[float], ys: Sequence[float], weights: Sequence[float] | None = None) -> Line | None:
    """Least squares; None with fewer than two different ``xs``."""
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
    """Numbers that only look random: the same each time."""
    return Random(seed)  # noqa: S311 - resampling wants a fixed seed, not a secret


def bootstrap(
    draw: Callable[[Random], float | None], seed: int = SEED, rounds: int = ROUNDS
) -> tuple[float, float] | None:
    """The 95 % interval of what ``draw`` gives on resampled data; None where fewer than half of the draws gave it."""
    source = chance(seed)
    drawn = [value for value in (draw(source) for _ in range(rounds)) if value is not None]
    ordered = sorted(finite(drawn))
    if len(ordered) * 2 < rounds:
        return None
    return quantile(ordered, 0.025), quantile(ordered, 0.975)


def spread(
    measured: float | None, unit: str, n: int, interval: tuple[float, float] | None = None, values: Sequence[float] = ()
) -> Spread:
    """A figure with its interval, which always holds the figure; without a figure there is no interval either."""
    if measured is None:
        return Spread(measured=None, unit=unit, n=n)
    low, high = (min(interval[0], measured), max(interval[1], measured)) if interval else (None, None)
    lowest, highest = (min(values), max(values)) if values else (None, None)
    return Spread(measured=measured, unit=unit, n=n, low=low, high=high, min=lowest, max=highest)
