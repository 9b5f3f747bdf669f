"""Figures of phases: rates, latencies and streams that most trials need. Pure, but for the bench that is handed in."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from raidctl.bench.estimators.histogram import Histogram
from raidctl.bench.estimators.spread import of_rounds, paired_ratio, ranks, too_short
from raidctl.bench.result import Latency, Spread
from raidctl.bench.work import Op, Outcome, Samples, Stream

MIB = 1 << 20


def stream(op: Op, places: array[int], size: int, depth: int = 1, *, cycle: bool = False) -> Stream:
    """One kind of operation at these places."""
    return Stream(ops=bytes([op]) * len(places), offsets=places, size=size, depth=depth, cycle=cycle)


@dataclass
class Phase:
    """One figure measured in several rounds."""

    rates: list[float] = field(default_factory=list)
    """Operations a second of each round."""
    seconds: float = 0.0
    operations: int = 0
    histogram: Histogram = field(default_factory=Histogram)

    def add(self, outcome: Outcome, ops: Iterable[Op] = tuple(Op)) -> None:
        """Count one round, of which only operations of these kinds have their latencies kept."""
        self.add_rate(done(outcome), outcome.wall_seconds)
        wanted = bytes(ops)
        for one in outcome.samples:
            self.histogram.add(wait for op, wait in zip(one.ops, one.latencies, strict=True) if op in wanted)

    def add_commits(self, outcome: Outcome) -> None:
        """Count one round of streams that each write and flush in turn; a commit is both.

        Those of one stream are counted from the end of the first on, exactly: that one began anywhere in a revolution.
        """
        for one in outcome.samples:
            waits = one.latencies
            self.histogram.add(waits[at] + waits[at + 1] for at in range(0, len(one.ops) - 1, 2))
        single = outcome.samples[0] if len(outcome.samples) == 1 else None
        found = ends(single, Op.FLUSH) if single is not None and not single.beyond else []
        if len(found) > 1:
            self.add_rate(len(found) - 1, (found[-1] - found[0]) / 1e9)
        else:
            self.add_rate(done(outcome) / 2, outcome.wall_seconds)

    def add_rate(self, count: float, seconds: float) -> None:
        """Count so many operations in so many seconds."""
        if seconds > 0:
            self.rates.append(count / seconds)
        self.seconds += seconds
        self.operations += int(count)

    @property
    def short(self) -> bool:
        """Whether it says nothing: its rounds together took under half a second, or had under 300 operations."""
        return too_short(self.seconds, self.operations)

    def spread(self, unit: str = "ops/s", factor: float = 1.0) -> Spread:
        """The median of the rounds with its interval, each times ``factor``; None where it was too short."""
        if self.short:
            return Spread(measured=None, unit=unit, n=self.operations)
        return of_rounds([rate * factor for rate in self.rates], unit, self.operations)

    def latency(self) -> Latency | None:
        """Of all rounds together; None: nothing was kept."""
        return self.histogram.latency()


def done(outcome: Outcome) -> int:
    """Operations carried out in all streams."""
    return sum(one.count for one in outcome.samples)


def pace(outcome: Outcome) -> Sequence[float]:
    """Operations a second of one round; none where it took no time that its clock tells."""
    return [done(outcome) / outcome.wall_seconds] if outcome.wall_seconds > 0 else []


def ratio(first: Phase, second: Phase) -> Spread:
    """Second over first, round by round; None where one of them was too short to say anything."""
    if first.short or second.short or len(first.rates) != len(second.rates):
        return Spread(measured=None, unit="ratio", n=0)
    return paired_ratio(first.rates, second.rates)


def unclear(phases: Iterable[Phase], otherwise: str) -> str:
    """Why nothing follows from several rounds: they were too little, or else ``otherwise``."""
    little = any(phase.short or ranks(len(phase.rates)) is None for phase in phases)
    return "There were too few rounds, or too short ones, to tell." if little else otherwise


def latencies(phases: dict[str, Phase]) -> dict[str, Latency]:
    """Those that there are, by the name of their phase."""
    found = {name: phase.latency() for name, phase in phases.items()}
    return {name: one for name, one in found.items() if one is not None}


def ends(samples: Samples, op: Op | None = None) -> list[int]:
    """When each operation (of one kind) ended, ns after the start, ascending."""
    return sorted(
        start + wait
        for kind, start, wait in zip(samples.ops, samples.starts, samples.latencies, strict=True)
        if op is None or kind == op
    )


def milliseconds(latencies_ns: Sequence[int]) -> list[float]:
    """Nanoseconds as milliseconds."""
    return [value / 1e6 for value in latencies_ns]


def amount(size: int) -> str:
    """``4k``, ``1m``, ``16g``: how names of figures tell sizes."""
    for unit, letter in ((1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)


def words(size: int) -> str:
    """``4 KiB``, ``16 GiB``, ``953.1 MiB``: how sentences tell sizes."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{size} bytes"
