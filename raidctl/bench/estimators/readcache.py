"""Estimate of a read cache. Latency separates hits from misses, and the size is the one that explains their shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from raidctl.bench.estimators.figures import HUGE, finite, spread
from raidctl.bench.result import Spread

SEPARATION = 0.8
"""Share of the variance of log latency between the two groups. One bell curve reaches 0.64, a plateau 0.75."""
FACTOR = 2.0
"""Minimum factor between the groups' typical latencies."""
MIN_VALUES = 30
SURE = 0.99
"""Maximum certainty that a read is a hit or a miss. It keeps one outlier from ruling a size out."""
DROP = 1.92
"""Drop of the log likelihood from the best. It defines the ends of a 95% interval."""


@dataclass(frozen=True, kw_only=True)
class Valley:
    """Threshold between two groups of latencies or speeds."""

    threshold: float
    """In the unit of the values."""
    low: float
    """Geometric mean of the values below."""
    high: float
    """Geometric mean of the values above."""
    below: int
    """Number of values below."""
    above: int


def valley(values: Sequence[float], min_values: int = MIN_VALUES) -> Valley | None:
    """Otsu's threshold on the logarithm; None if there is one group. Values of 0 and below are left out."""
    logs = sorted(math.log(value) for value in finite(values) if value > 0)
    if len(logs) < min_values or logs[-1] - logs[0] < math.log(FACTOR):
        return None
    mean = math.fsum(logs) / len(logs)
    variance = math.fsum((value - mean) ** 2 for value in logs)
    cut, between = _otsu(logs)
    low, high = math.fsum(logs[:cut]) / cut, math.fsum(logs[cut:]) / (len(logs) - cut)
    if variance <= 0 or between < SEPARATION * variance or high - low < math.log(FACTOR):
        return None
    middle = (logs[cut - 1] + logs[cut]) / 2
    return Valley(threshold=math.exp(middle), low=math.exp(low), high=math.exp(high), below=cut, above=len(logs) - cut)


def _otsu(logs: list[float]) -> tuple[int, float]:
    """Number of sorted values below the best cut. That cut has the greatest variance between the groups."""
    total, count, left = math.fsum(logs), len(logs), 0.0
    best, at = -1.0, 1
    for place in range(1, count):
        left += logs[place - 1]
        gap = left / place - (total - left) / (count - place)
        between = gap * gap * place * (count - place) / count
        if between > best:
            best, at = between, place
    return at, best


@dataclass(frozen=True, kw_only=True)
class WorkingSet:
    """Random reads of a working set that had been read before."""

    size: float
    """MiB."""
    hits: int
    reads: int


def count_hits(size: float, latencies: Sequence[float], parting: Valley) -> WorkingSet:
    """Hits in a working set of ``size`` MiB. The threshold is found in all sets together."""
    good = finite(latencies)
    return WorkingSet(size=size, hits=sum(1 for value in good if value <= parting.threshold), reads=len(good))


def cache_size(sets: Sequence[WorkingSet]) -> Spread:
    """MiB of the cache that best explains the shares of hits. Of the reads, min(1, size/set) hit an LRU cache.

    Without a value if no working set was larger than the cache, or no read was a hit. The interval is that of the
    likelihood; small sets, whose reads are all hits, count as well.
    """
    good = [each for each in sets if 0 < each.size < HUGE and 0 <= each.hits <= each.reads and each.reads > 0]
    reads = sum(each.reads for each in good)
    informative = [each for each in good if 0.02 < each.hits / each.reads < 0.95]
    if not informative:
        return spread(None, "MiB", reads)
    low, high = min(each.size for each in good) / 100, max(each.size for each in good) * 2
    sizes = [low * (high / low) ** (step / 2000) for step in range(2001)]
    likely = [_likelihood(size, good) for size in sizes]
    best = max(likely)
    inside = [size for size, value in zip(sizes, likely, strict=True) if value >= best - DROP]
    return spread(sizes[likely.index(best)], "MiB", reads, (inside[0], inside[-1]))


def _likelihood(size: float, sets: Sequence[WorkingSet]) -> float:
    total = 0.0
    for each in sets:
        share = min(max(size / each.size, 1 - SURE), SURE)
        total += each.hits * math.log(share) + (each.reads - each.hits) * math.log(1 - share)
    return total
