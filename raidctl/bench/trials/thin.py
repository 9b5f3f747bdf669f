"""Detect blocks without a drive behind them: compare zeros with other blocks."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from raidctl.bench.estimators import effect
from raidctl.bench.result import Confounder, Spread, TrialResult, Verdict
from raidctl.bench.targets import refuse_outside
from raidctl.bench.trials.phase import Phase, latencies, stream
from raidctl.bench.trials.plain import gets
from raidctl.bench.trials.trial import KIB, Bench, Interrupted, Needs, Steps
from raidctl.bench.work import Op, Target, Work

MIN_READS = 30
"""Minimum number of each kind."""
TYPICAL_S = 0.02


@dataclass
class _Seen:
    zeros: list[float] = field(default_factory=list)
    """Milliseconds."""
    data: list[float] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Thin:
    """Blocks at random offsets, each read once without an engine. Unwritten ones read as zeros, at once.

    It is for devices and exports, as raidctl's own files are written completely.
    """

    size: int = 64 * KIB
    reads: int = 400
    rounds: int = 4

    name = "thin"
    title = "whether all of it is allocated"
    alone = False

    def needs(self, target: Target) -> Needs:
        """Only reads."""
        seconds = 0.0 if target.kind == "file" else self.reads * TYPICAL_S
        return Needs(seconds=seconds, size=4 * self.size)

    def run(self, bench: Bench) -> Steps:
        """Read part of the offsets in each round."""
        if bench.target.kind == "file":
            why = "The file was written in full before, so no place of it is missing."
            return TrialResult(trial=self.name, figures={}, reasons=(why,))
        size, seen = bench.fitting(self.size), _Seen()
        count = max(1, self.reads // self.rounds)
        places = bench.places(size, min(count * self.rounds, bench.target.size // size))
        for number in bench.rounds(self.rounds):
            self._some(bench, places[number * count : (number + 1) * count], size, seen)
            yield
        return self._result(bench, seen)

    def _some(self, bench: Bench, places: array[int], size: int, seen: _Seen) -> None:
        if not places:
            return
        if bench.over:
            raise Interrupted
        # refused outside of the engine as within it
        refuse_outside(bench.target, Work(streams=[stream(Op.READ, places, size)]))
        with gets(bench.target, size) as get:
            for place in places:
                begun = bench.clock()
                data = get(place)
                wait = (bench.clock() - begun) * 1000
                (seen.data if any(data) else seen.zeros).append(wait)

    def _result(self, bench: Bench, seen: _Seen) -> TrialResult:
        total = len(seen.zeros) + len(seen.data)
        share = len(seen.zeros) / total if total >= MIN_READS else None
        enough = min(len(seen.zeros), len(seen.data)) >= MIN_READS
        ratio = effect.of_medians(seen.zeros, seen.data) if enough else Spread(measured=None, unit="ratio", n=total)
        verdict, reasons = self._judged(seen, ratio)
        if verdict == "suspect":
            bench.confounders += (Confounder(name="thin", text=reasons[-1]),)
        phases = {"zeros": Phase(), "data": Phase()}
        for name, waits in (("zeros", seen.zeros), ("data", seen.data)):
            phases[name].histogram.add([int(wait * 1e6) for wait in waits])
        return TrialResult(
            trial=self.name,
            figures={
                "zeros": Spread(measured=None if share is None else 100 * share, unit="%", n=total),
                "zeros_ratio": ratio,
            },
            latency=latencies(phases),
            model=f"A drive reads zeros as fast as data; no drive is {effect.MARKED_ABOVE} times as fast.",
            expected="the same time",
            verdict=verdict,
            reasons=tuple(reasons),
        )

    def _judged(self, seen: _Seen, ratio: Spread) -> tuple[Verdict, list[str]]:
        total = len(seen.zeros) + len(seen.data)
        sampled = [f"{len(seen.zeros)} of {total} sampled places contain only zeros."]
        if ratio.measured is None:
            return "info", [*sampled, "Too few places with zeros, or with data, to compare their times."]
        marked = effect.marked(ratio)
        if marked:
            why = "Zeros are read faster than data: unwritten places are not allocated, or are compressed."
            return "suspect", [*sampled, why]
        if marked is None:
            return "inconclusive", [*sampled, "The times vary too much to decide."]
        return "info", [*sampled, "They take as long to read as data does."]
