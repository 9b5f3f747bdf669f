"""Latencies in bins whose width grows with the value. The relative error is thus fixed.

The layout is that of HDR histograms: every power of two is cut into the same number of equal bins.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from raidctl.bench.result import Latency

NS_PER_MS = 1e6


class Histogram:
    """Counts of whole numbers (nanoseconds) from 0. Below ``2**bits``, each number has a separate bin."""

    def __init__(self, bits: int = 10) -> None:
        """``bits``: 1 to 20; the relative error is at most ``2**-bits``."""
        if not 1 <= bits <= 20:
            raise ValueError("a histogram has 1 to 20 bits")
        self.bits = bits
        self._counts: Counter[int] = Counter()
        self._least: int | None = None
        self._worst: int | None = None

    @property
    def error(self) -> float:
        """Largest relative distance between a value and the figure returned for it."""
        return float(2.0**-self.bits)

    @property
    def count(self) -> int:
        """Number of values."""
        return sum(self._counts.values())

    @property
    def least(self) -> int | None:
        """The smallest value, exact; None if empty."""
        return self._least

    @property
    def worst(self) -> int | None:
        """The largest value, exact; None if empty."""
        return self._worst

    @property
    def bins(self) -> Mapping[int, int]:
        """Middle and count of each non-empty bin, ascending."""
        return {self._middle(index): self._counts[index] for index in sorted(self._counts)}

    def add(self, values: Iterable[int]) -> None:
        """Count values. Raise ValueError for a negative one."""
        numbers = list(values)
        if not numbers:
            return
        least, worst = min(numbers), max(numbers)
        if least < 0:
            raise ValueError("a latency is not negative")
        self._counts.update(map(self._index, numbers))
        self._extend(least, worst)

    def merge(self, other: Histogram) -> None:
        """Add another histogram's counts. Raise ValueError if its bins differ."""
        if other.bits != self.bits:
            raise ValueError("histograms with different bins cannot be added")
        self._counts.update(other._counts)
        if other._least is not None and other._worst is not None:
            self._extend(other._least, other._worst)

    def quantile(self, share: float) -> int | None:
        """The nearest-rank value not exceeded by ``share`` (0 to 1) of all. None if empty."""
        if self._least is None or self._worst is None:
            return None
        rank = max(1, -(-int(min(max(share, 0.0), 1.0) * self.count * 10**9) // 10**9))
        seen = 0
        for index in sorted(self._counts):
            seen += self._counts[index]
            if seen >= rank:
                return min(max(self._middle(index), self._least), self._worst)
        return self._worst

    def latency(self) -> Latency | None:
        """The latency for results, in milliseconds. Percentiles with too few values are left out; None if empty."""
        count, middle = self.count, self.quantile(0.5)
        if middle is None or self._worst is None:
            return None
        return Latency(
            n=count,
            p50=middle / NS_PER_MS,
            p90=self._percentile(count, 0.9, 1 / 10),
            p99=self._percentile(count, 0.99, 1 / 100),
            p999=self._percentile(count, 0.999, 1 / 1000),
            worst=self._worst / NS_PER_MS,
            error=self.error,
            bins=tuple(self._coarse().items()),
        )

    def _coarse(self) -> Mapping[float, int]:
        """Lower edge in milliseconds and count of each bin.

        There are four per doubling, from the first non-empty to the last.
        """
        found: Counter[int] = Counter()
        for middle, count in self.bins.items():
            found[math.floor(4 * math.log2(max(middle, 1)))] += count
        return {2.0 ** (place / 4) / NS_PER_MS: found[place] for place in range(min(found), max(found) + 1)}

    def _percentile(self, count: int, share: float, tail: float) -> float | None:
        value = self.quantile(share) if enough(count, tail) else None
        return None if value is None else value / NS_PER_MS

    def _extend(self, least: int, worst: int) -> None:
        self._least = least if self._least is None else min(least, self._least)
        self._worst = worst if self._worst is None else max(worst, self._worst)

    def _index(self, value: int) -> int:
        # all values of one octave share the shift; what is left of them has `bits` binary digits
        shift = max(0, value.bit_length() - self.bits)
        return (shift << self.bits) + (value >> shift)

    def _middle(self, index: int) -> int:
        shift, rest = index >> self.bits, index & ((1 << self.bits) - 1)
        return (rest << shift) + ((1 << shift) >> 1)


def enough(count: int, tail: float) -> bool:
    """Whether there are enough values for the quantile with ``tail`` above it.

    A ``tail`` of 0.01 is the 99th percentile.
    """
    return count * tail >= 3 - 1e-9
