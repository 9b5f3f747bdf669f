"""What the test writes to: file, range of a device, NBD export.

A file is created with O_EXCL under a name with the run's id, and reused only if it is a regular file of that name and
size. A device is opened with the guards of `raidctl.bench.targets.device`.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
from types import TracebackType
from typing import Protocol

from raidctl.bench.blocks import HEADER, MAGIC, SECTOR, Checker, State, sector_state
from raidctl.bench.powercut.judgment import Odd
from raidctl.bench.powercut.report import Plan
from raidctl.bench.targets.device import DeviceTarget
from raidctl.bench.targets.file import room
from raidctl.bench.targets.handle import Opened, open_direct, refusal
from raidctl.bench.targets.nbd import NbdTarget
from raidctl.bench.targets.nbd_link import Link
from raidctl.bench.targets.place import place_of
from raidctl.errors import BenchError
from raidctl.text import printable
from raidctl.units import format_binary

SHARE = 0.25
"""Share of the free space that the file may take at most."""
_CODES = {
    State.ZERO: Odd.ZERO,
    State.FOREIGN: Odd.FOREIGN,
    State.MISDIRECTED: Odd.MISDIRECTED,
    State.FLIPPED: Odd.DAMAGED,
}


class Medium(Protocol):
    """The storage under test; every call raises OSError if the target fails."""

    def write(self, data: mmap.mmap, at: int) -> None:
        """Write a buffer at a byte of the range."""

    def flush(self) -> None:
        """Return when everything written so far is reported to be safe."""

    def read(self, at: int, size: int) -> bytes:
        """Read bytes of the range from the target. All caches of this machine are bypassed."""


class Handled:
    """A descriptor as a medium; ``base``: where the range begins on it."""

    def __init__(self, handle: int, base: int, size: int) -> None:
        self._handle, self._base = handle, base
        self._buffer = mmap.mmap(-1, size)

    def write(self, data: mmap.mmap, at: int) -> None:
        """As `Medium`."""
        if os.pwritev(self._handle, [data], self._base + at) != len(data):
            raise OSError(errno.EIO, "a write was cut short")

    def flush(self) -> None:
        """As `Medium`."""
        os.fdatasync(self._handle)

    def read(self, at: int, size: int) -> bytes:
        """As `Medium`."""
        if os.preadv(self._handle, [memoryview(self._buffer)[:size]], self._base + at) != size:
            raise OSError(errno.EIO, "a read was cut short")
        return bytes(self._buffer[:size])


class Served:
    """An NBD export as a medium."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def write(self, data: mmap.mmap, at: int) -> None:
        """As `Medium`."""
        self._link.write(at, bytes(data))

    def flush(self) -> None:
        """As `Medium`."""
        self._link.flush()

    def read(self, at: int, size: int) -> bytes:
        """As `Medium`."""
        return self._link.read(at, size)


class RunFile(Opened):
    """The file of a run, in a directory. It stays when it is closed.

    Raises:
        BenchError, AccessMissing: On entering; with the reason.
    """

    def __init__(self, directory: str, run: str, size: int, *, new: bool) -> None:
        self.directory = os.path.realpath(directory)
        self.name = f"{self.directory}/raidctl-powercut-{run}.dat"
        self.direct = False
        self._size, self._new = size, new

    def _open(self) -> None:
        if place_of(self.directory).in_memory:
            raise BenchError(f"{printable(self.directory)} is in memory: a power cut loses all of it.")
        if not self._new:
            return self._again()
        free = int(room(self.directory) * SHARE)
        if self._size > free:
            raise BenchError(
                f"The file of {format_binary(self._size)} may take {SHARE:.0%} of the free space of "
                f"{printable(self.directory)} at most ({format_binary(free)})."
            )
        self._handle, self.direct = open_direct(self.name, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        os.posix_fallocate(self._handle, 0, self._size)
        os.fsync(self._handle)
        folder = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return None

    def _again(self) -> None:
        """Open the file of an earlier session."""
        shown = printable(self.name)
        try:
            about = os.lstat(self.name)
        except FileNotFoundError:
            raise BenchError(
                f"{shown} is missing: it was removed, or was lost with its directory entry; nothing can be checked."
            ) from None
        if not stat.S_ISREG(about.st_mode) or about.st_size != self._size:
            raise BenchError(f"{shown} is not the file that the run has made: it is left as it is.")
        self._handle, self.direct = open_direct(self.name, os.O_RDWR)

    def remove(self) -> None:
        """Remove it. Raise BenchError or AccessMissing."""
        try:
            os.unlink(self.name)  # noqa: PTH108 - paths are strings here
        except OSError as error:
            raise refusal(self.name, error) from None


class OpenNbd:
    """An NBD export, opened."""

    def __init__(self, uri: str) -> None:
        self._target = NbdTarget(uri, write=True)
        self.link: Link | None = None

    def __enter__(self) -> OpenNbd:  # noqa: PYI034 - Self is not in the typing of Python 3.10
        with self._target:
            self.link = self._target.connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.link is not None:
            self.link.close()


def of_device(target: DeviceTarget, plan: Plan) -> Handled:
    """The range of a device that is open."""
    return Handled(target.fileno(), target.base, plan.block_bytes)


def content(medium: Medium, plan: Plan, run_id: int, number: int) -> list[int]:
    """What a block contains; see `raidctl.bench.powercut.judgment`."""
    place = number * plan.block_bytes
    try:
        data = medium.read(place, plan.block_bytes)
    except OSError as error:
        if error.errno not in (errno.EIO, errno.EILSEQ, errno.ENODATA):
            raise
        return [Odd.UNREADABLE]
    return described(data, place, run_id)


def described(data: bytes, place: int, run_id: int) -> list[int]:
    """The generations of a block's sectors and other content, each once, sorted."""
    magic, run, _, generation, _ = HEADER.unpack_from(data)
    if (magic, run) == (MAGIC, run_id) and Checker(len(data), run_id).check(data, place) is State.OK:
        return [generation]
    found: set[int] = set()
    for at in range(0, len(data), SECTOR):
        state, write = sector_state(data[at : at + SECTOR], place + at, run_id)
        found.add(write[0] if write is not None and state in (State.OK, State.STALE) else _CODES[state])
    return sorted(found)
