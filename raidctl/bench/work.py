"""What an engine is asked to do, and what it gives back: the same for every engine and every target.

Offsets and sizes are in bytes, times in nanoseconds of the monotonic clock. All arithmetic on samples stands elsewhere:
an engine carries out and keeps time, nothing more.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol


class Op(IntEnum):
    """One operation. The numbers are shared with the compiled engine."""

    READ = 0
    WRITE = 1
    WRITE_DURABLE = 2
    """A write that is on stable storage when it returns (RWF_DSYNC; over NBD the FUA flag)."""
    FLUSH = 3
    """fdatasync; over NBD the flush command. Its offset and size are 0."""


@dataclass(frozen=True, kw_only=True)
class Stream:
    """Operations that one after the other go out from one worker."""

    ops: bytes
    """One `Op` a byte; as many as there are offsets."""
    offsets: array[int]
    """Type code ``Q``: where each operation begins. A multiple of the target's alignment where that has one."""
    size: int
    """Bytes of each read and write, a multiple of the alignment."""
    depth: int = 1
    """Operations under way at once, 1 to 1024. A flush waits for all those before it where the depth is above 1."""
    batch: int = 1
    """Operations handed over with one system call at most, 1 to depth: it changes the figures, so results carry it."""
    cycle: bool = False
    """Whether to begin anew after the last operation, until the time is over."""
    intended: array[int] | None = None
    """Open loop, type code ``Q``: when each operation is meant to start, ns after the start; None: closed loop."""

    def __post_init__(self) -> None:
        """Raise ValueError for what no engine could carry out."""
        if not self.offsets or len(self.ops) != len(self.offsets):
            raise ValueError("a stream needs operations, and one offset for each of them")
        if not 1 <= self.batch <= self.depth <= MAX_DEPTH:
            raise ValueError(f"batch and depth must be 1 <= batch <= depth <= {MAX_DEPTH}")
        if self.size < 1:
            raise ValueError("the size of an operation must be at least one byte")
        if self.intended is not None and (len(self.intended) != len(self.offsets) or self.cycle):
            raise ValueError("an open loop needs a start for each operation, and does not cycle")


MAX_DEPTH = 1024


@dataclass(frozen=True, kw_only=True)
class Work:
    """What is to be done at once: streams that start together behind a barrier."""

    streams: Sequence[Stream]
    seconds: float | None = None
    """When to stop issuing; None: when all operations are done."""
    run_id: int = 0
    """64 bits that mark every sector written, so that a foreign block is recognised on reading back."""
    generation: int = 1
    """What the first pass over a stream writes into the headers, 64 bits; each new pass (`Stream.cycle`) writes one
    more. With ``verify`` an older one is a mismatch."""
    verify: bool = False
    """Whether what is read is compared with the header of its sectors; see `raidctl.bench.blocks`."""
    keep: int = 1 << 23
    """Samples of a stream that an engine may keep; one that is fast enough to exceed it counts the later ones in
    `Samples.beyond`, so that memory stays bounded."""


@dataclass(frozen=True, kw_only=True)
class Samples:
    """What came of one stream: one entry for each operation carried out, in order of their ends."""

    ops: bytes
    offsets: array[int]
    starts: array[int]
    """``Q``: ns after the common start; the intended start in an open loop."""
    latencies: array[int]
    """``Q``: ns from the start to the end."""
    results: array[int]
    """``i``: bytes carried out, or a negative errno."""
    size: int
    mismatches: Sequence[int] = ()
    """Offsets of blocks that did not read back as written, where `Work.verify` was asked."""
    beyond: Mapping[Op, array[int]] = field(default_factory=dict)
    """What came after the first `Work.keep` samples, counted by latency: for each kind of operation bins of type ``Q``.
    Bin ``b`` below 128 holds ``b`` ns; above, with ``e = b // 128 - 1``, those from ``(128 + b % 128) << e`` ns on."""

    @property
    def count(self) -> int:
        """Operations carried out, those that were only counted among them."""
        return len(self.ops) + sum(map(sum, self.beyond.values()))


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a `Work`."""

    samples: Sequence[Samples]
    """One for each stream, in their order."""
    wall_seconds: float
    """From the common start to the end of the last operation."""
    cpu_seconds: float
    """User and system time of all workers; what kernel AIO spends on waiting awake is not in it."""
    engine: str
    """`uring`, `threads`, `portable` …: stands in every result, since engines are not compared silently."""
    notes: Sequence[str] = field(default_factory=tuple)
    """What limited it, one sentence each (`io_uring is switched off on this kernel`)."""


class Target(Protocol):
    """Where the operations go. A context manager: opened by entering, closed by leaving."""

    @property
    def name(self) -> str:
        """What a person calls it."""

    @property
    def kind(self) -> str:
        """`file`, `device` or `nbd`."""

    @property
    def size(self) -> int:
        """Bytes that may be used."""

    @property
    def alignment(self) -> int:
        """Offsets and sizes are multiples of it, bytes (the logical block size; 1 where nothing is asked)."""

    @property
    def direct(self) -> bool:
        """Whether the page cache is passed by (O_DIRECT); False is a confounder."""

    @property
    def writable(self) -> bool:
        """Whether it may be written: a file that raidctl made, or a range that the user named."""


class Engine(Protocol):
    """Carries out work on a target."""

    @property
    def name(self) -> str:
        """What results are marked with."""

    def usable(self, target: Target) -> str | None:
        """Why it cannot be used here, one sentence; None: it can."""

    def run(self, target: Target, work: Work) -> Outcome:
        """Carry it out; an operation that fails is a sample. Raise BenchError when nothing could be carried out."""
