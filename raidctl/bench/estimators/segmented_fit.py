"""Two connected straight lines, fitted by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from raidctl.bench.estimators.figures import line

Point = tuple[float, float]
GOLDEN = 0.6180339887498949
COARSE = 8
"""Distance of the points tried first. Next come all points around the best, then those between them."""
MIN_POINTS = 8


@dataclass(frozen=True, kw_only=True)
class SegmentedFit:
    """``y = start + first * x`` up to ``at``, then with the slope ``second``."""

    at: float
    start: float
    first: float
    second: float
    residual: float
    """Sum of squared distances."""

    @property
    def cut(self) -> float:
        """Where the second line meets x = 0. The first part does not matter."""
        return self.start + (self.first - self.second) * self.at


class _Sums:
    """Running sums over the points, so that every position costs the same."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.xs = [x for x, _ in points]
        ys = [y for _, y in points]
        self.x = list(accumulate(self.xs, initial=0.0))
        self.y = list(accumulate(ys, initial=0.0))
        self.xx = list(accumulate((x * x for x in self.xs), initial=0.0))
        self.xy = list(accumulate((x * y for x, y in points), initial=0.0))
        self.yy = sum(y * y for y in ys)

    def fit(self, at: float, place: int) -> tuple[float, float, float, float] | None:
        """Residual, start and both slopes of the best lines meeting at ``at``.

        Points from ``place`` on lie after it.
        """
        n, m = len(self.xs), len(self.xs) - place
        x_left, xx_left, xy_left = self.x[place], self.xx[place], self.xy[place]
        x_right, y_right = self.x[n] - x_left, self.y[n] - self.y[place]
        # the columns are 1, min(x, at) and max(0, x - at)
        u = x_left + m * at
        uu = xx_left + m * at * at
        v = x_right - m * at
        vv = self.xx[n] - xx_left - 2 * at * x_right + m * at * at
        uv = at * v
        right = (self.y[n], xy_left + at * y_right, self.xy[n] - xy_left - at * y_right)
        solved = _solve((n, u, v), (u, uu, uv), (v, uv, vv), right)
        if solved is None:
            return None
        residual = self.yy - sum(a * b for a, b in zip(solved, right, strict=True))
        return (max(residual, 0.0), *solved)


def fit_two_lines(points: Sequence[Point], near: float | None = None) -> SegmentedFit | None:
    """Fit to points with ascending x. It is searched around ``near``. None: too few or constant points."""
    if len(points) < MIN_POINTS:
        return None
    x_unit, y_unit = max(abs(x) for x, _ in points), max(abs(y) for _, y in points)
    if x_unit <= 0 or y_unit <= 0:
        return None
    scaled = [(x / x_unit, y / y_unit) for x, y in points]
    best = _search(_Sums(scaled), scaled, None if near is None else near / x_unit)
    if best is None:
        return None
    at, (residual, start, first, second) = best
    slope = y_unit / x_unit
    return SegmentedFit(
        at=at * x_unit, start=start * y_unit, first=first * slope, second=second * slope, residual=residual * y_unit**2
    )


def _search(
    sums: _Sums, points: Sequence[Point], near: float | None
) -> tuple[float, tuple[float, float, float, float]] | None:
    """The best meeting point and its fit. The search goes in coarse steps, then point by point, then between points."""
    last = len(points) - 3
    if near is None:
        centre = _best(sums, range(2, last + 1, COARSE))
    else:
        centre = min(range(2, last + 1), key=lambda place: abs(points[place][0] - near))
    if centre is None:
        return None
    reach = COARSE if near is None else max(COARSE, len(points) // 10)
    place = _best(sums, range(max(2, centre - reach), min(last, centre + reach) + 1))
    if place is None:
        return None
    sides = [_between(sums, points, left) for left in (place - 1, place)]
    found = [side for side in sides if side is not None]
    return min(found, key=lambda side: side[1][0]) if found else None


def _best(sums: _Sums, places: range) -> int | None:
    fits = ((place, sums.fit(sums.xs[place], place)) for place in places)
    good = [(fit[0], place) for place, fit in fits if fit is not None]
    return min(good)[1] if good else None


def _between(sums: _Sums, points: Sequence[Point], left: int) -> tuple[float, tuple[float, float, float, float]] | None:
    """Golden-section search between the points ``left`` and ``left + 1``."""
    low, high = points[left][0], points[left + 1][0]

    def residual(at: float) -> float:
        fit = sums.fit(at, left + 1)
        return float("inf") if fit is None else fit[0]

    for _ in range(20):
        a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if residual(a) <= residual(b):
            high = b
        else:
            low = a
    at = (low + high) / 2
    fit = sums.fit(at, left + 1)
    return None if fit is None else (at, fit)


Row = tuple[float, float, float]


def _solve(a: Row, b: Row, c: Row, right: Row) -> Row | None:
    """Cramer's rule; None if the columns are dependent."""
    whole = _determinant(a, b, c)
    if abs(whole) < 1e-12:
        return None

    def replaced(column: int) -> float:
        rows = [(*row[:column], value, *row[column + 1 :]) for row, value in zip((a, b, c), right, strict=True)]
        return _determinant(*rows)  # type: ignore[arg-type]  # three rows of three figures

    return replaced(0) / whole, replaced(1) / whole, replaced(2) / whole


def _determinant(a: Row, b: Row, c: Row) -> float:
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])


def straight(points: Sequence[Point]) -> float:
    """Sum of squared distances to the best single line. Without a line it is 0."""
    found = line([x for x, _ in points], [y for _, y in points])
    return found.residual if found else 0.0
