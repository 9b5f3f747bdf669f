"""Estimate of the size of a write-back cache. Writes run at memory speed until it is full.

Two connected straight lines are fitted to the cumulative bytes. The second line, extended to time 0, gives the size:
the bytes written up to the knee, less those destaged to the drives meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from raidctl.bench.estimators.figures import HUGE, SEED, bootstrap, spread
from raidctl.bench.estimators.one_cache import refusal
from raidctl.bench.estimators.segmented_fit import SegmentedFit, fit_two_lines, straight
from raidctl.bench.result import Spread, Verdict

MIB = 1 << 20
CELLS = 480
"""Points equally spaced in time to which the lines are fitted."""
ZOOM = 6
"""Size of the window as a multiple of the knee. There are then enough points on either side."""
GAIN = 10
"""Minimum factor by which two lines fit better than one. It compares sums of squares."""
CONTRAST = 0.7
"""The second speed must be below this share of the first."""
MIN_WRITES = 20
DRAWS = 60
BLOCK = 4
"""Number of neighbouring cells that are resampled together. What slows one down slows the next."""
FINEST = 0.005
"""Share of a figure that stays uncertain, whatever the bootstrap gives. The causes are outstanding writes and cell
width."""
SHARE_LOW, SHARE_HIGH, SHARE_FAIL = 0.7, 1.05, 0.5


@dataclass(frozen=True, kw_only=True)
class Knee:
    """Where writing slows down."""

    size: Spread
    """MiB; None if there is no knee."""
    fill: Spread
    """MiB/s before the knee."""
    destage: Spread
    """MiB/s after the knee: the speed of the drives."""
    seconds: float | None = None
    """Time of the knee."""
    gain: float = 0.0
    """How many times better two lines fit than one."""
    refused: str | None = None
    """Why there is no knee, one sentence."""


def find(seconds: Sequence[float], totals: Sequence[float], seed: int = SEED) -> Knee:
    """The knee in bytes written by each moment.

    Both sequences ascend, with one entry per write, at its start or end.
    """
    points = _points(seconds, totals)
    if len(points) < 2 * MIN_WRITES:
        return _none("There are too few writes to tell.", 0, 0.0)
    cells = _cells(points, points[-1][0])
    found = fit_two_lines(cells)
    for _ in range(7):
        if found is None:
            return _none("Nothing was written over time.", len(points), 0.0)
        if ZOOM * found.at > 0.9 * cells[-1][0]:
            return _judged(points, cells, found, seed)
        cells = _cells(points, ZOOM * found.at)
        found = fit_two_lines(cells)
    return _none("It is too close to the start.", len(points), 0.0)


def _judged(
    points: list[tuple[float, float]], cells: list[tuple[float, float]], found: SegmentedFit, seed: int
) -> Knee:
    inside = [second for second, _ in points if second <= cells[-1][0]]
    before = sum(1 for second in inside if second <= found.at)
    gain = straight(cells) / max(found.residual, 1e-12 * cells[-1][1] ** 2)
    if before < MIN_WRITES or len(inside) - before < MIN_WRITES:
        return _none("There are too few writes on one side of it.", len(points), gain)
    if gain <= GAIN:
        return _none("One speed explains the writes as well as two.", len(points), gain)
    draws: list[SegmentedFit] = []

    def draw(source: Random) -> float | None:
        again = fit_two_lines(_redrawn(cells, found.at, source), near=found.at)
        if again is not None:
            draws.append(again)
        return None if again is None else again.second / max(again.first, 1e-30)

    ratio = bootstrap(draw, seed, DRAWS)
    if found.first <= 0 or ratio is None or ratio[1] >= CONTRAST or found.second >= CONTRAST * found.first:
        return _none("The second speed is too close to the first.", len(points), gain)
    disturbed = refusal(points, found, cells[-1][0])
    if disturbed is not None:
        return _none(disturbed, len(points), gain)
    count = len(points)
    return Knee(
        size=_spread(found.cut, [again.cut for again in draws], "MiB", count),
        fill=_spread(found.first, [again.first for again in draws], "MiB/s", count),
        destage=_spread(found.second, [again.second for again in draws], "MiB/s", count),
        seconds=found.at,
        gain=gain,
    )


def _spread(measured: float, draws: list[float], unit: str, count: int) -> Spread:
    ordered = sorted(draws)
    edge = round(0.025 * (len(ordered) - 1))
    least = FINEST * abs(measured)
    low, high = min(ordered[edge], measured - least), max(ordered[-1 - edge], measured + least)
    return spread(measured / MIB, unit, count, (low / MIB, high / MIB))


def _none(why: str, count: int, gain: float) -> Knee:
    return Knee(
        size=spread(None, "MiB", count),
        fill=spread(None, "MiB/s", count),
        destage=spread(None, "MiB/s", count),
        gain=gain,
        refused=why,
    )


def _points(seconds: Sequence[float], totals: Sequence[float]) -> list[tuple[float, float]]:
    """Finite points starting at time 0 and 0 bytes. Points that go backwards are left out."""
    points: list[tuple[float, float]] = [(0.0, 0.0)]
    for second, total in zip(seconds, totals, strict=True):
        if points[-1][0] <= second < HUGE and points[-1][1] <= total < HUGE:
            points.append((float(second), float(total)))
    return points


def _cells(points: list[tuple[float, float]], end: float) -> list[tuple[float, float]]:
    """Bytes written at the ends of ``CELLS`` equal intervals up to ``end``. Values between writes are interpolated."""
    if end <= 0 or points[-1][1] <= 0:
        return []
    cells, place = [], 0
    for cell in range(CELLS + 1):
        moment = end * cell / CELLS
        while place + 2 < len(points) and points[place + 1][0] < moment:
            place += 1
        (left, low), (right, high) = points[place], points[place + 1]
        share = min(max((moment - left) / (right - left), 0.0), 1.0) if right > left else 1.0
        cells.append((moment, low + (high - low) * share))
    return cells


def _redrawn(cells: list[tuple[float, float]], knee: float, source: Random) -> list[tuple[float, float]]:
    """Resample the steps of the curve, separately before and after the knee."""
    steps = [after[1] - before[1] for before, after in pairwise(cells)]
    split = min(max(sum(1 for moment, _ in cells[1:] if moment <= knee), 1), len(steps) - 1)
    total, drawn = cells[0][1], [cells[0]]
    fresh = _shuffled(steps[:split], source) + _shuffled(steps[split:], source)
    for (moment, _), step in zip(cells[1:], fresh, strict=True):
        total += step
        drawn.append((moment, total))
    return drawn


def _shuffled(steps: list[float], source: Random) -> list[float]:
    drawn: list[float] = []
    while len(drawn) < len(steps):
        begin = source.randrange(max(1, len(steps) - BLOCK + 1))
        drawn += steps[begin : begin + BLOCK]
    return drawn[: len(steps)]


def judge(size: Spread, promised: float) -> Verdict:
    """Judge whether a write cache of ``promised`` MiB is there, by the whole interval.

    Firmware reserves some of it, so 0.7 to 1.05 times that size passes. Less than half fails, the rest is suspect; an
    interval on both sides of an end of that range decides nothing.
    """
    if size.low is None or size.high is None or not promised > 0:
        return "inconclusive"
    if size.high < SHARE_FAIL * promised:
        return "fail"
    if size.low >= SHARE_LOW * promised and size.high <= SHARE_HIGH * promised:
        return "pass"
    outside = size.high < SHARE_LOW * promised or size.low > SHARE_HIGH * promised
    return "suspect" if outside else "inconclusive"
