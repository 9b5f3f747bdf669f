"""Reads and writes of single blocks without an engine.

Trials use them if the content matters, or if engines lack the operation.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from raidctl.bench.faulty import Faulty, failed
from raidctl.bench.targets import Handled
from raidctl.bench.targets.handle import refusal
from raidctl.bench.targets.nbd import SCHEMES, NbdTarget
from raidctl.bench.targets.nbd_link import Link
from raidctl.bench.work import Target
from raidctl.errors import BenchError

Get = Callable[[int], bytes]
"""Read the block at an offset of the target."""
Put = Callable[[memoryview, int], int]
"""Write a block; return the number of bytes."""


@runtime_checkable
class Connectable(Protocol):
    """A target with connections, as an export has."""

    name: str

    def connect(self) -> Link:
        """Open a connection."""


@contextmanager
def gets(target: Target, size: int) -> Iterator[Get]:
    """A function that reads one block of ``size`` bytes, bypassing the engine.

    Raises:
        BenchError: The target is of a kind that cannot be read plainly.
        Faulty: A read failed, by what is yielded.
    """
    if isinstance(target, Handled):
        handle, base = target.fileno(), target.base
        with mmap.mmap(-1, size) as memory, memoryview(memory) as view:

            def get(place: int) -> bytes:
                try:
                    done = os.preadv(handle, [view], base + place)
                except OSError as error:
                    raise failed(f"A read of {target.name} failed", error.errno or 0) from None
                if done != size:
                    raise Faulty(f"A read of {target.name} transferred less than requested.")
                return bytes(view)

            yield get
    elif isinstance(target, Connectable):
        link = target.connect()

        def ask(place: int) -> bytes:
            try:
                return link.read(place, size)
            except OSError as error:
                raise failed(f"A read of {target.name} failed", error.errno or 0) from None

        try:
            yield ask
        finally:
            link.close()
    else:
        raise BenchError(f"{target.name} is of a kind that cannot be read plainly.")


@contextmanager
def puts(target: Target) -> Iterator[Put]:
    """A function that writes one block, bypassing the engine."""
    if isinstance(target, Handled):
        handle, base = target.fileno(), target.base
        yield lambda view, place: _put(target, handle, view, base + place)
    elif isinstance(target, Connectable):
        link = target.connect()
        try:
            yield lambda view, place: _sent(target, link, view, place)
        finally:
            link.close()
    else:
        raise BenchError(f"{target.name} is of a kind that cannot be written plainly.")


@contextmanager
def flushes(past: str | Connectable) -> Iterator[Callable[[], object]]:
    """A function that flushes a device or export past all layers above.

    A device is given by its path, an export directly or by its URI.

    Raises:
        BenchError, AccessMissing: It cannot be opened.
        UsageError: The URI names no export of this machine.
    """
    if isinstance(past, str) and past.partition(":")[0] in SCHEMES:
        past = NbdTarget(past)
    if isinstance(past, Connectable):
        link = past.connect()
        try:
            yield link.flush
        finally:
            link.close()
        return
    try:
        handle = os.open(past, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise refusal(past, error) from None
    try:
        # on a block device this is a bare flush: the page cache of the file above it is separate
        yield lambda: os.fdatasync(handle)
    finally:
        os.close(handle)


def _put(target: Target, handle: int, view: memoryview, place: int) -> int:
    try:
        return os.pwritev(handle, [view], place)
    except OSError as error:
        raise failed(f"A write to {target.name} failed", error.errno or 0) from None


def _sent(target: Connectable, link: Link, view: memoryview, place: int) -> int:
    try:
        link.write(place, bytes(view))
    except OSError as error:
        raise failed(f"A write to {target.name} failed", error.errno or 0) from None
    return len(view)
