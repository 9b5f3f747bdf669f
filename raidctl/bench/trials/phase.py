"""Rates, latencies and streams for most trials. Pure, except for the bench passed in."""

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
    """One kind of operation at these offsets."""
    return Stream(ops=bytes([op]) * len(places), offsets=places, size=size, depth=depth, cycle=cycle)


@dataclass
class Phase:
    """One figure measured in several rounds."""

    rates: list[float] = field(default_factory=list)
    """Operations per second of each round."""
    seconds: float = 0.0
    operations: int = 0
    histogram: Histogram = field(default_factory=Histogram)

    def add(self, outcome: Outcome, ops: Iterable[Op] = tuple(Op)) -> None:
        """Count one round; latencies are kept for these kinds of operations only."""
        self.add_rate(done(outcome), outcome.wall_seconds)
        wanted = bytes(ops)
        for one in outcome.samples:
            self.histogram.add(wait for op, wait in zip(one.ops, one.latencies, strict=True) if op in wanted)

    def add_commits(self, outcome: Outcome) -> None:
        """Count one round of streams that alternately write and flush. A commit is a write and a flush.

        For one stream, commits count exactly from the end of the first, which began anywhere in a revolution.
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
        """Count operations and their seconds."""
        if seconds > 0:
            self.rates.append(count / seconds)
        self.seconds += seconds
        self.operations += int(count)

    @property
    def short(self) -> bool:
        """Whether there are too few samples. Too few are under half a second in all rounds, or under 300 operations."""
        return too_short(self.seconds, self.operations)

    def spread(self, unit: str = "ops/s", factor: float = 1.0) -> Spread:
        """The rounds' median with its interval, times ``factor``. Without a value if there are too few samples."""
        if self.short:
            return Spread(measured=None, unit=unit, n=self.operations)
        return of_rounds([rate * factor for rate in self.rates], unit, self.operations)

    def latency(self) -> Latency | None:
        """Latency of all rounds together; None if none was kept."""
        return self.histogram.latency()


def done(outcome: Outcome) -> int:
    """Operations completed in all streams."""
    return sum(one.count for one in outcome.samples)


def pace(outcome: Outcome) -> Sequence[float]:
    """Operations per second of one round. Empty if it was too short for the clock."""
    return [done(outcome) / outcome.wall_seconds] if outcome.wall_seconds > 0 else []


def ratio(first: Phase, second: Phase) -> Spread:
    """Second over first, per round. Without a value if one of them has too few samples."""
    if first.short or second.short or len(first.rates) != len(second.rates):
        return Spread(measured=None, unit="ratio", n=0)
    return paired_ratio(first.rates, second.rates)


def unclear(phases: Iterable[Phase], otherwise: str) -> str:
    """Why nothing follows from these rounds: too few samples, or else ``otherwise``."""
    little = any(phase.short or ranks(len(phase.rates)) is None for phase in phases)
    return "The rounds were too few or too short for a verdict." if little else otherwise


def latencies(phases: dict[str, Phase]) -> dict[str, Latency]:
    """Available latencies, by the name of their phase."""
    found = {name: phase.latency() for name, phase in phases.items()}
    return {name: one for name, one in found.items() if one is not None}


def ends(samples: Samples, op: Op | None = None) -> list[int]:
    """Completion times of one kind of operation, ns after the start, ascending."""
    return sorted(
        start + wait
        for kind, start, wait in zip(samples.ops, samples.starts, samples.latencies, strict=True)
        if op is None or kind == op
    )


def milliseconds(latencies_ns: Sequence[int]) -> list[float]:
    """Nanoseconds as milliseconds."""
    return [value / 1e6 for value in latencies_ns]


def amount(size: int) -> str:
    """``4k``, ``1m``, ``16g``: sizes in names of figures."""
    for unit, letter in ((1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)


def words(size: int) -> str:
    """``4 KiB``, ``16 GiB``, ``953.1 MiB``: sizes in sentences."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{size} bytes"
