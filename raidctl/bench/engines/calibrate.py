"""Measure an engine's upper limit with the same work on memory.

A device's rate above half of that is marked: the engine may limit it, not the device.
"""

from __future__ import annotations

import os
import random
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from raidctl.bench.blocks import pool
from raidctl.bench.targets.place import place_of
from raidctl.bench.work import Engine, Op, Outcome, Stream, Work
from raidctl.errors import BenchError
from raidctl.runners.directory import usual

SHARE = 0.5
"""Share of the ceiling above which the engine limits a figure."""
MEMORY = 32 << 20
ROUNDS = 3
SECONDS = 0.15


@dataclass(frozen=True, kw_only=True)
class Memory:
    """A target in memory."""

    handle: int
    size: int = MEMORY
    base: int = 0
    alignment: int = 1
    direct: bool = False
    """True even for a file in the page cache, so an engine chooses as for a device."""
    writable: bool = False
    kind: str = "file"
    name: str = "memory"

    def fileno(self) -> int:
        """The open descriptor."""
        return self.handle


@dataclass(frozen=True, kw_only=True)
class Ceiling:
    """An engine's speed on memory."""

    engine: str
    rate: float
    """Operations per second: the best of three rounds. Other programs can only slow it down."""
    size: int
    depth: int
    batch: int
    certain: bool = True
    """False if the engine is slower on such memory than on devices. Nothing is marked then."""

    def limits(self, rate: float) -> str | None:
        """The sentence that marks a rate as the engine's limit.

        The rate is in operations per second. None if it is not the limit.
        """
        if not self.certain or rate <= SHARE * self.rate:
            return None
        share = f"{rate / self.rate:.0%} of the {self.rate:,.0f}"
        return f"{_mark(rate)} operations a second are {share} that {self.engine} reaches on memory."


def marked(rate: float, reasons: Iterable[str]) -> bool:
    """Whether a rate already has this mark, from any comparison."""
    return any(text.startswith(_mark(rate)) for text in reasons)


def _mark(rate: float) -> str:
    return f"The engine limits this: {rate:,.0f}"


def ceiling(engine: Engine, *, size: int = 4096, depth: int = 1, batch: int = 1, direct: bool = True) -> Ceiling:
    """Measure random reads from memory: blocks of ``size`` bytes, ``depth`` at once.

    ``direct``: whether the measurements to compare bypass the page cache, since an engine may work differently through
    it. The compiled engine runs on a file in the page cache: on memory without a file system, unlike on a device,
    io_uring would use the kernel's own threads and kernel AIO would not be used. It takes half a second.

    Raises:
        BenchError: The engine cannot be used on this machine.
    """
    ordinary = direct and engine.name in {"native", "uring", "threads"}
    with memory(ordinary=ordinary) as target:
        stream = _reads(min(size, target.size), depth, batch)
        outcomes = _rounds(engine, target, stream)
    return Ceiling(
        engine=outcomes[0].engine,
        rate=max(_rate(outcome) for outcome in outcomes),
        size=size,
        depth=depth,
        batch=batch,
        certain=target.direct or not ordinary or depth == 1,
    )


def _rounds(engine: Engine, target: Memory, stream: Stream) -> list[Outcome]:
    """The rounds with a result, or a longer one. On a busy machine, a round may end before its first read."""
    found = []
    for _ in range(ROUNDS):
        with suppress(BenchError):
            found.append(engine.run(target, Work(streams=[stream], seconds=SECONDS)))
    return found or [engine.run(target, Work(streams=[stream], seconds=20 * SECONDS))]


def _reads(size: int, depth: int, batch: int) -> Stream:
    places = MEMORY // size
    offsets = array("Q", (size * random.randrange(places) for _ in range(4096)))  # noqa: S311 - places, not secrets
    return Stream(ops=bytes([Op.READ] * 4096), offsets=offsets, size=size, depth=depth, batch=batch, cycle=True)


def _rate(outcome: Outcome) -> float:
    done = sum(one.count for one in outcome.samples)
    return done / outcome.wall_seconds


@contextmanager
def memory(*, ordinary: bool = False) -> Iterator[Memory]:
    """Filled memory to read from. ``ordinary``: use a nameless file in the page cache if possible."""
    handle = _nameless() if ordinary else None
    target = Memory(handle=os.memfd_create("raidctl") if handle is None else handle, direct=handle is not None)
    try:
        for at in range(0, MEMORY, 1 << 20):
            os.pwrite(target.handle, pool()[: 1 << 20], at)
        yield target
    finally:
        os.close(target.handle)


def _nameless() -> int | None:
    """A file without a name that stays in the page cache. None if the system is read-only or runs from memory."""
    for place in dict.fromkeys(("/var/tmp", *usual())):  # noqa: S108 - nothing gets a name there
        try:
            if place_of(place).in_memory:
                continue
            return os.open(place, os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC, 0o600)
        except OSError:
            continue
    return None
