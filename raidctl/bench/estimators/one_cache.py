"""Check that a curve of writes shows one filling cache, without disturbance.

Two connected lines can be fitted to any curve. A machine that paused for a moment, or had other writes, gives two lines
as well, and a wrong size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from raidctl.bench.estimators.segmented_fit import Point, SegmentedFit

PIECES = 10
"""Split of the curve after the knee. A piece lasts the time before the knee divided by this."""
AGAIN = 0.2
"""Share of the cache's size for one fast burst after the knee. Controllers empty in bursts."""
SAME = 0.7
"""Minimum share of the second speed that later writes reach. The maximum is its inverse."""
MIN_POINTS = 20
MIN_SHARE = 0.2
"""Share of the window from which the rest of the curve counts."""


def refusal(points: Sequence[Point], found: SegmentedFit, window: float) -> str | None:
    """Why the knee is not reliable, one sentence; None if it is.

    Args:
        points: Seconds and bytes written by then, all of the curve.
        found: The lines, in bytes and seconds.
        window: The end of the part of the curve, in seconds, to which they are fitted.
    """
    if _again(points, found) > AGAIN * found.cut:
        return "Writes were as fast as at the start again after it: something else used the machine or the drive."
    later = _later(points, window)
    if later is not None and not SAME <= later / found.second <= 1 / SAME:
        return "The speed changes once more after it: several caches, or something else used the drive."
    return None


def _again(points: Sequence[Point], found: SegmentedFit) -> float:
    """Bytes written in one go after the knee. Their speed is nearer to the first than to the second."""
    fast = math.sqrt(found.first * max(found.second, 1.0)) * found.at / PIECES
    ends = dict[int, float]()
    for second, total in points:
        if second >= found.at:
            ends[int((second - found.at) / found.at * PIECES)] = total
    most = together = 0.0
    before: tuple[int, float] | None = None
    for piece, total in ends.items():
        # a piece without a point has the speed of those around it
        amount = 0.0 if before is None else (total - before[1]) / (piece - before[0])
        together = together + total - before[1] if before is not None and amount > fast else 0.0
        most, before = max(most, together), (piece, total)
    return most


def _later(points: Sequence[Point], window: float) -> float | None:
    """Bytes per second beyond the window. None if the window is nearly the whole curve."""
    rest = [point for point in points if point[0] > window]
    if len(rest) < MIN_POINTS or rest[-1][0] - rest[0][0] < MIN_SHARE * window:
        return None
    return (rest[-1][1] - rest[0][1]) / (rest[-1][0] - rest[0][0])
