"""Store the results of many machines on disk, to read them again."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterator
from types import TracebackType

import msgspec

from raidctl.audit.finding import Audited

_IN_MEMORY = 4 << 20
"""Bytes kept in memory before a file is created."""
_LENGTH = struct.Struct("<I")


class Spool:
    """Stores any number of audited hosts until it is closed."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed by __exit__
        self._decoder = msgspec.msgpack.Decoder(Audited)

    def __enter__(self) -> Spool:  # noqa: PYI034 - Self is of 3.11
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def put(self, audited: Audited) -> None:
        """Add a host."""
        data = msgspec.msgpack.encode(audited)
        self._file.write(_LENGTH.pack(len(data)) + data)

    def again(self) -> Iterator[Audited]:
        """Yield all hosts in order; nothing may be added afterwards."""
        self._file.seek(0)
        while head := self._file.read(_LENGTH.size):
            [length] = _LENGTH.unpack(head)
            yield self._decoder.decode(self._file.read(length))
