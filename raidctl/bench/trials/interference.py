"""The effect of writers on readers. Reads run alone, beside writes, and while the write cache drains."""

from __future__ import annotations

from dataclasses import dataclass

from raidctl.bench.estimators import effect
from raidctl.bench.result import TrialResult, Verdict
from raidctl.bench.trials.phase import Phase, latencies, ratio, stream
from raidctl.bench.trials.trial import KIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.work import Op, Samples, Stream, Target

PLACES = 1 << 14
CRIPPLED = 0.3
"""Share of the undisturbed read rate below which a warning is given."""


@dataclass(frozen=True, kw_only=True)
class Interference:
    """One reader alone, beside one writer, and just after the writer. A 70/30 mix follows."""

    size: int = 4 * KIB
    block: int = 64 * KIB
    """Block size of the writer."""
    depth: int = 4
    seconds: float = 1.0
    rounds: int = ROUNDS

    name = "interference"
    title = "what writers do to readers"
    alone = False

    def needs(self, target: Target) -> Needs:
        """The writer writes as much as it can."""
        del target
        return Needs(seconds=4 * self.rounds * self.seconds, written=None, size=16 * self.block)

    def run(self, bench: Bench) -> Steps:
        """Run the phases in this order, round by round. Each begins when reads are calm again."""
        size, block = bench.fitting(self.size), bench.fitting(self.block)
        phases = {name: Phase() for name in ("alone", "beside", "after", "mixed")}
        for _ in bench.rounds(self.rounds):
            bench.settle()
            reads = stream(Op.READ, bench.places(size, PLACES), size, self.depth, cycle=True)
            writes = stream(Op.WRITE, bench.places(block, PLACES), block, self.depth, cycle=True)
            phases["alone"].add(bench.run(reads, seconds=self.seconds))
            outcome = bench.run(reads, writes, seconds=self.seconds)
            _count(phases["beside"], outcome.samples[0], outcome.wall_seconds)
            phases["after"].add(bench.run(reads, seconds=self.seconds))
            bench.settle()
            phases["mixed"].add(bench.run(self._mixed(bench, size), seconds=self.seconds), [Op.READ])
            yield
        return self._result(phases)

    def _mixed(self, bench: Bench, size: int) -> Stream:
        ops = bytes(Op.READ if bench.random.random() < 0.7 else Op.WRITE for _ in range(PLACES))
        return Stream(ops=ops, offsets=bench.places(size, PLACES), size=size, depth=self.depth, cycle=True)

    def _result(self, phases: dict[str, Phase]) -> TrialResult:
        ratios = {name: ratio(phases["alone"], phases[name]) for name in ("beside", "after")}
        figures = {name: phase.spread() for name, phase in phases.items()}
        figures |= {f"{name}_ratio": ratio for name, ratio in ratios.items()}
        beside, reasons = ratios["beside"], list[str]()
        if beside.measured is not None:
            reasons.append(f"Next to a writer, readers reach {beside.measured:.0%} of their speed alone.")
        crippled = beside.high is not None and beside.high < CRIPPLED
        after = ratios["after"]
        if after.high is not None and after.high < 1 - effect.WARN:
            reasons.append("Readers are slower while the write cache drains.")
        verdict: Verdict = "suspect" if crippled else "info"
        latency = latencies(phases)
        return TrialResult(trial=self.name, figures=figures, latency=latency, verdict=verdict, reasons=tuple(reasons))


def _count(phase: Phase, samples: Samples, seconds: float) -> None:
    phase.add_rate(samples.count, seconds)
    phase.histogram.add(samples.latencies)
