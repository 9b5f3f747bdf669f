"""Detect rotation and rpm, by random reads and commits of one block."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from raidctl.bench.estimators import commits, rotation
from raidctl.bench.estimators.spread import too_short
from raidctl.bench.result import Spread, TrialResult, Verdict
from raidctl.bench.trials.phase import Phase, ends, latencies, milliseconds, stream, words
from raidctl.bench.trials.trial import KIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.verdict.decision import MEDIUM
from raidctl.bench.work import Op, Outcome, Stream, Target
from raidctl.text import counted

SHORTEST = 0.1
"""Minimum seconds of reads per round. Six rounds then give a rate."""
MANY = 1 << 14
SPANS = 20
"""Minimum span of reads, as a multiple of the controller's cache. A smaller span does not measure the medium."""
TYPICAL_S = 0.02
"""Usual maximum of a random read."""


@dataclass(frozen=True, kw_only=True)
class Medium:
    """The kind of the medium, and its speed."""

    reads: int = 400
    commits: int = 300
    rounds: int = ROUNDS

    name = "medium"
    title = "whether the medium rotates, and its rpm"
    alone = False

    def needs(self, target: Target) -> Needs:
        """Rewrites a block if allowed."""
        written = self.commits * 4 * KIB if target.writable else 0
        return Needs(seconds=(self.reads + self.commits) * TYPICAL_S, written=written, size=self.rounds * 4 * KIB)

    def run(self, bench: Bench) -> Steps:
        """Alternate reads of distinct blocks and commits."""
        size = bench.fitting(4 * KIB)
        count = max(1, -(-self.reads // self.rounds))
        places = bench.places(size, count * self.rounds)
        reads, waits, gaps = Phase(), list[float](), list[float]()
        for number in bench.rounds(self.rounds):
            part = places[number * count : (number + 1) * count]
            outcome = bench.run(stream(Op.READ, part, size))
            reads.add(self._longer(bench, size) if outcome.wall_seconds < SHORTEST else outcome)
            waits += milliseconds(outcome.samples[0].latencies)
            if bench.target.writable:
                gaps += self._gaps(bench, size)
            yield
        return self._result(bench, reads, waits, gaps)

    def _longer(self, bench: Bench, size: int) -> Outcome:
        """Read longer for the rate alone if reads were too quick. Blocks may repeat."""
        return bench.run(stream(Op.READ, bench.places(size, MANY), size, cycle=True), seconds=SHORTEST)

    def _gaps(self, bench: Bench, size: int) -> list[float]:
        """Milliseconds between commits of the block in the middle."""
        middle = bench.target.size // 2 // size * size
        count = max(2, self.commits // self.rounds)
        ops = bytes([Op.WRITE, Op.FLUSH]) * count
        outcome = bench.run(Stream(ops=ops, offsets=array("Q", [middle, middle]) * count, size=size))
        return commits.intervals_ms(ends(outcome.samples[0], Op.FLUSH))

    def _result(self, bench: Bench, reads: Phase, waits: list[float], gaps: list[float]) -> TrialResult:
        found, turns = rotation.medium(waits), rotation.rpm(gaps)
        # the kind of the medium needs fewer reads than a figure
        short = too_short(reads.seconds, len(waits))
        typical = Spread(measured=None, unit="ms", n=len(waits)) if short else found.typical
        figures = {"read_latency": typical, "rpm": turns.rpm}
        if not too_short(reads.seconds, reads.operations):
            figures["reads"] = reads.spread()
        verdict, reasons = self._judged(bench, found)
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies({"read": reads}),
            model="A rotating drive needs a seek and up to a revolution per random read, a revolution per commit.",
            verdict=verdict,
            reasons=tuple(reasons),
            next_test=MEDIUM if verdict == "inconclusive" else None,
            series={"medium": found.medium, "revolutions": {str(key): n for key, n in turns.revolutions.items()}},
        )

    def _judged(self, bench: Bench, found: rotation.Reads) -> tuple[Verdict, list[str]]:
        reasons = [_REASONS[found.medium]]
        if found.typical.n < rotation.MIN_READS:
            places = f"{counted(found.typical.n, 'place')} {'was' if found.typical.n == 1 else 'were'}"
            reasons = [f"Only {places} read: too few to decide whether it rotates."]
        if bench.target.kind == "file":
            reasons.append(f"Only a file of {words(bench.target.size)} was read, not the whole drive.")
        if bench.below.cache and bench.target.size < SPANS * bench.below.cache:
            held = f"It is less than {SPANS} times the controller's cache of {words(bench.below.cache)}"
            reasons.append(f"{held}, which may serve reads instead of the medium.")
        return ("inconclusive" if found.medium == "unclear" else "info"), reasons


_REASONS = {
    "rotating": "It rotates: read times and their spread are those of a rotating drive.",
    "solid_state": "Reads are too fast for a rotating drive: solid state, or a cache.",
    "unclear": "Reads are neither as slow as a rotating drive's nor as fast as solid state's.",
}
