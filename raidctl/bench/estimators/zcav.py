"""Classify the curve of sequential speed across the drive.

A rotating drive is about twice as fast outside as inside, since the outer tracks are longer; any other shape has
another reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from raidctl.bench.estimators.curve import Change, change_point, parabola
from raidctl.bench.estimators.figures import deviation, finite, line, median
from raidctl.bench.estimators.readcache import valley
from raidctl.bench.estimators.segmented_fit import fit_two_lines

Shape = Literal["flat", "falling", "step_up", "plateau", "unmapped", "unclear"]

MIN_POINTS = 16
FLAT = 0.03
"""Coefficient of variation below which the speed is constant over the drive."""
ZONED = (1.5, 2.5)
"""Outer divided by inner speed of one set of spindles."""
FALLS = 1.1
DIP = 0.8
"""A dip is below this share of its neighbours."""
UNMAPPED = 3.0
"""Factor by which unmapped stretches are faster than the rest. No drive is read for them."""
STEP = 0.1
"""Minimum height of a step as a share of the typical speed."""
P = 0.01
PLATEAU_BETTER = 2.0
"""Minimum factor by which a plateau before a slope fits better. The comparison is with one smooth curve."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A classified curve. Positions are shares of the span, 0 outside to 1 inside."""

    shape: Shape
    outer: float | None = None
    """Typical speed of the first tenth, in the unit of the values."""
    inner: float | None = None
    """Typical speed of the last tenth."""
    mean: float | None = None
    ratio: float | None = None
    """Outer divided by inner speed."""
    spindles: bool | None = None
    """Whether the slope fits one set of spindles (1.5 to 2.5). None if there is no slope."""
    steps: tuple[float, ...] = ()
    """Upward steps, where another span begins."""
    dips: tuple[float, ...] = ()
    """Isolated positions that are slow in most passes."""
    plateau_ends: float | None = None
    """Where the interface stops being the limit and the platters begin."""
    unmapped: tuple[tuple[float, float], ...] = ()
    """Stretches that no drive was read for."""
    variation: float | None = None
    """Standard deviation over mean."""
    noise: tuple[float, ...] = ()
    """Median distance of a position's passes from their median."""


Point = tuple[float, float]


def classify(passes: Sequence[tuple[float, Sequence[float]]]) -> Curve:
    """Classify the curve from (position, speeds of its passes). Speeds are above 0 in any unit, in any order."""
    ordered = sorted((position, finite(speeds)) for position, speeds in passes if finite((position,)))
    kept = [(position, speeds) for position, speeds in ordered if speeds and min(speeds) > 0]
    points = [(position, median(speeds) or 0.0) for position, speeds in kept]
    if len(points) < MIN_POINTS or points[0][0] == points[-1][0]:
        return Curve(shape="unclear")
    noise = tuple(
        median(abs(speed - middle) for speed in speeds) or 0.0
        for (_, speeds), (_, middle) in zip(kept, points, strict=True)
    )
    stretches = _unmapped(points)
    mapped = [point for point in points if not any(low <= point[0] <= high for low, high in stretches)]
    dips = _dips(mapped, dict(kept))
    smooth = [point for point in mapped if point[0] not in dips]
    known = Curve(shape="unmapped" if stretches else "unclear", unmapped=stretches, dips=dips, noise=noise)
    return known if len(smooth) < MIN_POINTS // 2 else _described(smooth, known)


def _described(points: list[Point], known: Curve) -> Curve:
    steps = _steps(points)
    plateau = None if steps else _plateau(points)
    speeds = [speed for _, speed in points]
    tenth = max(3, len(points) // 10)
    outer, inner = median(speeds[:tenth]) or 0.0, median(speeds[-tenth:]) or 0.0
    mean = math.fsum(speeds) / len(speeds)
    variation = math.sqrt(math.fsum((speed - mean) ** 2 for speed in speeds) / len(speeds)) / mean
    ratio = outer / inner
    shape: Shape = "unclear"
    if known.unmapped:
        shape = "unmapped"
    elif steps:
        shape = "step_up"
    elif variation < FLAT:
        shape = "flat"
    elif plateau is not None:
        shape = "plateau"
    elif ratio >= FALLS and _monotone(points):
        shape = "falling"
    spindles = ZONED[0] <= ratio <= ZONED[1] if shape == "falling" else None
    ends = plateau if shape == "plateau" else None
    return replace(
        known, shape=shape, outer=outer, inner=inner, mean=mean, ratio=ratio, spindles=spindles, steps=steps,
        plateau_ends=ends, variation=variation,
    )  # fmt: skip


def _unmapped(points: list[Point]) -> tuple[Point, ...]:
    """Stretches of at least two positions in the upper speed group. There are two distinct groups."""
    parting = valley([speed for _, speed in points], min_values=MIN_POINTS)
    if parting is None or parting.high < UNMAPPED * parting.low:
        return ()
    fast = [speed > parting.threshold for _, speed in points]
    slow_runs = [end - begin for begin, end in _runs([not each for each in fast])]
    # a few isolated slow positions are dips of a fast drive
    if max(slow_runs) <= 2 and sum(slow_runs) * 5 <= len(points):
        return ()
    return tuple((points[begin][0], points[end - 1][0]) for begin, end in _runs(fast) if end - begin >= 2)


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Start and end (exclusive) of each stretch of true values."""
    edges = [
        place
        for place in range(len(flags) + 1)
        if (flags[place - 1] if place else False) != (place < len(flags) and flags[place])
    ]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _dips(points: list[Point], passes: dict[float, list[float]]) -> tuple[float, ...]:
    """Isolated positions, at most two in a row, slow in most passes."""
    slow = [False] * len(points)
    for place, (position, _) in enumerate(points):
        around = [speed for _, speed in points[max(0, place - 4) : place] + points[place + 1 : place + 5]]
        level = median(around) or 0.0
        allowed = min(DIP * level, level - 5 * deviation(around) / 2)
        below = sum(1 for speed in passes[position] if speed < allowed)
        slow[place] = 2 * below > len(passes[position])
    return tuple(points[place][0] for begin, end in _runs(slow) if end - begin <= 2 for place in range(begin, end))


def _steps(points: list[Point]) -> tuple[float, ...]:
    """Upward steps with p < 0.01. The clearest comes first, then those on either side of it."""
    found: list[float] = []
    parts = [points]
    while parts:
        part = parts.pop()
        change: Change | None = change_point([speed for _, speed in part])
        level = median(speed for _, speed in part) or 0.0
        if change is None or change.p >= P or change.jump < STEP * level:
            continue
        found.append(part[change.at][0])
        parts += [part[: change.at], part[change.at :]]
    return tuple(sorted(found))


def _plateau(points: list[Point]) -> float | None:
    """Where a plateau ends and a slope begins. None if one smooth curve fits about as well."""
    found = fit_two_lines(points)
    smooth = parabola([x for x, _ in points], [y for _, y in points])
    if found is None or smooth is None:
        return None
    first, last = points[0][0], points[-1][0]
    share = (found.at - first) / (last - first)
    level = found.start + found.first * first
    drop = found.second * (last - found.at)
    flat = abs(found.first) * (found.at - first) < FLAT * abs(level)
    if not flat or not 0.1 <= share <= 0.9 or drop > -STEP * abs(level):
        return None
    # the slope itself may be curved
    inner = [point for point in points if point[0] >= found.at]
    outer = [speed for x, speed in points if x < found.at]
    bent = parabola([x for x, _ in inner], [y for _, y in inner])
    middle = math.fsum(outer) / len(outer) if outer else 0.0
    rest = (bent if bent is not None else found.residual) + math.fsum((speed - middle) ** 2 for speed in outer)
    floor = 1e-9 * level * level * len(points)
    return found.at if smooth > PLATEAU_BETTER * max(min(rest, found.residual), floor) else None


def _monotone(points: list[Point]) -> bool:
    """Whether the curve falls nearly everywhere.

    All eighths but one are lower than the one before, and the line falls.
    """
    size = max(1, len(points) // 8)
    levels = [
        median(speed for _, speed in points[begin : begin + size]) or 0.0 for begin in range(0, len(points), size)
    ]
    rises = sum(1 for before, after in pairwise(levels) if after > before)
    fitted = line([x for x, _ in points], [y for _, y in points])
    return rises <= 1 and fitted is not None and fitted.slope < 0
