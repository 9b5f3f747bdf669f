"""The results of consistency checks: ``checks.jsonl`` in the state directory.

The file is append-only, with one JSON object per line.

The kernel forgets the result of a check at a reboot, and shows a check that was stopped like one that passed. So
raidctl records the checks that it started, and the ends that it saw. Unreadable lines are skipped and counted.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from raidctl import json_decode
from raidctl.change.state_directory import OTHERS_WRITE, sync
from raidctl.change.state_place import CHECKS, DANGLING_LINK, is_missing
from raidctl.described import doc
from raidctl.errors import RaidctlError
from raidctl.vendor.checks import CheckKind

_MAX_BYTES = 64 * 1024 * 1024

Ended = Literal["complete", "interrupted", "paused", "unknown"]


class CheckRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One check of one array. Its start is one line of the file, its end another."""

    array: Annotated[str, doc("The volume's unique id: the UUID of an md array.")]
    volume: Annotated[str, doc("Its id then: `md:md0`.")]
    kind: Annotated[CheckKind, doc("`check` compares; `repair` also corrects.")] = "check"
    began: Annotated[str | None, doc("Start, RFC 3339 in UTC; null: raidctl did not start it.")] = None
    ended: Annotated[str | None, doc("When the end was seen, RFC 3339 in UTC; null: not seen yet.")] = None
    end: Annotated[Ended | None, doc("How it ended; null: not seen yet.")] = None
    complete: Annotated[bool, doc("Whether all of the array was checked.")] = False
    differ: Annotated[int | None, doc("Sectors that differed; null: unknown.")] = None
    errors: Annotated[int | None, doc("Read errors of the members during the check; null: unknown.")] = None
    place: Annotated[int | None, doc("Sector at which it is paused; null: it is not.")] = None
    differ_before: Annotated[int, doc("Sectors that differed before the last pause; some may be counted again.")] = 0
    boot: Annotated[str, doc("The kernel's id of the boot in which it began.")] = ""
    seconds: Annotated[float | None, doc("Start in seconds since that boot; null: unknown.")] = None
    log_seconds: Annotated[
        float | None,
        doc("Last end of a check of the array in the kernel log at its start, seconds; 0: none; null: unknown."),
    ] = None
    read_errors: Annotated[int | None, doc("Sum of the members' error counters at the start; null: unknown.")] = None


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The records of all checks, the oldest first."""

    records: tuple[CheckRecord, ...] = ()
    unread: str | None = None
    """Why the file, or a part of it, could not be read."""

    def of(self, array: str | None) -> tuple[CheckRecord, ...]:
        """The records of an array; for each check its last line."""
        found: dict[str, CheckRecord] = {}
        for record in self.records:
            if array is not None and record.array == array:
                found[record.began or record.ended or ""] = record
        return tuple(found.values())


def read(place: Path | None) -> History:
    """The history in a state directory; None: there is no such directory."""
    if place is None:
        return History()
    path = place / CHECKS
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return History() if is_missing(str(path)) else History(unread=f"{path} cannot be read: {DANGLING_LINK}")
    except OSError as error:
        return History(unread=f"Cannot be read ({error.strerror}): {path}.")
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if status.st_uid not in (0, os.geteuid()) or status.st_mode & OTHERS_WRITE:
            return History(unread=f"Not trusted, as it belongs to another user or others can write to it: {path}.")
        try:
            data = file.read(_MAX_BYTES)
        except OSError as error:
            return History(unread=f"Cannot be read ({error.strerror}): {path}.")
    records = [_record(line) for line in data.splitlines() if line]
    bad = records.count(None)
    return History(
        records=tuple(record for record in records if record is not None),
        unread=f"Damaged lines: {bad} of {len(records)}, in {path}." if bad else None,
    )


def _record(line: bytes) -> CheckRecord | None:
    try:
        record: CheckRecord = json_decode.decode(line, CheckRecord)
    except (msgspec.MsgspecError, ValueError):
        return None
    return record


def append(place: Path, records: Iterable[CheckRecord]) -> None:
    """Write records and sync them.

    Raises:
        NotSavedError: They could not be written.
    """
    lines = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    if not lines:
        return
    path = place / CHECKS
    try:
        fresh = not path.exists()
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            # ends a line that a power failure cut off, so that only that one is lost
            _write(handle, b"\n" + lines if torn else lines, size)
        finally:
            os.close(handle)
        if fresh:
            sync(place)
    except OSError as error:
        raise NotSavedError(f"The results of checks, {path}, cannot be written: {error.strerror}.") from None


def _write(handle: int, data: bytes, size: int) -> None:
    try:
        written = 0
        while written < len(data):
            written += os.write(handle, data[written:])
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, size)
        raise


class NotSavedError(RaidctlError):
    """The result of a check could not be written."""


def newest(records: Sequence[CheckRecord]) -> CheckRecord | None:
    """The check that was recorded last. Its time may be earlier than that of others: clocks are set back."""
    return records[-1] if records else None
