r"""Self-describing blocks: incompressible, and different in every sector ever written.

A block can be checked without knowing what was written: its header contains the run, the place and the time, and the
rest of the sector follows from the header. The layout is shared with the compiled engine.

The layout, exactly
-------------------
A block is a row of sectors of 512 bytes. Each sector of an operation at byte ``start`` carries its own header; sector
``k`` belongs to byte ``place = start + 512 * k`` of the target. All numbers are little endian:

======  =====  ==========  ==========================================================================================
byte    bytes  field       meaning
======  =====  ==========  ==========================================================================================
0       8      magic       ``72 61 69 64 63 74 6c 01`` (``raidctl\x01``); the last byte is the version of the layout
8       8      run         `Work.run_id`
16      8      place       byte offset of THIS SECTOR on the target (not of the operation)
24      8      generation  `Work.generation` + the number of completed passes over the stream (`Stream.cycle`)
32      8      time        when the block was filled: ns of CLOCK_REALTIME; the same in all sectors of one operation
40      4      crc         CRC-32 (zlib, IEEE 802.3, initial value 0) of bytes 0 to 39
44      468    body        bytes 44 to 511 of the window of the pool that belongs to this sector
======  =====  ==========  ==========================================================================================

The pool is ``SHAKE-128(b"raidctl\x01")`` of ``POOL_SIZE`` = 1,048,583 bytes (a prime): `pool` returns it, and the
compiled engine receives that very object. The window of a sector begins at byte ``(shift + place) % POOL_SIZE`` of
the pool, which continues at its beginning when its end is reached; ``shift`` is computed from run and generation by
(64-bit unsigned, wrapping; the finalizer of SplitMix64)::

    x = run ^ (generation * 0x9E3779B97F4A7C15)
    x ^= x >> 30;  x *= 0xBF58476D1CE4E5B9
    x ^= x >> 27;  x *= 0x94D049BB133111EB
    x ^= x >> 31
    shift = (x | 1) % POOL_SIZE

(in C write ``(shift + place % POOL_SIZE) % POOL_SIZE``, which cannot overflow). Windows of neighbouring sectors are
neighbours, so a whole operation is one copy out of the pool with headers laid over it. As the pool's length is prime,
two sectors have the same body only 512 times its length apart (512 MiB), and never the same header.
An incomplete sector at the end of an operation (sizes that are not a multiple of 512) is pool without a header.

Known values, for a test of any other implementation: ``shift_of(1, 1) == 957369``, and the CRC of the header with run
1, place 0, generation 1, time 0 is ``0xcb6462be``.

The body is a slice of a pool: headers and slice take 0.7 microseconds for 4 KiB, fresh random bytes 11.
"""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from functools import cache
from zlib import crc32

MAGIC = b"raidctl\x01"
SECTOR = 512
HEADER = struct.Struct("<8sQQQQ")
HEADER_BYTES = HEADER.size + 4
POOL_SIZE = 1_048_583
_MASK = (1 << 64) - 1


@cache
def pool() -> bytes:
    """The random bytes from which every block body is cut. Every machine generates the same ones."""
    return hashlib.shake_128(MAGIC).digest(POOL_SIZE)


@cache
def _unrolled() -> memoryview:
    """The pool twice in a row, so that every window is contiguous."""
    return memoryview(pool() * 2)


def shift_of(run_id: int, generation: int) -> int:
    """Offset in the pool for a run and a generation. The range is 0 to POOL_SIZE - 1."""
    x = run_id ^ (generation * 0x9E3779B97F4A7C15 & _MASK)
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _MASK
    return ((x ^ (x >> 31)) | 1) % POOL_SIZE


def header(run_id: int, place: int, generation: int, time_ns: int) -> bytes:
    """The 44 bytes at the beginning of a sector."""
    plain = HEADER.pack(MAGIC, run_id, place, generation, time_ns)
    return plain + crc32(plain).to_bytes(4, "little")


@dataclass(frozen=True)
class _Steps:
    """Headers of many sectors, computed together in lanes of large integers.

    A CRC is linear: the one of a header whose place differs in some bits is the other one's with fixed bits changed. So
    if the places differ from the first only in bits that are 0 there, one exclusive or derives all CRCs from one.
    """

    count: int
    ones64: int
    places: int
    ones32: int
    crcs: int
    span: int
    """The bits in which the offsets of the sectors differ."""


@cache
def _steps(count: int) -> _Steps:
    """The lanes of a block of ``count`` sectors."""
    zero = crc32(HEADER.pack(MAGIC, 0, 0, 0, 0))
    ones64 = int.from_bytes((1).to_bytes(8, "little") * count, "little")
    places = int.from_bytes(b"".join((SECTOR * k).to_bytes(8, "little") for k in range(count)), "little")
    crcs = b"".join((crc32(HEADER.pack(MAGIC, 0, SECTOR * k, 0, 0)) ^ zero).to_bytes(4, "little") for k in range(count))
    span = (1 << (SECTOR * (count - 1)).bit_length()) - SECTOR if count else 0
    ones32 = int.from_bytes((1).to_bytes(4, "little") * count, "little")
    return _Steps(count, ones64, places, ones32, int.from_bytes(crcs, "little"), span)


class Filler:
    """Fill one buffer repeatedly, at the speed of memory.

    ``buffer`` is writable and as long as an operation; ``run_id`` 0 to 2**64 - 1.
    """

    def __init__(self, buffer: memoryview | bytearray, run_id: int) -> None:
        self._view = memoryview(buffer).cast("B")
        self._run_id = run_id
        size = len(self._view)
        self._count = size // SECTOR
        self._whole = self._view[: self._count * SECTOR]
        self._quads = self._whole.cast("Q")
        self._words = self._whole.cast("I")
        self._magics = memoryview(MAGIC * self._count).cast("Q")
        self._runs = memoryview(run_id.to_bytes(8, "little") * self._count).cast("Q")
        self._generation = -1
        self._generations = self._runs
        self._shift = 0

    def fill(self, start: int, generation: int, time_ns: int) -> None:
        """Fill the buffer with the data of a write at byte ``start``."""
        if generation != self._generation:
            self._generation = generation
            self._generations = memoryview(generation.to_bytes(8, "little") * self._count).cast("Q")
            self._shift = shift_of(self._run_id, generation)
        self._body((self._shift + start) % POOL_SIZE)
        quads, words, count = self._quads, self._words, self._count
        if not count:
            return
        steps = _steps(count)
        quads[0::64] = self._magics
        quads[1::64] = self._runs
        quads[2::64] = memoryview((start * steps.ones64 + steps.places).to_bytes(8 * count, "little")).cast("Q")
        quads[3::64] = self._generations
        quads[4::64] = memoryview(time_ns.to_bytes(8, "little") * count).cast("Q")
        words[10::128] = memoryview(self._crcs(steps, start, generation, time_ns)).cast("I")

    def release(self) -> None:
        """Release the buffer, so that an mmap can be closed."""
        for view in (self._quads, self._words, self._whole, self._view):
            view.release()

    def _body(self, at: int) -> None:
        """Copy the windows of all sectors out of the pool."""
        size = len(self._view)
        if size <= POOL_SIZE:
            self._view[:] = _unrolled()[at : at + size]
            return
        for done in range(0, size, POOL_SIZE):
            piece = min(POOL_SIZE, size - done)
            self._view[done : done + piece] = _unrolled()[at : at + piece]

    def _crcs(self, steps: _Steps, start: int, generation: int, time_ns: int) -> bytes:
        """The CRC of each header, four bytes each."""
        if not start & steps.span:
            first = crc32(HEADER.pack(MAGIC, self._run_id, start, generation, time_ns))
            return (first * steps.ones32 ^ steps.crcs).to_bytes(4 * steps.count, "little")
        return b"".join(header(self._run_id, start + SECTOR * k, generation, time_ns)[-4:] for k in range(steps.count))


def block(run_id: int, start: int, size: int, generation: int, time_ns: int) -> bytes:
    """Return the data of a write of ``size`` bytes at byte ``start``."""
    buffer = bytearray(size)
    Filler(buffer, run_id).fill(start, generation, time_ns)
    return bytes(buffer)


class State(Enum):
    """State of a block that was read back."""

    OK = "as it was written"
    STALE = "an earlier generation: the last write is lost"
    ZERO = "zeros: nothing was ever written there, or it was lost"
    FOREIGN = "not written by this run"
    MISDIRECTED = "written for another place"
    TORN = "parts of different writes"
    FLIPPED = "bits changed"


class Checker:
    """Check blocks that were read back, for one run and block size."""

    def __init__(self, size: int, run_id: int, generation: int = 0) -> None:
        self._expected = bytearray(size)
        self._filler = Filler(self._expected, run_id)
        self._run_id = run_id
        self._generation = generation

    def check(self, data: bytes, start: int) -> State:
        """State of the block at byte ``start``.

        The read has the size of the write (otherwise blocks look torn), and no two writes of the same place were under
        way at once. Less than a sector has no header: compare its content instead.
        """
        if len(data) == len(self._expected) >= SECTOR:
            _, run, place, generation, time_ns = HEADER.unpack_from(data)
            if run == self._run_id and place == start and generation >= self._generation:
                self._filler.fill(start, generation, time_ns)
                if self._expected == data:
                    return State.OK
        return classify(data, start, self._run_id, self._generation)


def classify(data: bytes, start: int, run_id: int, generation: int = 0) -> State:
    """State of a block, examined sector by sector. `Checker` is faster and calls this only after a mismatch."""
    found = [
        sector_state(data[at : at + SECTOR], start + at, run_id, generation)
        for at in range(0, len(data) - SECTOR + 1, SECTOR)
    ]
    states = {state for state, _ in found}
    for broken in (State.FLIPPED, State.MISDIRECTED):
        if broken in states:
            return broken
    if len(states) > 1 or len({write for _, write in found}) > 1:
        return State.TORN
    tail = len(data) % SECTOR
    state, write = found[0] if found else (State.FLIPPED, None)
    if state is State.OK and tail and write is not None:
        place = start + len(data) - tail
        return State.OK if data[-tail:] == _window(run_id, write[0], place)[:tail] else State.FLIPPED
    return state


def sector_state(data: bytes, place: int, run_id: int, generation: int = 0) -> tuple[State, tuple[int, int] | None]:
    """State of one sector. A whole sector also has its generation and time.

    A header with a wrong CRC counts as damaged if at least two of magic, run and place are right; otherwise as foreign.
    """
    if not any(data):
        return State.ZERO, None
    magic, run, where, written, time_ns = HEADER.unpack_from(data)
    if crc32(data[: HEADER.size]) != int.from_bytes(data[HEADER.size : HEADER_BYTES], "little") or magic != MAGIC:
        ours = (magic == MAGIC) + (run == run_id) + (where == place)
        return (State.FLIPPED if ours >= 2 else State.FOREIGN), None
    if run != run_id:
        return State.FOREIGN, None
    if data[HEADER_BYTES:] != _window(run, written, where)[HEADER_BYTES:]:
        return State.FLIPPED, None
    if where != place:
        return State.MISDIRECTED, None
    return (State.STALE if written < generation else State.OK), (written, time_ns)


def _window(run_id: int, generation: int, place: int) -> bytes:
    """The part of the pool that belongs to a sector."""
    at = (shift_of(run_id, generation) + place) % POOL_SIZE
    return bytes(_unrolled()[at : at + SECTOR])


def describe(counts: Counter[State]) -> str:
    """One sentence for display: ``3 blocks: zeros: …``."""
    bad = [(state, number) for state, number in counts.items() if state is not State.OK]
    if not bad:
        return f"All {sum(counts.values())} blocks read back as they were written."
    bad.sort(key=lambda item: -item[1])
    return "; ".join(f"{number} blocks: {state.value}" for state, number in bad) + "."
