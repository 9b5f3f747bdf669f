"""Views of an open target: through the page cache, or its part.

They only read. Each is a separate target, so that engines measure it as any other.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from raidctl.bench.targets import Handled
from raidctl.bench.targets.device import DeviceTarget
from raidctl.bench.targets.handle import refusal
from raidctl.bench.work import Target
from raidctl.errors import BenchError


@dataclass(frozen=True, kw_only=True)
class View:
    """A read-only range of an open descriptor."""

    name: str
    kind: str
    size: int
    alignment: int
    direct: bool
    base: int
    handle: int
    writable: bool = False

    def fileno(self) -> int:
        """The open descriptor."""
        return self.handle


@contextmanager
def buffered(target: Target) -> Iterator[View]:
    """The same bytes through the page cache, with a separate descriptor. Their cached pages are dropped first.

    Raises:
        BenchError: It is not a file or device of this machine.
        AccessMissing: It may not be opened once more.
    """
    if not isinstance(target, Handled):
        raise BenchError(f"{target.name} is not a file or device of this machine: no page cache reads ahead for it.")
    path = f"/proc/self/fd/{target.fileno()}"
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise refusal(target.name, error) from None
    try:
        forget(handle)
        yield View(
            name=target.name, kind=target.kind, size=target.size, alignment=1, direct=False, base=target.base,
            handle=handle,
        )  # fmt: skip
    finally:
        os.close(handle)


def forget(handle: int, first: int = 0, length: int = 0) -> None:
    """Drop ``length`` bytes from ``first`` on from the page cache.

    A ``length`` of 0 reaches to the end. Dirty or used pages stay.
    """
    os.posix_fadvise(handle, first, length, os.POSIX_FADV_DONTNEED)


@contextmanager
def part(path: str, first: int, length: int) -> Iterator[View]:
    """``length`` bytes from ``first`` on of a device, read-only.

    Raises:
        BenchError: It is not such a device, or the range is not within it.
        AccessMissing: It may not be read.
    """
    with DeviceTarget(path) as whole:
        if first < 0 or length <= 0 or first + length > whole.size:
            raise BenchError(f"The range of {length} bytes from byte {first} on is not within {path}.")
        yield View(
            name=path, kind="device", size=length, alignment=whole.alignment, direct=whole.direct, base=first,
            handle=whole.fileno(),
        )  # fmt: skip


def number_of(target: Target) -> int | None:
    """The kernel's number of the device that holds a target. None: it is not a file or device of this machine."""
    if not isinstance(target, Handled):
        return None
    about = os.fstat(target.fileno())
    return about.st_rdev if stat.S_ISBLK(about.st_mode) else about.st_dev
