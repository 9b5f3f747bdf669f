"""Sequential throughput at several positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raidctl.bench.estimators import effect, geometry
from raidctl.bench.result import Spread, TrialResult, Verdict
from raidctl.bench.trials.phase import Phase, amount, latencies, ratio, stream
from raidctl.bench.trials.trial import MIB, ROUNDS, Bench, Link, Needs, Steps
from raidctl.bench.work import Op, Target
from raidctl.text import counted

Way = tuple[str, int, int]
"""`read` or `write`, bytes, depth."""
MUCH = 0.5
NEAR, EXCEEDS = 0.85, 1.05
"""Shares of a link's capacity. At the first it is the limit, at the second it cannot have carried the data."""
ETHERNET = 125e6 / MIB
"""Maximum MiB/s of 1 Gbit/s Ethernet, less a few percent of headers."""
FLOOR = 50e6 / MIB
"""MiB/s that a good drive reads sequentially at any position. Most are twice as fast."""
_REMOTE = frozenset({"network", "served", "virtual_machine"})
"""Confounders with which a network may be in between."""


@dataclass(frozen=True, kw_only=True)
class Sequential:
    """Sequential reads and writes from several positions."""

    seconds: float = 1.0
    """Seconds of each position in each round."""
    sizes: tuple[int, ...] = (MIB,)
    depths: tuple[int, ...] = (1, 8)
    positions: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 0.99)
    """Shares of the span, 0 outside."""
    rounds: int = ROUNDS

    name = "sequential"
    title = "sequential reads and writes"
    alone = False

    def ways(self, *, writable: bool) -> list[Way]:
        """All phases of a round."""
        kinds = ("read", "write") if writable else ("read",)
        return [(kind, size, depth) for kind in kinds for size in self.sizes for depth in self.depths]

    def needs(self, target: Target) -> Needs:
        """If writing is allowed, writes as much as possible."""
        ways = self.ways(writable=target.writable)
        seconds = self.rounds * self.seconds * len(ways) * len(self.positions)
        return Needs(seconds=seconds, written=None if target.writable else 0, size=max(self.sizes))

    def run(self, bench: Bench) -> Steps:
        """Run all phases at every position in random order, round by round."""
        ways = self.ways(writable=bench.target.writable)
        phases = {way: Phase() for way in ways}
        for _ in bench.rounds(self.rounds):
            for way in bench.shuffled(ways):
                self._round(bench, way, phases[way])
                if way[0] == "write":
                    bench.settle()
            yield
        return self._result(bench, phases)

    def _round(self, bench: Bench, way: Way, phase: Phase) -> None:
        """Measure one rate, the mean over all positions, from their total time."""
        kind, asked, depth = way
        size, op = bench.fitting(asked), Op.READ if kind == "read" else Op.WRITE
        count, seconds = 0, 0.0
        for position in bench.shuffled(self.positions):
            begin = int(position * (bench.target.size - size))
            places = bench.row(size, begin, min(bench.target.size // size, 1 << 16))
            outcome = bench.run(stream(op, places, size, depth, cycle=True), seconds=self.seconds)
            done = Phase()
            done.add(outcome)
            phase.histogram.merge(done.histogram)
            count, seconds = count + done.operations, seconds + done.seconds
        phase.add_rate(count, seconds)

    def _result(self, bench: Bench, phases: dict[Way, Phase]) -> TrialResult:
        named = {self._name(way): phase for way, phase in phases.items()}
        figures = {self._name(way): phase.spread("MiB/s", bench.fitting(way[1]) / MIB) for way, phase in phases.items()}
        drives = _data_drive_count(bench)
        verdict, reasons = self._judged(phases, figures, drives)
        expected = None if drives is None else _least(drives)
        return TrialResult(
            trial=self.name,
            figures=figures,
            latency=latencies(named),
            model=None if expected is None else "Each drive that holds data gives its own sequential speed.",
            expected=expected,
            verdict=verdict,
            reasons=(*reasons, *linked(figures.values(), bench.below.links), *networked(figures.values(), bench)),
        )

    def _name(self, way: Way) -> str:
        kind, size, depth = way
        name = kind if size == self.sizes[0] else f"{kind}_{amount(size)}"
        return name if depth == self.depths[0] else f"{name}_qd{depth}"

    def _judged(
        self, phases: dict[Way, Phase], figures: dict[str, Spread], drives: int | None
    ) -> tuple[Verdict, tuple[str, ...]]:
        reasons = []
        size, depth = self.sizes[0], self.depths[0]
        writes = phases.get(("write", size, depth))
        if writes is not None:
            found = ratio(phases["read", size, depth], writes)
            if found.low is not None and found.low > 1:
                reasons.append(
                    "Writes are faster than reads: the read-ahead is too small, or a cache takes the writes."
                )
            elif found.high is not None and found.high < MUCH:
                reasons.append("Writes are much slower than reads: check the cache policy.")
        deep = figures[self._name(("read", size, self.depths[-1]))]
        if drives is None or deep.high is None or deep.high >= effect.TOO_SLOW * drives * FLOOR:
            return "info", tuple(reasons)
        return "suspect", (f"It is slow: good drives read {_least(drives)}.", *reasons)


def _least(drives: int) -> str:
    """Format ``at least 191 MiB/s from 4 data drives``."""
    return f"at least {drives * FLOOR:.0f} MiB/s from {counted(drives, 'data drive')}"


def _data_drive_count(bench: Bench) -> int | None:
    """Return the number of data drives in the inventory. None: it is unknown, or they are not known to rotate."""
    below = bench.below
    if bench.rotating is not True or below.level is None or below.drives is None:
        return None
    return geometry.holding(below.level, below.drives)


def networked(figures: Iterable[Spread], bench: Bench) -> list[str]:
    """A sentence if a network of 1 Gbit/s may be the limit.

    The fastest figure is close to that rate, and a network lies, or may lie, in between.
    """
    fastest = max((one.measured for one in figures if one.measured is not None), default=0.0)
    names = {one.name for one in bench.confounders} & _REMOTE
    if not names or not NEAR <= fastest / ETHERNET <= 1:
        return []
    what = "through the network" if "network" in names else "through a network, if there is one"
    text = f"{fastest:.0f} MiB/s are {fastest / ETHERNET:.0%} of what Ethernet of 1 Gbit/s carries ({what}): "
    return [f"{text}it may be the limit, and not the drives."]


def linked(figures: Iterable[Spread], links: Sequence[Link]) -> list[str]:
    """Sentences on links that the fastest figure approaches or exceeds. In that case, no drive was measured."""
    fastest = max((one.measured for one in figures if one.measured is not None), default=None)
    if fastest is None:
        return []
    notes = []
    for link in links:
        share = fastest / link.mib
        if share > EXCEEDS:
            notes.append(
                f"{fastest:.0f} MiB/s are more than the {link.mib:.0f} MiB/s that the {link.name} carries: "
                "a cache of this machine answers."
            )
        elif share > NEAR:
            notes.append(
                f"{fastest:.0f} MiB/s are {share:.0%} of what the {link.name} carries: it is the limit, not the drives."
            )
    return notes
