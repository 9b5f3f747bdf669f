"""Requests to an engine and their results, for every engine and target.

Offsets and sizes are in bytes, times in nanoseconds of the monotonic clock. Arithmetic on samples is done elsewhere: an
engine only carries out operations and times them.
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
    """A write that is on stable storage when it completes. It uses RWF_DSYNC, over NBD the FUA flag."""
    FLUSH = 3
    """fdatasync, or the flush command over NBD. Its offset and size are 0."""


@dataclass(frozen=True, kw_only=True)
class Stream:
    """Operations that one worker issues in sequence."""

    ops: bytes
    """One `Op` per byte; as many as offsets."""
    offsets: array[int]
    """Type code ``Q``: the start of each operation. It is a multiple of the target's alignment if it has one."""
    size: int
    """Bytes of each read and write, a multiple of the alignment."""
    depth: int = 1
    """Concurrent operations, 1 to 1024. With a depth above 1 a flush waits for all operations before it."""
    batch: int = 1
    """Maximum number of operations per system call, 1 to depth. It affects the figures, so results contain it."""
    cycle: bool = False
    """Whether to start over after the last operation until time is up."""
    intended: array[int] | None = None
    """Open loop, type code ``Q``: intended start of each operation. It is in ns after the start. None: closed loop."""

    def __post_init__(self) -> None:
        """Raise ValueError for a stream that no engine could run."""
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
    """Streams that start together behind a barrier."""

    streams: Sequence[Stream]
    seconds: float | None = None
    """Time after which no operation is issued. None: until all operations are done."""
    run_id: int = 0
    """64-bit mark in every sector, to recognise foreign blocks when reading back."""
    generation: int = 1
    """64-bit number written into the headers by a stream's first pass. Each new pass (`Stream.cycle`) writes one more.
    With ``verify``, an older number is a mismatch."""
    verify: bool = False
    """Whether data read are compared with the headers of their sectors. See `raidctl.bench.blocks`."""
    keep: int = 1 << 23
    """Number of samples of a stream to keep. Later ones are counted in `Samples.beyond`, which bounds memory.

    Operations that failed or were incomplete are always kept.
    """


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Results of one stream: an entry per operation, in order of completion."""

    ops: bytes
    offsets: array[int]
    starts: array[int]
    """``Q``: ns after the common start. In an open loop, it is the intended start."""
    latencies: array[int]
    """``Q``: ns from start to completion."""
    results: array[int]
    """``i``: bytes transferred, or a negative errno."""
    size: int
    mismatches: Sequence[int] = ()
    """Offsets of blocks that did not read back as written. They are recorded if `Work.verify` was set."""
    beyond: Mapping[Op, array[int]] = field(default_factory=dict)
    """Complete operations after the first `Work.keep` samples, counted by latency. Each kind of operation has bins of
    type ``Q``. Bin ``b`` below 128 holds ``b`` ns; above, with ``e = b // 128 - 1``, those from
    ``(128 + b % 128) << e`` ns on."""

    @property
    def count(self) -> int:
        """Completed operations, including those that were only counted."""
        return len(self.ops) + sum(map(sum, self.beyond.values()))


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Result of a `Work`."""

    samples: Sequence[Samples]
    """One for each stream, in order."""
    wall_seconds: float
    """From the common start to the completion of the last operation."""
    cpu_seconds: float
    """User and system time of all workers, without kernel AIO's busy waiting."""
    engine: str
    """`uring`, `threads`, `portable` …: the engine, part of every result. Figures of different engines are not
    comparable."""
    notes: Sequence[str] = field(default_factory=tuple)
    """Limitations, one sentence each (`io_uring is switched off on this kernel`)."""


class Target(Protocol):
    """Where operations go. A context manager that opens and closes it."""

    @property
    def name(self) -> str:
        """Name for display."""

    @property
    def kind(self) -> str:
        """`file`, `device` or `nbd`."""

    @property
    def size(self) -> int:
        """Usable size in bytes."""

    @property
    def alignment(self) -> int:
        """Bytes of which offsets and sizes are multiples.

        Usually the logical block size; 1 if there is no restriction.
        """

    @property
    def direct(self) -> bool:
        """Whether the page cache is bypassed (O_DIRECT); False is a confounder."""

    @property
    def writable(self) -> bool:
        """Whether writing is allowed.

        Only a file that raidctl created or a range that the user named may be written.
        """


class Engine(Protocol):
    """Run work on a target."""

    @property
    def name(self) -> str:
        """Name given in results."""

    def usable(self, target: Target) -> str | None:
        """Why it cannot be used here, one sentence; None if it can."""

    def run(self, target: Target, work: Work) -> Outcome:
        """Run the work; a failed operation is a sample. Raise BenchError if nothing could be run."""
