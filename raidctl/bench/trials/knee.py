"""The effective size of the write-back cache."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from raidctl.bench.estimators import knee
from raidctl.bench.estimators.figures import median, spread
from raidctl.bench.estimators.spread import overlap
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.trials.phase import Phase, ends, latencies, stream
from raidctl.bench.trials.trial import GIB, KIB, MIB, Below, Bench, Needs, Steps
from raidctl.bench.work import Op, Outcome, Target

POINTS = 240
"""Number of points of a curve kept in the results."""
MORE, LESS = 1.05, 0.5
"""Factors of the reported cache size. More cannot be this cache alone, less is suspect."""
AGAIN = 1.2
"""Pause before a cache is filled again. It is a multiple of the time to empty a full cache."""


@dataclass
class _Found:
    fills: list[knee.Knee] = field(default_factory=list)
    curve: list[tuple[float, float]] = field(default_factory=list)
    phase: Phase = field(default_factory=Phase)


@dataclass(frozen=True, kw_only=True)
class Knee:
    """Random writes to offsets not written before, until they slow down.

    The first fill shows how long the cache needs to become empty again; the others count. Writes are small and random,
    since large sequential ones may bypass a controller's cache.
    """

    block: int = 64 * KIB
    depth: int = 8
    fills: int = 2
    most: int = 8 * GIB
    """Maximum bytes of one fill; eight times the cache is enough."""
    seconds: float = 120.0
    """Maximum seconds of one fill."""
    rest: float = 5.0
    """Seconds before the first fill, in which earlier writes leave the cache."""

    name = "knee"
    title = "how much the write cache takes"
    alone = True

    def needs(self, target: Target) -> Needs:
        """Each fill writes up to the whole target."""
        amount = min(self.most, target.size)
        longest = min(self.seconds, amount / MIB)
        return Needs(seconds=self.fills * 2 * longest + self.rest, written=self.fills * amount, size=64 * self.block)

    def run(self, bench: Bench) -> Steps:
        """Fill, wait until the cache is empty, fill again."""
        found = _Found()
        bench.flush()
        bench.rest(self.rest)
        for number in bench.rounds(self.fills):
            outcome = self._fill(bench)
            found.phase.add(outcome)
            one = self._knee(outcome, found)
            found.fills.append(one)
            if number + 1 < self.fills:
                bench.flush()
                size, rate = one.size.measured, one.destage.measured
                bench.rest(AGAIN * size / rate if size and rate else self.rest)
            yield
        return self._result(bench, found)

    def _fill(self, bench: Bench) -> Outcome:
        size = bench.fitting(self.block)
        count = min(self.most, bench.target.size) // size
        return bench.run(stream(Op.WRITE, bench.places(size, count), size, self.depth), seconds=self.seconds)

    def _knee(self, outcome: Outcome, found: _Found) -> knee.Knee:
        samples = outcome.samples[0]
        moments = [end / 1e9 for end in ends(samples)]
        totals = [float((number + 1) * samples.size) for number in range(len(moments))]
        step = max(1, len(moments) // POINTS)
        found.curve = [(moments[at], totals[at] / MIB) for at in range(step - 1, len(moments), step)]
        return knee.find(moments, totals)

    def _result(self, bench: Bench, found: _Found) -> TrialResult:
        counted = [one for one in found.fills[1:] if one.size.measured is not None]
        counted = counted or [one for one in found.fills if one.size.measured is not None]
        figures = {
            "write_cache": _together([one.size for one in counted], "MiB"),
            "fill": _together([one.fill for one in counted], "MiB/s"),
            "destage": _together([one.destage for one in counted], "MiB/s"),
        }
        reasons = _reasons(found, counted)
        reasons += _reported_sizes(figures["write_cache"], bench.below)
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies({"write": found.phase}),
            model="Writes go at the speed of the cache until it is full, and then at that of the drives.",
            reasons=tuple(reasons),
            series={"written_mib_by_seconds": [[round(x, 4), round(y, 3)] for x, y in found.curve]},
        )


def _reasons(found: _Found, counted: list[knee.Knee]) -> list[str]:
    """Why there is no figure, or what qualifies it."""
    if not counted:
        refused = list(dict.fromkeys(one.refused for one in found.fills if one.refused))
        more = "No write cache is visible, or it is larger than what was written, or the drives are as fast."
        return [*refused, more]
    if any(overlap(one.size, other.size) is False for one, other in pairwise(counted)):
        return ["The fills disagree: something else used the cache meanwhile."]
    return []


def _reported_sizes(size: Spread, below: Below) -> list[str]:
    """What the controller reports about its cache. A share reserved for reads is left out."""
    if not below.cache or size.low is None or size.high is None:
        return []
    mib = below.cache / MIB * (1 - (below.read_percent or 0.0) / 100)
    text = f"It holds {size.low:.0f} to {size.high:.0f} MiB; the controller has {mib:.0f} MiB for writes"
    if size.low > MORE * mib:
        return [f"{text}: this includes the drives' own caches, or a tier of flash."]
    if size.high < LESS * mib:
        return [f"{text}: less than half of it is used."]
    return [f"{text}."]


def _together(several: list[Spread], unit: str) -> Spread:
    """The median of several fills; its interval contains all of theirs."""
    lows = [one.low for one in several if one.low is not None]
    highs = [one.high for one in several if one.high is not None]
    interval = (min(lows), max(highs)) if lows and highs else None
    values = [one.measured for one in several if one.measured is not None]
    return spread(median(values), unit, sum(one.n for one in several), interval, values)
