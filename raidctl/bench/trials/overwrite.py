"""The size of the write cache by another method. Rewriting a range stays fast while it fits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec

from raidctl.bench.estimators import readcache
from raidctl.bench.estimators.figures import median, spread
from raidctl.bench.estimators.spread import overlap
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.trials.phase import MIB, Phase, latencies, stream, words
from raidctl.bench.trials.trial import GIB, KIB, Bench, Needs, Steps
from raidctl.bench.work import Op, Target

MIN_RANGES = 4
AGAIN = 1.2
"""Multiple of the time that dirty data needs to leave the cache."""
WITHIN = 0.1
"""Tolerance within which the two methods agree. A range that just fits may count as either."""
FAST = 2.0
"""Multiple of the slowest ranges' speed. A range only slightly faster shows no cache."""


@dataclass(frozen=True, kw_only=True)
class Overwrite:
    """Ranges of growing size, each rewritten at random. Rewrites of what the cache holds stay in it.

    Independent of the knee: it needs neither an empty cache nor a model of how it empties. The result lies between the
    largest range that stays fast and the smallest that does not.
    """

    most: int = 2 * GIB
    """The largest range. Four times the size found by the knee is enough."""
    block: int = 64 * KIB
    depth: int = 8
    steps: int = 2
    """Ranges per doubling."""
    seconds: float = 1.0
    """Seconds of rewriting each range, after writing it once."""

    name = "overwrite"
    title = "how much is rewritten within the write cache"
    alone = True

    def ranges(self, size: int, knee: float | None = None) -> list[int]:
        """Bytes of the ranges on a target of ``size`` bytes. They lie around ``knee`` (MiB) if it is known."""
        low, high = float(MIB), float(min(self.most, size // 2))
        if knee is not None:
            low, high = max(low, 0.25 * knee * MIB), min(high, 4 * knee * MIB)
        count = max(1, math.ceil(math.log2(max(high / low, 1.0)) * self.steps))
        found = [low * (high / low) ** (number / count) for number in range(count + 1)]
        return sorted({max(1, round(each / self.block)) * self.block for each in found})

    def needs(self, target: Target) -> Needs:
        """Writes each range once, and then as often as possible."""
        several = self.ranges(target.size)
        seconds = len(several) * 2 * self.seconds
        return Needs(seconds=seconds, written=None, size=64 * self.block)

    def run(self, bench: Bench) -> Steps:
        """Run the small ranges first, each elsewhere. The cache then holds less than what follows."""
        size = bench.fitting(self.block)
        write_cache = bench.figure("knee", "write_cache")
        ranges = self.ranges(bench.target.size, None if write_cache is None else write_cache.measured)
        phases = dict[int, Phase]()
        for number in bench.rounds(len(ranges)):
            span = ranges[number]
            begin = bench.random.randrange((bench.target.size - span) // size + 1) * size
            self._drain(bench, ranges[number - 1] if number else 0)
            places = bench.places(size, max(1, span // size), begin=begin, span=span)
            bench.run(stream(Op.WRITE, places, size, self.depth), seconds=2 * self.seconds)
            phases[span] = Phase()
            again = bench.places(size, len(places), begin=begin, span=span)
            outcome = bench.run(stream(Op.WRITE, again, size, self.depth, cycle=True), seconds=self.seconds)
            phases[span].add(outcome)
            yield
        return self._result(phases, write_cache, size)

    def _drain(self, bench: Bench, dirty: int) -> None:
        """Wait until the cache is empty. The knee gives the time; without it, wait until reads are calm again."""
        rate, full = bench.measured("knee", "destage"), bench.measured("knee", "write_cache")
        bench.flush()
        if rate and full:
            bench.rest(AGAIN * min(dirty / MIB, full) / rate)
        else:
            bench.settle()

    def _result(self, phases: dict[int, Phase], knee: Spread | None, size: int) -> TrialResult:
        speeds = {part: phase.rates[0] * size / MIB for part, phase in sorted(phases.items()) if phase.rates}
        found = cache_of(speeds)
        reasons = []
        if len(speeds) < MIN_RANGES:
            those = f"Only {len(speeds)} of at least {MIN_RANGES} ranges"
            reasons.append(f"{those} {'was' if len(speeds) == 1 else 'were'} rewritten: too few to find a cache.")
        elif found.low is None or found.high is None:
            largest = words(max(speeds, default=0))
            reasons.append(
                f"Ranges up to {largest} are rewritten equally fast: no write cache is visible, or it is larger."
            )
        else:
            reasons.append(f"Rewriting stays fast for {found.low:.0f} MiB, and is slow for {found.high:.0f} MiB.")
            reasons += _compared_with_knee(found, knee)
        return TrialResult(
            trial=self.name,
            figures={"overwrite_cache": found},
            latency=latencies({f"set_{part // KIB}k": phase for part, phase in sorted(phases.items())}),
            model="Data rewritten before it has left the cache takes no more space in it.",
            reasons=tuple(reasons),
            series={"mib_s_by_mib": [[part / MIB, round(speed, 3)] for part, speed in speeds.items()]},
        )


def cache_of(speeds: dict[int, float]) -> Spread:
    """MiB between the largest fast range and the smallest slow one. Without a value unless there are both.

    ``speeds``: MiB/s of rewriting, by bytes of the range.
    """
    count = len(speeds)
    parting = readcache.valley(list(speeds.values()), min_values=MIN_RANGES)
    if parting is None or parting.high < FAST * parting.low:
        return spread(None, "MiB", count)
    fast = [part for part, speed in speeds.items() if speed > parting.threshold]
    slow = [part for part, speed in speeds.items() if speed <= parting.threshold]
    if max(fast) > min(slow):
        return spread(None, "MiB", count)
    low, high = max(fast) / MIB, min(slow) / MIB
    return spread(median((low, high)), "MiB", count, (low, high))


def _compared_with_knee(found: Spread, knee: Spread | None) -> list[str]:
    """Compare with the knee."""
    if knee is None or knee.measured is None:
        return []
    low, high = (
        None if edge is None else edge * by for edge, by in ((found.low, 1 - WITHIN), (found.high, 1 + WITHIN))
    )
    if overlap(msgspec.structs.replace(found, low=low, high=high), knee):
        return [f"The knee gives the same: {knee.measured:.0f} MiB."]
    return [f"The knee gives {knee.measured:.0f} MiB: the two methods disagree, so neither is reliable alone."]
