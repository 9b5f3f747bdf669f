"""Throughput by queue depth: number of spindles, saturation, collapse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from raidctl.bench.estimators.figures import HUGE, SEED, bootstrap, finite, line, median, spread
from raidctl.bench.estimators.spread import of_rounds
from raidctl.bench.result import Spread

COLLAPSE = 0.5
"""Share that a collapse drops below, from one depth to the next."""
GROWTH = 0.10
"""Throughput that grows less than this while latency grows more is saturated."""
MAX_SPINDLES = 1000.0
"""Larger numbers of independent spindles are indistinguishable from no limit."""

Rounds = Mapping[int, Sequence[float]]
"""Throughput of each round, by queue depth."""


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """A closed network of equal spindles. Its throughput is X(Q) = X(1) N Q / (N + Q - 1)."""

    spindles: Spread
    """N, `ratio`. None if throughput does not saturate, or does not grow as spindles do."""
    single: float | None
    """X(1) of the fit."""
    fits: float | None
    """Largest relative distance of a point from the fit."""


def fit(rounds: Rounds, seed: int = SEED) -> Scaling:
    """Independent spindles from throughput at three or more depths. The interval is found by resampling the rounds."""
    good = {depth: _positive(values) for depth, values in sorted(rounds.items()) if depth >= 1}
    good = {depth: values for depth, values in good.items() if values}
    count = sum(len(values) for values in good.values())
    found = _network({depth: median(values) or 0.0 for depth, values in good.items()})
    if found is None or found[0] > MAX_SPINDLES:
        return Scaling(spindles=spread(None, "ratio", count), single=None, fits=None)
    spindles, single = found

    def draw(source: Random) -> float | None:
        drawn = {depth: median(source.choices(values, k=len(values))) or 0.0 for depth, values in good.items()}
        again = _network(drawn)
        return None if again is None else min(again[0], MAX_SPINDLES)

    several = all(len(values) >= 3 for values in good.values())
    worst = max(abs((median(values) or 0.0) / expected(spindles, single, depth) - 1) for depth, values in good.items())
    interval = bootstrap(draw, seed) if several else None
    return Scaling(spindles=spread(spindles, "ratio", count, interval), single=single, fits=worst)


def expected(spindles: float, single: float, depth: float) -> float:
    """Throughput of ``spindles`` at a queue depth."""
    return single * spindles * depth / (spindles + depth - 1)


def _positive(values: Sequence[float]) -> list[float]:
    return [value for value in finite(values) if value > 1 / HUGE]


def _network(points: Mapping[int, float]) -> tuple[float, float] | None:
    """N and X(1) from a straight line. Q/X is linear in Q, with (N-1)/(N X1) at 0 and the slope 1/(N X1)."""
    if len(points) < 3:
        return None
    depths = [float(depth) for depth in points]
    scale = max(points.values())
    if scale / min(points.values()) > HUGE:
        return None
    waits = [depth * scale / points[int(depth)] for depth in depths]
    found = line(depths, waits, [(1 / wait) ** 2 for wait in waits])
    if found is None or found.slope <= 0:
        return None
    spindles = max(1.0, found.intercept / found.slope + 1)
    return spindles, scale / (found.slope * spindles)


def collapses(points: Mapping[int, float]) -> list[tuple[int, int]]:
    """Neighbouring depths, or stream counts, between which throughput drops by over half."""
    ordered = sorted(points)
    return [
        (before, after)
        for before, after in pairwise(ordered)
        if points[before] > 0 and points[after] < COLLAPSE * points[before]
    ]


def certain_collapses(rounds: Rounds) -> list[tuple[int, int]]:
    """Those of `collapses` that hold for the whole interval. With fewer than six rounds, there are none."""
    spreads = {depth: of_rounds(_positive(values), "ops/s") for depth, values in rounds.items()}
    low = {depth: found.low for depth, found in spreads.items() if found.low is not None}
    high = {depth: found.high for depth, found in spreads.items() if found.high is not None}
    return [
        (before, after)
        for before, after in collapses({depth: found.measured or 0.0 for depth, found in spreads.items()})
        if before in low and after in high and high[after] < COLLAPSE * low[before]
    ]


def saturation(points: Mapping[int, tuple[float, float]]) -> int | None:
    """The depth after which only latency grows. None if throughput grows to the end."""
    ordered = sorted(points)
    for place, (before, after) in enumerate(pairwise(ordered)):
        rate, wait = points[before]
        most = max(points[later][0] for later in ordered[place + 1 :])
        if rate > 0 and wait > 0 and most < rate * (1 + GROWTH) and points[after][1] > wait * (1 + GROWTH):
            return before
    return None
