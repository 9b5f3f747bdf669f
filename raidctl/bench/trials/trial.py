"""The base of every trial: requirements, execution, and the bench."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol, TypeVar

from raidctl.bench.engines.calibrate import Ceiling, ceiling
from raidctl.bench.estimators.figures import chance, median
from raidctl.bench.faulty import refuse_faulty
from raidctl.bench.result import Confounder, Spread, TrialResult
from raidctl.bench.trials.phase import words
from raidctl.bench.work import Engine, Op, Outcome, Samples, Stream, Target, Work
from raidctl.errors import BenchError

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
CHUNK = 64 * KIB
"""Bytes of a chunk if unknown."""
ROUNDS = 6
"""The fewest rounds whose extremes enclose the median with 95%: 1 - 2 / 2**6 is 97%."""

LOOKED_AT = 20000.0
PROBES = 16
CALM = 2.0
"""Multiple of their shortest time up to which reads are calm."""
PATIENCE = 2.0
WAITING = 0.1
_WRITES = (Op.WRITE, Op.WRITE_DURABLE)
T = TypeVar("T")
Steps = Generator[None, None, TrialResult]
"""A running trial. At each yield another may run; it returns its result."""


@dataclass(frozen=True, kw_only=True)
class Needs:
    """Requirements of a trial, known before it starts, for display."""

    seconds: float
    """Approximate maximum duration."""
    written: int | None = 0
    """Maximum bytes written. None: as much as it can within its time; 0: it only reads."""
    size: int = 0
    """Minimum bytes of the target."""

    @property
    def writes(self) -> bool:
        """Whether the target must be writable."""
        return self.written != 0


class Trial(Protocol):
    """One test with its parameters."""

    @property
    def name(self) -> str:
        """Name of its result, `medium` or `commits`."""

    @property
    def title(self) -> str:
        """A few words for display while it runs."""

    @property
    def alone(self) -> bool:
        """Whether no other trial may run in between. The trial changes the state of the machine."""

    def needs(self, target: Target) -> Needs:
        """Requirements on an open target."""

    def run(self, bench: Bench) -> Steps:
        """Measure. Raise RaidctlError if nothing could be measured; `whole` runs it without interleaving."""


def whole(trial: Trial, bench: Bench) -> TrialResult:
    """Run a trial from beginning to end."""
    return ended(trial.run(bench))


def ended(steps: Steps) -> TrialResult:
    """Run a started trial to its end."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: TrialResult = end.value
            return result


@dataclass(frozen=True)
class Progress:
    """Progress of a session."""

    trial: str
    """Name of the running trial."""
    title: str
    """What it does, for display."""
    seconds: float
    """Seconds spent so far."""
    total: float
    """Estimated total; ``seconds`` may exceed it."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """A connection that carries all data."""

    name: str
    """`PCI link of 0000:03:00.0 (8 GT/s, 8 lanes)`, for display."""
    mib: float
    """Maximum payload in MiB/s."""


@dataclass(frozen=True, kw_only=True)
class Range:
    """A contiguous range of a mapping on the device below it."""

    mapping: str
    """The mapping device."""
    path: str
    """The device below."""
    first: int
    """Offset of its first byte on that device."""
    length: int
    """Bytes."""
    start: int = 0
    """Offset of its first byte in the mapping."""
    kind: str = "linear"
    """Kind of mapping: `linear` (a logical volume, a plain mapping), `crypt`."""


@dataclass(frozen=True, kw_only=True)
class Below:
    """Reports of inventory and kernel on the layers below a target. None or empty: unknown."""

    rpm: float | None = None
    """Revolutions per minute of all drives."""
    level: str | None = None
    """RAID level."""
    drives: int | None = None
    """Number of drives of the volume, without spares."""
    drive_bytes: int | None = None
    """Size of the smallest of them."""
    volume_bytes: int | None = None
    strip: int | None = None
    """Reported bytes of a chunk."""
    cache: int | None = None
    """Total bytes of the controller's cache; 0: no cache."""
    read_percent: float | None = None
    """Reported percentage of the controller's cache reserved for reads."""
    disk: str | None = None
    """The single drive below all layers of the kernel. None: several, or unknown."""
    bare: bool = False
    """Whether the target is a device without layers. It is that drive or a partition of it."""
    write_cache: str | None = None
    """`on` or `off`: whether any cache is reported to acknowledge early. Early means before the drives have the
    writes."""
    links: tuple[Link, ...] = ()
    ranges: tuple[Range, ...] = ()
    """Where a device-mapper device keeps its bytes. Empty: it is not one, or its table could not be read."""
    why_no_ranges: str | None = None
    """Why ``ranges`` is empty, one sentence. None: the target is not a mapping, or its ranges are known."""

    @property
    def chunk(self) -> int:
        """Bytes of a chunk, or a common value if unknown."""
        return self.strip or CHUNK


class Interrupted(Exception):
    """The session is over; results so far are returned."""


@dataclass
class Bench:
    """Where a trial measures: target, engine, time left, and confounders."""

    target: Target
    engine: Engine
    confounders: tuple[Confounder, ...] = ()
    seed: int = field(default_factory=lambda: int.from_bytes(os.urandom(4), "little"))
    """Seed of offsets and orders."""
    run_id: int = field(default_factory=lambda: int.from_bytes(os.urandom(8), "little"))
    budget: float | None = None
    """Maximum seconds of the whole session; None: as long as it needs."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    rpm: float | None = None
    """Speed reported by the drives; None if unknown."""
    below: Below = field(default_factory=Below)
    """Other reported facts on the layers below."""
    known: dict[str, TrialResult] = field(default_factory=dict)
    """Results of earlier trials of the session, by name."""
    engines: list[str] = field(default_factory=list)
    """Engines that have run anything, in order of first use."""
    now: list[str] = field(default_factory=list)
    """The same for the current trial."""
    notes: list[str] = field(default_factory=list)
    """Notes of the engines, once each."""
    written: int = 0
    """Bytes written so far."""
    generation: int = 0
    over: bool = False
    """Whether the session is over; trials then return what they have."""

    def __post_init__(self) -> None:
        """Start the clock."""
        self._begun = self.clock()
        self._quickest = float("inf")
        self._waited = 0.0
        self._ceilings: dict[tuple[int, int], Ceiling | None] = {}
        self.random: Random = chance(self.seed)

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return self.clock() - self._begun

    @property
    def left(self) -> float:
        """Seconds left; infinite without a budget, 0 or less after it."""
        return float("inf") if self.budget is None else self.budget - self.spent

    @property
    def durable(self) -> bool:
        """Whether a verdict on durability is possible."""
        return not any(one.forbids for one in self.confounders)

    def rounds(self, count: int = ROUNDS) -> Iterator[int]:
        """Numbers of the rounds while time is left, at least the first."""
        for number in range(count):
            if self.over or (number and self.left <= 0):
                return
            yield number

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """The items of one round in random order. Drift then favours none."""
        return self.random.sample(things, len(things))

    def run(
        self,
        *streams: Stream,
        seconds: float | None = None,
        verify: bool = False,
        generation: int | None = None,
        target: Target | None = None,
    ) -> Outcome:
        """Run streams at once with the engine, on another ``target`` if given.

        Each call has a new generation, so that no block is ever written twice with the same content.

        Raises:
            Interrupted: The session is over.
            Faulty: An operation failed, did less than it should, or is missing.
        """
        if self.over:
            raise Interrupted
        self.generation += 1
        own = self.generation << 20 if generation is None else generation
        work = Work(streams=streams, seconds=seconds, run_id=self.run_id, generation=own, verify=verify)
        outcome = self.engine.run(target or self.target, work)
        self.used(outcome.engine)
        self.notes += [note for note in outcome.notes if note not in self.notes]
        self.written += sum(map(_written, outcome.samples))
        refuse_faulty(self.target.name, work, outcome.samples)
        return outcome

    def used(self, engine: str) -> None:
        """Record that an engine was used."""
        for engines in (self.engines, self.now):
            if engine not in engines:
                engines.append(engine)

    def flush(self) -> None:
        """Make written data durable; nothing if the target is only read."""
        if self.target.writable:
            self.run(Stream(ops=bytes([Op.FLUSH]), offsets=array("Q", [0]), size=self.fitting(1)))

    def rest(self, seconds: float) -> None:
        """Wait, but no longer than the time left. Raise Interrupted if the session is over."""
        if self.over:
            raise Interrupted
        self.sleep(max(0.0, min(seconds, self.left)))

    def settle(self) -> None:
        """Flush after writes, and wait until reads are calm again.

        A flush does not empty a cache protected by a battery. Waiting takes a tenth of the session at most.
        """
        self.flush()
        begun = self.spent
        while True:
            wait = self._probe()
            self._quickest = min(self._quickest, wait)
            spent = self.spent - begun
            if wait <= CALM * self._quickest or spent > PATIENCE or self._waited + spent > WAITING * self.spent:
                break
            self.rest(0.1)
        self._waited += self.spent - begun

    def _probe(self) -> float:
        size = self.fitting(4 * KIB)
        places = self.places(size, PROBES)
        outcome = self.run(Stream(ops=bytes([Op.READ]) * len(places), offsets=places, size=size))
        return median(outcome.samples[0].latencies) or 0.0

    def limits(self, rates: Sequence[tuple[int, int, float | None]]) -> tuple[str, ...]:
        """Sentences on rates that are limited by the engine.

        A rate is bytes of an operation, depth, and operations per second.

        An engine reaches hundreds of thousands on memory, so only rates above ``LOOKED_AT`` are examined.
        """
        found: list[str] = []
        for size, depth, rate in rates:
            if rate is None or rate < LOOKED_AT or self.over:
                continue
            if (size, depth) not in self._ceilings:
                try:
                    self._ceilings[size, depth] = ceiling(
                        self.engine, size=size, depth=depth, direct=self.target.direct
                    )
                except BenchError:
                    self._ceilings[size, depth] = None
            most = self._ceilings[size, depth]
            text = None if most is None else most.limits(rate)
            found += [text] if text else []
        return tuple(dict.fromkeys(found))

    # places ----------------------------------------------------------------------------------------------------------

    def fitting(self, size: int) -> int:
        """Round ``size`` up to the target's block size."""
        return fitting(self.target, size)

    def figure(self, trial: str, name: str) -> Spread | None:
        """A figure of an earlier test of this run. None: it was not run, or failed."""
        found = self.known.get(trial)
        return None if found is None else found.figures.get(name)

    def measured(self, trial: str, name: str) -> float | None:
        """The same as a number."""
        found = self.figure(trial, name)
        return None if found is None else found.measured

    @property
    def rotating(self) -> bool | None:
        """Whether the medium rotates, as measured; None: not measured, or unclear."""
        medium = self.known.get("medium")
        word = None if medium is None else medium.series.get("medium")
        return None if word in (None, "unclear") else word == "rotating"

    def places(self, size: int, count: int, *, begin: int = 0, span: int | None = None) -> array[int]:
        """Random offsets for operations of ``size`` bytes.

        They lie within ``span`` bytes from ``begin`` (None: all of it).

        None is repeated before all have been used. Raise BenchError if not even one fits.
        """
        end = self.target.size if span is None else min(begin + span, self.target.size)
        slots = (end - begin) // size
        if slots < 1:
            raise self._too_small(end - begin, size)
        drawn: list[int] = []
        while len(drawn) < count:
            drawn += self.random.sample(range(slots), min(slots, count - len(drawn)))
        return array("Q", (begin + size * slot for slot in drawn))

    def row(self, size: int, begin: int, count: int, *, end: int | None = None) -> array[int]:
        """Sequential offsets from ``begin``. They start over at the end of the target (or ``end``)."""
        last = self.target.size if end is None else min(end, self.target.size)
        begin -= begin % size
        slots = (last - begin) // size
        if slots < 1:
            raise self._too_small(last - begin, size)
        return array("Q", (begin + size * (number % slots) for number in range(count)))

    def _too_small(self, room: int, size: int) -> BenchError:
        return BenchError(
            f"{self.target.name} is too small: {words(max(room, 0))} do not hold a block of {words(size)}."
        )


def fitting(target: Target, size: int) -> int:
    """Round ``size`` up to the block size of a target."""
    grain = max(target.alignment, 1)
    return -(-size // grain) * grain


def _written(one: Samples) -> int:
    counted = sum(sum(one.beyond.get(op, ())) for op in _WRITES)
    return one.size * (sum(one.ops.count(op) for op in _WRITES) + counted)
