"""How flush time grows with the MiB written before (evidence E3)."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from raidctl.bench.estimators import slope
from raidctl.bench.result import TrialResult, Verdict
from raidctl.bench.trials.phase import Phase, latencies
from raidctl.bench.trials.trial import KIB, MIB, Bench, Needs, Steps
from raidctl.bench.verdict.decision import FLIP, POWER_CUT, REPEAT
from raidctl.bench.work import Op, Stream, Target

PLAUSIBLE = 1.0
"""Minimum slope in ms/MiB from which the destage rate is derived. The rate is then at most 1000 MiB/s."""
SLOWEST = 5.0
"""Usual MiB/s of random 64 KiB writes, to estimate the duration."""


@dataclass(frozen=True)
class Point:
    """One flush."""

    written: float
    """MiB written before it."""
    seconds: float
    """Seconds spent writing them."""
    wait: float
    """Milliseconds of the flush."""


@dataclass(frozen=True, kw_only=True)
class FlushSlope:
    """Different amounts of random writes, each followed by a flush. Their order is random."""

    amounts: tuple[float, ...] = (0, 2, 4, 8, 16, 32)
    """Amounts in MiB. An amount of 0 is one block, since a file system omits the flush of an unchanged file."""
    block: int = 64 * KIB
    rounds: int = 6

    name = "flush_slope"
    title = "what a flush does to the cache"
    alone = True

    def needs(self, target: Target) -> Needs:
        """Writes all amounts in every round."""
        del target
        total = self.rounds * sum(max(self.block, amount * MIB) for amount in self.amounts)
        size = max(64 * self.block, 2 * int(max(self.amounts) * MIB))
        return Needs(seconds=2 * total / MIB / SLOWEST, written=int(total), size=size)

    def run(self, bench: Bench) -> Steps:
        """Run the rounds. Each begins with a flush, so that all amounts start alike."""
        points, flushes = list[Point](), Phase()
        for _ in bench.rounds(self.rounds):
            bench.flush()
            for amount in bench.shuffled(self.amounts):
                points.append(self._one(bench, amount, flushes))
            yield
        return self._result(bench, points, flushes)

    def _one(self, bench: Bench, amount: float, flushes: Phase) -> Point:
        size = bench.fitting(self.block)
        count = max(1, round(amount * MIB / size))
        places = bench.places(size, count)
        ops = bytes([Op.WRITE]) * count + bytes([Op.FLUSH])
        outcome = bench.run(Stream(ops=ops, offsets=places + array("Q", [0]), size=size))
        samples = outcome.samples[0]
        last = samples.ops.index(Op.FLUSH)
        flushes.histogram.add([samples.latencies[last]])
        return Point(count * size / MIB, samples.starts[last] / 1e9, samples.latencies[last] / 1e6)

    def _result(self, bench: Bench, points: list[Point], flushes: Phase) -> TrialResult:
        destage = bench.measured("knee", "destage")
        found, rate = fitted(points, destage)
        reading = slope.judge(found, rate)
        verdict, reasons, test = _judged(bench, reading, rate)
        base = None if found.base is None else round(found.base, 3)
        return TrialResult(
            trial=self.name,
            figures={"flush_slope": found.slope},
            latency=latencies({"flush": flushes}),
            model="A flush that empties a cache takes as long as the drives need for what is in it.",
            expected=None if not destage else f"{1000 / destage:.1f} ms/MiB where the flush empties the cache",
            verdict=verdict,
            reasons=reasons,
            next_test=test,
            series={
                "reading": reading,
                "base_ms": base,
                "explained": found.r2,
                "flush_ms_by_mib": [[round(one.written, 4), round(one.wait, 4)] for one in points],
            },
        )


def fitted(points: list[Point], destage: float | None) -> tuple[slope.FlushSlope, float | None]:
    """The line, and the destage rate (MiB/s) with which it is compared.

    Data that leaves the cache while it is being filled is not flushed. If the knee does not give the rate, it is
    derived from a slope that explains the points, in a few iterations.
    """
    rate = destage
    for _ in range(4):
        dirty = [
            (slope.still_dirty(one.written, one.seconds, rate) if rate else one.written, one.wait) for one in points
        ]
        found = slope.fit(dirty)
        rising = found.slope.low is not None and found.slope.low > 0 and (found.r2 or 0.0) > slope.EXPLAINED
        steepness = found.slope.measured or 0.0
        if destage is not None or not rising or steepness < PLAUSIBLE:
            break
        rate = 1000 / steepness
    return found, rate


def _judged(bench: Bench, reading: slope.Reading, rate: float | None) -> tuple[Verdict, tuple[str, ...], str | None]:
    barred = tuple(one.text for one in bench.confounders if one.forbids)
    if barred:
        return "inconclusive", barred, POWER_CUT
    if reading == "flushed":
        return "info", ("A flush takes longer when more was written: it empties a cache.",), None
    if reading == "kept":
        why = "A flush takes no longer when more was written: the cache survives, or the flush is ignored."
        return "info", (why,), FLIP
    if rate is None:
        why = "The rate at which the cache empties is unknown, so a cheap flush looks like an ignored one."
        return "inconclusive", (why,), "Measure the knee first: its second slope is that rate."
    return "inconclusive", ("The flushes are too uneven to decide.",), REPEAT
