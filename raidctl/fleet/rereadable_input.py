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
_PIPE = 1 << 20
"""Bytes that a pipe may hold: the most that Linux permits without root."""
_CHUNK = 1 << 18
"""Bytes that are written at once. For a megabyte, Linux may first have to look for contiguous memory."""
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

    def forget(self) -> None:
        """Take the input out of the process's memory. What is needed again comes from the file, which Linux caches.

        A part alone would come back: Linux maps the megabytes around a byte that is read.
        """
        memory = self.memory
        if isinstance(memory, mmap.mmap):
            memory.madvise(mmap.MADV_DONTNEED)


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
        fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, _PIPE)
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as kept:
        size, chunk = 0, memoryview(bytearray(_CHUNK))
        while length := stream.readinto(chunk):  # type: ignore[attr-defined]  # of each binary stream
            size += kept.write(chunk[:length])
        if size <= _IN_MEMORY:
            kept.seek(0)
            _kept.append(kept.read())
        else:
            kept.flush()
            _kept.append(mmap.mmap(kept.fileno(), size, access=mmap.ACCESS_READ))
    return Span(len(_kept) - 1, 0, size)
