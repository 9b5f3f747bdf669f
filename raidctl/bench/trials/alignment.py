"""The cost of misalignment. The same random operations run at aligned and shifted offsets."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from raidctl.bench.estimators import effect
from raidctl.bench.result import Spread, TrialResult
from raidctl.bench.trials.phase import Phase, amount, latencies, ratio, stream, unclear, words
from raidctl.bench.trials.trial import CHUNK, KIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.work import Op, Target

PLACES = 4096
Way = tuple[str, int, int]
"""`read` or `write`, bytes, shift from an aligned offset."""


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """Random operations at multiples of the chunk, and shifted.

    The shifts are a sector, 4 KiB, and half a chunk.

    A chunk is the contiguous part on one drive: the volume's reported strip size, or 64 KiB. Blocks have 4 KiB, 16 KiB,
    and the size of a chunk; blocks larger than a chunk are placed at multiples of their size.
    """

    depth: int = 4
    seconds: float = 0.5
    """Seconds of each phase in each round."""
    rounds: int = ROUNDS

    name = "alignment"
    title = "what misalignment costs"
    alone = False

    def ways(self, target: Target, chunk: int = CHUNK) -> list[Way]:
        """All phases of a round on a volume with such chunks. Shifts that the target rejects are left out."""
        sizes = sorted({4 * KIB, 16 * KIB, chunk})
        shifts = [0, *(shift for shift in sorted({512, 4 * KIB, chunk // 2}) if shift % target.alignment == 0)]
        kinds = ("read", "write") if target.writable else ("read",)
        return [(kind, size, shift) for kind in kinds for size in sizes for shift in shifts]

    def needs(self, target: Target) -> Needs:
        """Writes only if allowed."""
        ways = self.ways(target)
        seconds = self.rounds * self.seconds * len(ways)
        size = 4 * max(size for _, size, _ in ways)
        return Needs(seconds=seconds, written=None if target.writable else 0, size=size)

    def run(self, bench: Bench) -> Steps:
        """Run all phases in random order, round by round."""
        chunk = bench.below.chunk
        ways = self.ways(bench.target, chunk)
        phases = {way: Phase() for way in ways}
        for _ in bench.rounds(self.rounds):
            for way in bench.shuffled(ways):
                kind, asked, shift = way
                size, op = bench.fitting(asked), Op.READ if kind == "read" else Op.WRITE
                step = max(chunk, size)
                whole = bench.places(step, PLACES, span=bench.target.size - step)
                places = array("Q", (place + shift for place in whole))
                phases[way].add(bench.run(stream(op, places, size, self.depth, cycle=True), seconds=self.seconds))
            if bench.target.writable:
                bench.settle()
            yield
        return self._result(bench, phases)

    def _result(self, bench: Bench, phases: dict[Way, Phase]) -> TrialResult:
        named = {f"{kind}_{amount(size)}_plus_{shift}": phase for (kind, size, shift), phase in phases.items()}
        figures = {name: phase.spread() for name, phase in named.items()}
        ratios = {way: ratio(phases[way[0], way[1], 0], phase) for way, phase in phases.items() if way[2]}
        figures |= {f"{kind}_{amount(size)}_plus_{shift}_ratio": r for (kind, size, shift), r in ratios.items()}
        weights = {way: effect.weigh(ratio) for way, ratio in ratios.items()}
        graver = [way for way, weight in weights.items() if weight in ("warn", "note")]
        reasons = tuple(_reason(way, ratios[way], weights[way]) for way in graver)
        clear = bool(weights) and all(weight == "nothing" for weight in weights.values())
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies(named),
            model="An operation across a chunk or sector boundary keeps two drives busy, or reads before it writes.",
            verdict="info" if clear or graver else "inconclusive",
            reasons=(*(reasons or (_NOTHING if clear else unclear(phases.values(), _UNCLEAR),)), *_offset_lines(bench)),
            series={"chunk": bench.below.chunk, "strip_told": bench.below.strip is not None},
        )


_NOTHING = "The offset of operations makes no difference."
_UNCLEAR = "The difference is within the spread of the rounds."


def _offset_lines(bench: Bench) -> list[str]:
    """Describe the aligned offsets."""
    whose = "the volume's strip" if bench.below.strip else "a typical strip size, as the volume's is unknown"
    notes = [f"Round places are multiples of {words(bench.below.chunk)}, {whose}."]
    if bench.target.kind == "file":
        notes.append("They are round within the file; its position on the volume is unknown.")
    return notes


def _reason(way: Way, ratio: Spread, weight: effect.Weight) -> str:
    kind, size, shift = way
    loss = 1 - (ratio.measured or 0.0)
    start = "Warning: a" if weight == "warn" else "A"
    return f"{start} {kind} of {words(size)} beside a round place (+{shift} bytes) is {loss:.0%} slower."
