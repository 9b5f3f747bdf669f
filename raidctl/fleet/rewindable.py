"""Standard input that can be read again from its start."""

from __future__ import annotations

import shutil
import tempfile
from typing import BinaryIO, Protocol, cast

_IN_MEMORY = 4 << 20
"""Bytes kept in memory before a file is created."""


class Stream(Protocol):
    """What cutting inventories needs of a stream."""

    def read(self, size: int, /) -> bytes:
        """Read up to ``size`` bytes; fewer only at the end."""

    def readline(self, size: int, /) -> bytes:
        """Read a line, or its first ``size`` bytes."""


class Rewindable:
    """A stream that can be read again. What is read of a pipe is kept in a temporary file."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._at_start = True
        self._kept: BinaryIO | None = None
        if not stream.seekable():
            kept = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - gone with the process
            self._kept = cast("BinaryIO", kept)

    def read(self, size: int, /) -> bytes:
        """Read up to ``size`` bytes; fewer only at the end."""
        return self._noted(self._stream.read(size))

    def readline(self, size: int, /) -> bytes:
        """Read a line, or its first ``size`` bytes."""
        return self._noted(self._stream.readline(size))

    def _noted(self, data: bytes) -> bytes:
        self._at_start = False
        if self._kept is not None:
            self._kept.write(data)
        return data

    def rewind(self) -> None:
        """Go back to the start. Before the first reading, nothing is done."""
        if self._at_start:
            return
        if self._kept is not None:
            shutil.copyfileobj(self._stream, self._kept)  # what was not read yet
            self._stream, self._kept = self._kept, None
        self._stream.seek(0)
