"""Classic read timings: -T, -t, --direct. Reads repeat the same block, or are sequential."""

from __future__ import annotations

from dataclasses import dataclass

from raidctl.bench.result import TrialResult
from raidctl.bench.targets import Handled
from raidctl.bench.trials.phase import MIB, Phase, latencies, stream
from raidctl.bench.trials.trial import KIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.trials.views import buffered
from raidctl.bench.work import Op, Target

PIECE = 2 * MIB
BLOCK = 256 * KIB
_MODELS = {
    "cached": "the same 2 MiB through the page cache: the speed of memory (-T)",
    "cached_direct": "the same 2 MiB without the page cache: the speed of the way to the next cache (-T --direct)",
    "disk": "sequential from the start, through the page cache (-t)",
    "disk_direct": "sequential from the start, without the page cache (-t --direct)",
}


@dataclass(frozen=True, kw_only=True)
class Timings:
    """Reads of 256 KiB, one at a time."""

    seconds: float = 0.5
    """Seconds of each phase in each round. Six rounds are the three seconds of the classic -t."""
    rounds: int = ROUNDS

    name = "timings"
    title = "the classic timings of reads"
    alone = False

    def ways(self, target: Target) -> list[str]:
        """Names of possible phases. Without a file or device of this machine there is no page cache."""
        return [way for way in _MODELS if way.endswith("direct") or isinstance(target, Handled)]

    def needs(self, target: Target) -> Needs:
        """Only reads."""
        return Needs(seconds=self.rounds * self.seconds * len(self.ways(target)), size=2 * PIECE)

    def run(self, bench: Bench) -> Steps:
        """Run all in random order, round by round. Repeated reads cover what was just read."""
        ways, block = self.ways(bench.target), bench.fitting(BLOCK)
        phases = {way: Phase() for way in ways}
        again = bench.row(block, 0, max(1, PIECE // block), end=max(PIECE, block))
        whole = bench.row(block, 0, max(1, bench.target.size // block))
        for _ in bench.rounds(self.rounds):
            for way in bench.shuffled(ways):
                cached = way.startswith("cached")
                row = stream(Op.READ, again if cached else whole, block, cycle=cached or way.endswith("direct"))
                if way.endswith("direct"):
                    phases[way].add(bench.run(row, seconds=self.seconds))
                    continue
                with buffered(bench.target) as view:
                    # a sequence is not read twice: the page cache would be measured
                    phases[way].add(bench.run(row, seconds=self.seconds, target=view))
            yield
        figures = {way: phase.spread("MiB/s", block / MIB) for way, phase in phases.items()}
        model = "; ".join(f"{way}: {text}" for way, text in _MODELS.items() if way in phases)
        return TrialResult(trial=self.name, figures=figures, latency=latencies(phases), model=model)
