"""Throughput by queue depth and number of streams."""

from __future__ import annotations

from dataclasses import dataclass

from raidctl.bench.estimators import scaling
from raidctl.bench.result import TrialResult, Verdict
from raidctl.bench.trials.phase import Phase, latencies, stream
from raidctl.bench.trials.trial import KIB, MIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.work import Op, Stream, Target

PLACES = 1 << 14
ROW = 4096
_WHY = ": read-ahead is off, or thrashes between the streams"
Way = tuple[str, int]
"""Kind of operation, and how many at once."""
_TITLES = {"rndrd": "random reads", "rndwr": "random writes", "seqrd": "sequential reads", "seqwr": "sequential writes"}


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """Random operations at several depths, and several sequential streams in separate regions."""

    depths: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64)
    streams: tuple[int, ...] = (1, 2, 4, 8, 16)
    size: int = 4 * KIB
    block: int = MIB
    """Block size of sequential operations; smaller if the regions are."""
    seconds: float = 1.0
    rounds: int = ROUNDS

    name = "scaling"
    title = "several at once"
    alone = False

    def ways(self, target: Target) -> list[Way]:
        """All phases of a round."""
        kinds = ("rndrd", "seqrd", "rndwr", "seqwr") if target.writable else ("rndrd", "seqrd")
        return [(kind, n) for kind in kinds for n in (self.depths if kind.startswith("rnd") else self.streams)]

    def needs(self, target: Target) -> Needs:
        """Writes only if allowed."""
        seconds = self.rounds * self.seconds * len(self.ways(target))
        return Needs(seconds=seconds, written=None if target.writable else 0, size=2 * max(self.streams) * self.block)

    def run(self, bench: Bench) -> Steps:
        """Run all phases in random order, round by round."""
        ways = self.ways(bench.target)
        phases = {way: Phase() for way in ways}
        for _ in bench.rounds(self.rounds):
            for way in bench.shuffled(ways):
                phases[way].add(bench.run(*self._streams(bench, way), seconds=self.seconds))
                if way[0].endswith("wr"):
                    bench.settle()
            yield
        return self._result(bench, phases)

    def _streams(self, bench: Bench, way: Way) -> list[Stream]:
        kind, count = way
        op = Op.READ if kind.endswith("rd") else Op.WRITE
        if kind.startswith("rnd"):
            size = bench.fitting(self.size)
            return [stream(op, bench.places(size, PLACES), size, count, cycle=True)]
        size = bench.fitting(self.block)
        region = bench.target.size // count // size * size
        return [
            stream(op, bench.row(size, n * region, ROW, end=(n + 1) * region), size, cycle=True) for n in range(count)
        ]

    def _result(self, bench: Bench, phases: dict[Way, Phase]) -> TrialResult:
        figures, size, block = {}, bench.fitting(self.size), bench.fitting(self.block)
        for (kind, count), phase in phases.items():
            unit, factor = ("ops/s", 1.0) if kind.startswith("rnd") else ("MiB/s", block / MIB)
            figures[f"{kind}_x{count}"] = phase.spread(unit, factor)
        complete = {way: phase for way, phase in phases.items() if not phase.short}
        rounds = {depth: phase.rates for (kind, depth), phase in complete.items() if kind == "rndrd"}
        spindles = scaling.fit(rounds)
        figures["spindles"] = spindles.spindles
        verdict, reasons = self._judged(complete)
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies({f"{kind}_x{count}": phase for (kind, count), phase in phases.items()}),
            model="N alike drives answer N Q / (N + Q - 1) times as many random reads as one, with Q under way.",
            verdict=verdict,
            reasons=reasons,
            series={"bytes": {"random": size, "sequential": block}},
        )

    def _judged(self, complete: dict[Way, Phase]) -> tuple[Verdict, tuple[str, ...]]:
        reasons, collapsed = list[str](), False
        for kind in dict.fromkeys(kind for kind, _ in complete):
            of_kind = {count: phase for (name, count), phase in complete.items() if name == kind}
            for before, after in scaling.certain_collapses({count: phase.rates for count, phase in of_kind.items()}):
                collapsed = True
                why = _WHY if kind == "seqrd" else ""
                reasons.append(f"{_TITLES[kind].capitalize()} collapse from {before} to {after} at once{why}.")
            if any(len(phase.rates) < ROUNDS for phase in of_kind.values()):
                continue
            waits = {
                count: (sorted(phase.rates)[len(phase.rates) // 2], float(phase.histogram.quantile(0.5) or 0))
                for count, phase in of_kind.items()
            }
            full = scaling.saturation(waits)
            if full is not None:
                reasons.append(f"{_TITLES[kind].capitalize()} gain nothing beyond {full} at once.")
        if any(len(phase.rates) < ROUNDS for phase in complete.values()):
            reasons.append(f"With fewer than {ROUNDS} rounds, the depth beyond which nothing is gained is unknown.")
        return ("suspect" if collapsed else "info"), tuple(reasons)
