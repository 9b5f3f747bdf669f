"""Standard input that can be read again. Processes that are forked later share it without a copy."""

from __future__ import annotations

import fcntl
import mmap
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, NamedTuple

_IN_MEMORY = 4 << 20
"""Bytes that are kept in memory; longer input is kept in a file without a name."""
_CHUNK = 1 << 20
_kept: list[bytes | mmap.mmap] = []
"""All inputs that this process has kept. A span finds its input by its place in this list, also after a fork."""


class Span(NamedTuple):
    """A part of an input that was kept before this process was forked."""

    number: int
    start: int
    stop: int

    @property
    def memory(self) -> bytes | mmap.mmap:
        """The whole input."""
        return _kept[self.number]


def rewinding(stream: BinaryIO) -> Callable[[], BinaryIO | Span]:
    """Return a function that gives the whole input at each call. A pipe is kept; a file is read again."""
    if stream.seekable():

        def again() -> BinaryIO:
            stream.seek(0)
            return stream

        return again
    whole = keep(stream)
    return lambda: whole


def keep(stream: BinaryIO) -> Span:
    """Copy a stream to memory, or to a file that is mapped into memory. Return the whole input.

    Copying it while other processes work takes more of the processor's time than copying it first. In a pipe as large
    as Linux permits, writer and reader wake each other less often.
    """
    with suppress(OSError, ValueError):  # not a pipe, or no file below
        fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, _CHUNK)
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as kept:
        size = 0
        while chunk := stream.read(_CHUNK):
            size += kept.write(chunk)
        if size <= _IN_MEMORY:
            kept.seek(0)
            _kept.append(kept.read())
        else:
            kept.flush()
            _kept.append(mmap.mmap(kept.fileno(), size, access=mmap.ACCESS_READ))
    return Span(len(_kept) - 1, 0, size)
