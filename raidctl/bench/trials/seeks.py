"""Random reads per second over a given span."""

from __future__ import annotations

from dataclasses import dataclass

from raidctl.bench.result import TrialResult
from raidctl.bench.trials.phase import Phase, amount, latencies, stream, words
from raidctl.bench.trials.trial import KIB, ROUNDS, Bench, Needs, Steps
from raidctl.bench.work import Op, Target

PLACES = 1 << 16
SEEK_MS = {7200: 8.5, 15000: 3.5}
"""Milliseconds of a mean seek, by revolutions per minute."""
Way = tuple[str, int, int, int]
"""`read` or `write`, bytes of a block, span in bytes, depth."""


@dataclass(frozen=True, kw_only=True)
class Seeks:
    """Random reads over several spans at several depths; also writes if allowed."""

    spans: tuple[int | None, ...] = (None,)
    """Bytes from the beginning; None: the whole target. Spans larger than the target are left out."""
    depths: tuple[int, ...] = (1, 16)
    sizes: tuple[int, ...] = (4 * KIB,)
    """Block sizes; figures of the first have no size in their names."""
    seconds: float = 1.0
    """Seconds of each phase in each round."""
    rounds: int = ROUNDS

    name = "seeks"
    title = "random reads and writes"
    alone = False

    def ways(self, target: Target) -> list[Way]:
        """All phases of a round."""
        spans = dict.fromkeys(target.size if span is None else span for span in self.spans)
        fitting = [span for span in spans if span <= target.size] or [target.size]
        kinds = ("read", "write") if target.writable else ("read",)
        return [
            (kind, size, span, depth)
            for kind in kinds
            for size in self.sizes
            for span in fitting
            for depth in self.depths
        ]

    def needs(self, target: Target) -> Needs:
        """Writes only if allowed."""
        seconds = self.rounds * self.seconds * len(self.ways(target))
        return Needs(seconds=seconds, written=None if target.writable else 0, size=max(self.sizes))

    def run(self, bench: Bench) -> Steps:
        """Run all phases in random order, round by round."""
        ways = self.ways(bench.target)
        phases = {way: Phase() for way in ways}
        for _ in bench.rounds(self.rounds):
            for way in bench.shuffled(ways):
                kind, asked, span, depth = way
                size = bench.fitting(asked)
                op = Op.READ if kind == "read" else Op.WRITE
                places = bench.places(size, PLACES, span=span)
                phases[way].add(bench.run(stream(op, places, size, depth, cycle=True), seconds=self.seconds))
                if kind == "write":
                    bench.settle()
            yield
        named = {self._name(way, bench.target.size): phase for way, phase in phases.items()}
        figures = {name: phase.spread() for name, phase in named.items()}
        rates = {way: figures[self._name(way, bench.target.size)].measured for way in ways}
        limited = bench.limits([(bench.fitting(way[1]), way[3], rates[way]) for way in ways])
        spans = ", ".join(dict.fromkeys(words(span) for _, _, span, _ in ways))
        blocks = " and ".join(words(bench.fitting(size)) for size in self.sizes)
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies(named),
            model="A seek and half a revolution each: 75 to 85 per second at 7200 rpm over a whole drive.",
            expected=_expected(bench),
            reasons=(f"Blocks of {blocks} at random places within {spans}.", *limited),
            series={"spans": {self._name(way, bench.target.size): way[2] for way in ways}},
        )

    def _name(self, way: Way, whole: int) -> str:
        """``read_qd1_all``, ``read_qd16_1g``, ``read_8k_qd1_all``."""
        kind, size, span, depth = way
        block = "" if size == self.sizes[0] else f"_{amount(size)}"
        return f"{kind}{block}_qd{depth}_{'all' if span == whole else amount(span)}"


def _expected(bench: Bench) -> str | None:
    """Expected rate of random reads of one drive with known rpm.

    Reads are one at a time over all of it. None: unknown.
    """
    seek = SEEK_MS.get(round(bench.rpm)) if bench.rotating and bench.rpm else None
    if seek is None or bench.rpm is None:
        return None
    each = 1000 / (seek + 30000 / bench.rpm)
    return f"about {each:.0f} per second from one drive of {bench.rpm:.0f} rpm, one at a time over all of it"
