"""The witness's append-only journal of a run, one record with checksum per line.

``1c291ca3 {"at":1234.5,"record":{"type":"intent",…}}``: CRC-32 of the rest of the line, in hexadecimal. An incomplete
last line is removed: the witness failed while writing it. Any other damaged line makes the journal useless.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import msgspec

from raidctl import json_decode
from raidctl.bench.powercut.messages import JournalRecord
from raidctl.errors import AccessMissing, CannotTell
from raidctl.text import printable

SUFFIX = ".journal"
_SYNC = 1.0
"""Seconds after which written records are synced at the latest."""


class Line(msgspec.Struct, frozen=True):
    """A record with its time, in seconds on the witness's monotonic clock."""

    at: float
    record: JournalRecord


class Journal:
    """A journal opened for writing."""

    def __init__(self, path: Path) -> None:
        """Open it, or make it. Raise CannotTell or AccessMissing."""
        self.path = path
        self._broken = False
        self.torn = False
        """Whether the last line was incomplete and has been removed."""
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise refused(path, error) from None
        self._synced = time.monotonic()

    def records(self) -> Iterator[tuple[float, JournalRecord]]:
        """All records with the witness's clock, in order. An incomplete last line is removed.

        Raises:
            CannotTell: A line is damaged.
        """
        done = 0
        with self.path.open("rb") as file:
            for line in file:
                record = _record(line)
                if record is None:
                    break
                done += len(line)
                yield record.at, record.record
            else:
                return
            rest = file.read(1)
        if rest:
            shown = printable(str(self.path))
            raise CannotTell(f"{shown} is damaged at byte {done}, before its end: the run cannot be continued.")
        self.torn = True
        os.ftruncate(self._handle, done)

    def append(self, record: JournalRecord, at: float, *, sync: bool = False) -> None:
        """Write a record. Raise CannotTell if it cannot be written in full; nothing is written after that."""
        if self._broken:
            raise CannotTell(f"{printable(str(self.path))} could not be written, and is not continued.")
        content = msgspec.json.encode(Line(at, record))
        line = b"%08x %s\n" % (crc32(content), content)
        try:
            self._broken = True
            written = os.write(self._handle, line)
            if sync or time.monotonic() - self._synced > _SYNC:
                os.fsync(self._handle)
                self._synced = time.monotonic()
        except OSError as error:
            raise refused(self.path, error) from None
        if written != len(line):
            raise CannotTell(f"{printable(str(self.path))} has no room left.")
        self._broken = False

    def close(self) -> None:
        """Sync and close it; may be repeated."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def refused(path: Path, error: OSError) -> CannotTell | AccessMissing:
    """The error for a file that cannot be used."""
    kind = AccessMissing if isinstance(error, PermissionError) else CannotTell
    return kind(f"{printable(str(path))} cannot be used: {error.strerror or error}.")


def _record(line: bytes) -> Line | None:
    """The record of a line; None: it is damaged or incomplete."""
    code, blank, content = line.removesuffix(b"\n").partition(b" ")
    if not blank or not line.endswith(b"\n") or code != b"%08x" % crc32(content):
        return None
    try:
        record: Line = json_decode.decode(content, Line)
    except msgspec.MsgspecError:
        return None
    return record
