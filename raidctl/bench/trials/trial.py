"""What every trial has in common: what it needs, how it runs, and the bench that it measures on."""

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
from raidctl.bench.result import Confounder, Spread, TrialResult
from raidctl.bench.trials.faulty import refuse_faulty
from raidctl.bench.trials.phase import words
from raidctl.bench.work import Engine, Op, Outcome, Samples, Stream, Target, Work
from raidctl.errors import BenchError

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
CHUNK = 64 * KIB
"""Bytes that one drive holds in a row, where nothing tells."""
ROUNDS = 6
"""The smallest number of rounds whose smallest and largest hold the median with 95 % (BENCH 2.20)."""

LOOKED_AT = 20000.0
PROBES = 16
CALM = 2.0
"""Reads are calm again when they take up to twice as long as they did at their quickest."""
PATIENCE = 2.0
WAITING = 0.1
_WRITES = (Op.WRITE, Op.WRITE_DURABLE)
T = TypeVar("T")
Steps = Generator[None, None, TrialResult]
"""A trial under way: at each yield another one may take its turn; the result is what it returns."""


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What a trial asks for; known before anything is done, so that the user can be told."""

    seconds: float
    """How long it takes at most, about."""
    written: int | None = 0
    """Bytes that it writes at most; None: as much as it can within its time. 0: it only reads."""
    size: int = 0
    """Bytes that the target must have at least."""

    @property
    def writes(self) -> bool:
        """Whether the target must be writable."""
        return self.written != 0


class Trial(Protocol):
    """One test with its parameters."""

    @property
    def name(self) -> str:
        """What its result is called, `medium` or `commits`."""

    @property
    def title(self) -> str:
        """What a person is told that is being done, a few words."""

    @property
    def alone(self) -> bool:
        """Whether no other trial may take turns with it, since it changes the state that the others meet."""

    def needs(self, target: Target) -> Needs:
        """What it asks for on a target that is open."""

    def run(self, bench: Bench) -> Steps:
        """Measure. Raise RaidctlError where nothing could be measured; `whole` runs it without turns."""


def whole(trial: Trial, bench: Bench) -> TrialResult:
    """Run a trial from its begin to its end."""
    return ended(trial.run(bench))


def ended(steps: Steps) -> TrialResult:
    """What a trial under way gives back where nobody else has a turn."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: TrialResult = end.value
            return result


@dataclass(frozen=True)
class Progress:
    """How far a session has come."""

    trial: str
    """Name of the trial that is being carried out."""
    title: str
    """What it does, for a person."""
    seconds: float
    """Spent up to now."""
    total: float
    """What all of it will take, by what is known now; ``seconds`` may exceed it."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """A connection that everything passes through."""

    name: str
    """`PCI link of 0000:03:00.0 (8 GT/s, 8 lanes)`, for sentences."""
    mib: float
    """MiB/s of payload that it carries at most."""


@dataclass(frozen=True, kw_only=True)
class Range:
    """Where the bytes of a mapping lie on the device below it, one after the other."""

    mapping: str
    """The mapping's own device."""
    path: str
    """The device below."""
    first: int
    """Byte of that device at which they begin."""
    length: int
    """Bytes."""
    start: int = 0
    """Byte of the mapping at which they begin."""
    kind: str = "linear"
    """Of the mapping: `linear` (a logical volume, a plain mapping), `crypt`."""


@dataclass(frozen=True, kw_only=True)
class Below:
    """What the inventory and the kernel say of what lies below a target; None, empty: not told."""

    rpm: float | None = None
    """Revolutions a minute of all drives."""
    level: str | None = None
    """RAID level."""
    drives: int | None = None
    """How many drives the volume has, without spares."""
    drive_bytes: int | None = None
    """Size of the smallest of them."""
    volume_bytes: int | None = None
    strip: int | None = None
    """Bytes that one drive holds in a row, as it is told."""
    cache: int | None = None
    """Bytes of the controller's cache, all of it; 0: it has none."""
    read_percent: float | None = None
    """Share of the controller's cache that is kept for reads, as it is told."""
    disk: str | None = None
    """The one disk at the bottom of all layers of the kernel; None: there are several, or it is not known."""
    bare: bool = False
    """Whether the target, where it is a device, is that disk or a partition of it: no layer lies between."""
    write_cache: str | None = None
    """`on` or `off`: whether any cache acknowledges writes before the drives have them, as it is told."""
    links: tuple[Link, ...] = ()
    ranges: tuple[Range, ...] = ()
    """Where a mapping of the device mapper has its bytes; empty: it is none, or its table could not be read."""
    why_no_ranges: str | None = None
    """Why ``ranges`` is empty, one sentence; None: the target is no mapping, or they are there."""

    @property
    def chunk(self) -> int:
        """Bytes that one drive holds in a row: a usual figure where it is not told."""
        return self.strip or CHUNK


class Interrupted(Exception):
    """The session is over; what has been measured is to be handed back."""


@dataclass
class Bench:
    """Where a trial measures: the target, the engine, the time that is left, and what else could explain a figure."""

    target: Target
    engine: Engine
    confounders: tuple[Confounder, ...] = ()
    seed: int = field(default_factory=lambda: int.from_bytes(os.urandom(4), "little"))
    """Places and orders follow from it."""
    run_id: int = field(default_factory=lambda: int.from_bytes(os.urandom(8), "little"))
    budget: float | None = None
    """Seconds that the whole session may take; None: as long as it needs."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    rpm: float | None = None
    """What the drives say of their speed; None: not told."""
    below: Below = field(default_factory=Below)
    """What else is told of what lies below."""
    known: dict[str, TrialResult] = field(default_factory=dict)
    """Results of earlier trials of the session, by name."""
    engines: list[str] = field(default_factory=list)
    """Which engines have carried out anything, in order of their first use."""
    now: list[str] = field(default_factory=list)
    """The same of the trial whose turn it is."""
    notes: list[str] = field(default_factory=list)
    """What the engines said of themselves, each once."""
    written: int = 0
    """Bytes written up to now."""
    generation: int = 0
    over: bool = False
    """Nothing more is carried out; trials give back what they have."""

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
        """Seconds left; infinite without a budget, 0 or less where it is used up."""
        return float("inf") if self.budget is None else self.budget - self.spent

    @property
    def durable(self) -> bool:
        """Whether a verdict on durability is possible at all."""
        return not any(one.forbids for one in self.confounders)

    def rounds(self, count: int = ROUNDS) -> Iterator[int]:
        """Numbers of the rounds, as long as there is time; the first one is always given."""
        for number in range(count):
            if self.over or (number and self.left <= 0):
                return
            yield number

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """The things of one round in random order, so that no drift favours one of them."""
        return self.random.sample(things, len(things))

    def run(
        self,
        *streams: Stream,
        seconds: float | None = None,
        verify: bool = False,
        generation: int | None = None,
        target: Target | None = None,
    ) -> Outcome:
        """Let the engine carry out streams side by side, on another ``target`` where one is named.

        Each call has a generation of its own, so that no block is ever written twice with the same content.

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
        """Note which engine has carried something out."""
        for engines in (self.engines, self.now):
            if engine not in engines:
                engines.append(engine)

    def flush(self) -> None:
        """Let what was written become durable; nothing where the target is only read."""
        if self.target.writable:
            self.run(Stream(ops=bytes([Op.FLUSH]), offsets=array("Q", [0]), size=self.fitting(1)))

    def rest(self, seconds: float) -> None:
        """Wait, no longer than there is time. Raise Interrupted where the session is over."""
        if self.over:
            raise Interrupted
        self.sleep(max(0.0, min(seconds, self.left)))

    def settle(self) -> None:
        """After writing: flush, and wait until reads are about as quick again as they have been.

        A flush does not empty a cache that a battery keeps. Waiting takes a tenth of the session at most.
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
        """Sentences about rates (bytes of an operation, depth, operations a second) that are the engine's own.

        An engine reaches hundreds of thousands on memory, so only rates above ``LOOKED_AT`` are looked at.
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
        """``size`` rounded up to what the target takes."""
        return fitting(self.target, size)

    def figure(self, trial: str, name: str) -> Spread | None:
        """What an earlier test of this run has measured; None: it was not made, or failed before that."""
        found = self.known.get(trial)
        return None if found is None else found.figures.get(name)

    def measured(self, trial: str, name: str) -> float | None:
        """The same as a number."""
        found = self.figure(trial, name)
        return None if found is None else found.measured

    @property
    def rotating(self) -> bool | None:
        """Whether the medium turns, as it was measured; None: not measured, or unclear."""
        medium = self.known.get("medium")
        word = None if medium is None else medium.series.get("medium")
        return None if word in (None, "unclear") else word == "rotating"

    def places(self, size: int, count: int, *, begin: int = 0, span: int | None = None) -> array[int]:
        """Random places for operations of ``size`` bytes within ``span`` bytes from ``begin`` on (None: all of it).

        None comes twice before all have come once. Raise BenchError where not even one fits.
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
        """Places one after the other from ``begin`` on, beginning anew there where the target (or ``end``) ends."""
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
    """``size`` rounded up to what a target takes."""
    grain = max(target.alignment, 1)
    return -(-size // grain) * grain


def _written(one: Samples) -> int:
    counted = sum(sum(one.beyond.get(op, ())) for op in _WRITES)
    return one.size * (sum(one.ops.count(op) for op in _WRITES) + counted)
