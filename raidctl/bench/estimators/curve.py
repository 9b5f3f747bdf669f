"""Search for a step in a sloping curve. One smooth curve is tested against it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from raidctl.bench.estimators.figures import deviation, line, median

REACH = 5
"""Points on each side that are used to find a step."""
MIN_NOISE = 1e-3
"""Minimum noise as a share of the level. It keeps rounding from being taken for a step."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """The clearest upward step in a curve."""

    at: int
    """Index of the first point after the step."""
    jump: float
    """Height, without the slope of the curve."""
    p: float
    """Probability that noise alone makes such a step anywhere in the curve."""


def change_point(values: Sequence[float]) -> Change | None:
    """The clearest upward step in equally spaced values. None with fewer than 16.

    At each position, a line is fitted to the points on either side; the jump between the lines is compared with the
    noise, estimated from second differences, which slopes do not affect. All positions tried count (Bonferroni), and
    the tail is that of Student's t, since the noise is not known exactly.
    """
    if len(values) < 16:
        return None
    # second differences of independent noise have 6 times its variance
    twice = [a - 2 * b + c for a, b, c in zip(values, values[1:], values[2:], strict=False)]
    level = abs(median(values) or 0.0)
    noise = max(deviation(twice) / math.sqrt(6), MIN_NOISE * level, 1e-30)
    best, at = -math.inf, 0
    for place in range(REACH, len(values) - REACH + 1):
        jump = _jump(values, place)
        if jump > best:
            best, at = jump, place
    # the end of a line through n points has the variance (4n-2)/(n(n+1)); half a step further it is a little more
    error = noise * math.sqrt(2 * _edge_variance(REACH))
    tried = len(values) - 2 * REACH + 1
    p = min(1.0, tried * _tail(best / error, len(values) // 3))
    return Change(at=at, jump=best, p=p)


def _jump(values: Sequence[float], place: int) -> float:
    left = line(range(-REACH, 0), values[place - REACH : place])
    right = line(range(REACH), values[place : place + REACH])
    if left is None or right is None:
        return 0.0
    return (right.intercept - right.slope / 2) - (left.intercept - left.slope / 2)


def _edge_variance(n: int) -> float:
    """Variance of a fitted line half a step outside its points. There are n points, and the noise has variance 1."""
    distance = n / 2
    return 1 / n + distance**2 * 12 / (n * (n * n - 1))


def _tail(t: float, freedom: int) -> float:
    """Probability that Student's t exceeds ``t``, by Wallace's normal approximation. Accurate to a few percent."""
    if t <= 0:
        return 0.5
    z = math.sqrt(freedom * math.log1p(t * t / freedom)) * (1 - 3 / (8 * freedom + 3)) if freedom > 1 else 0.0
    return 0.5 * math.erfc(z / math.sqrt(2))


def parabola(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Sum of squared distances to the best parabola. None with fewer than four points."""
    straight = line(xs, ys)
    if straight is None or len(xs) < 4:
        return None
    # the residual of y after a straight line, against that of x squared
    middle = math.fsum(xs) / len(xs)
    squares = [(x - middle) ** 2 for x in xs]
    bent = line(xs, squares)
    if bent is None:
        return straight.residual
    left_x = [square - bent.intercept - bent.slope * x for square, x in zip(squares, xs, strict=True)]
    left_y = [y - straight.intercept - straight.slope * x for y, x in zip(ys, xs, strict=True)]
    size = math.fsum(a * a for a in left_x)
    if size <= 0:
        return straight.residual
    return max(0.0, straight.residual - math.fsum(a * b for a, b in zip(left_x, left_y, strict=True)) ** 2 / size)
