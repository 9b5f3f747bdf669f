"""The journal of all changes: who, what, from, to, why. A sync to storage precedes each change.

``journal.jsonl``: one JSON object per line, append-only. A change begins with a line that has all of its steps and how
to undo each; then a line before and after each step, and a line at the end. A change without an end was interrupted
(raidctl killed, power failure): ``restore`` undoes its steps.

Each line begins with its number in the file and a checksum (older journals have neither). The last line may be cut off
by a power failure; it counts as not written. Any other damage makes the journal unusable, as a damaged line may have
ended a change: nothing is undone then.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from raidctl import json_decode
from raidctl.change.indicator import Indicator
from raidctl.change.state_directory import OTHERS_WRITE, sync
from raidctl.change.state_place import DANGLING_LINK, JOURNAL, is_missing
from raidctl.described import doc
from raidctl.errors import CannotTell, RaidctlError
from raidctl.text import listing
from raidctl.vendor.plan import Deed, Desired, Step

Kind = Literal["set", "batch", "operation", "locate"]
Mark = Literal[
    "start", "done", "failed", "undo", "undone", "left", "wait", "seen", "saved", "passed", "stopped", "resumed"
]  # fmt: skip
Result = Literal["done", "undone", "restored", "stands", "stopped", "abandoned"]


class JournalFull(RaidctlError):
    """A line could not be written, so nothing more may be changed."""


class Subject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A controller under change, with its identity after a reboot."""

    id: Annotated[str, doc("Its id when it was changed: `smartarray:1`.")]
    model: Annotated[str | None, doc("Product name; null: unknown.")] = None
    serial: Annotated[str | None, doc("Serial number; null: unknown.")] = None
    objects: Annotated[dict[str, str], doc("The unique ids of the volumes under change, by their id.")] = {}


class Begin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="begin", tag_field="event"):
    """A change is about to happen."""

    change: Annotated[str, doc("Name of the change.")]
    at: Annotated[str, doc("When, RFC 3339 in UTC.")]
    kind: Annotated[
        Kind,
        doc("`set`: permanent; `batch`: temporary; `operation`: has deeds; `locate`: LEDs that blink for a while."),
    ]
    about: Annotated[str, doc("The command, for display.")]
    user: Annotated[str, doc("The user.")]
    pid: Annotated[int, doc("The process.")]
    boot: Annotated[str, doc("The kernel's id of the boot; empty: none.")]
    source: Annotated[str, doc("The machine: `local`, `ssh:HOST`, `demo:NAME`.")]
    subjects: Annotated[tuple[Subject, ...], doc("The controllers under change.")] = ()
    desired: Annotated[tuple[Desired, ...], doc("The desired settings.")] = ()
    steps: Annotated[tuple[Step, ...], doc("In the order of execution.")] = ()
    was: Annotated[
        tuple[Desired, ...],
        doc("The previous values of the desired settings, in the words of the model; used to undo with another tool."),
    ] = ()
    reason: Annotated[str | None, doc("The reason given with `--unsafe`; null: none.")] = None
    unsafe: Annotated[bool, doc("Whether `--unsafe` was given.")] = False
    deeds: Annotated[tuple[Deed, ...], doc("What is done, of an operation.")] = ()
    resume: Annotated[str | None, doc("The command that continues an operation; null: it cannot be continued.")] = None
    touches: Annotated[tuple[str, ...], doc("Ids and serial numbers that no other operation may touch meanwhile.")] = ()
    facts: Annotated[dict[str, str], doc("What an operation needs to continue: serial numbers, names.")] = {}
    indicators: Annotated[tuple[Indicator, ...], doc("The LEDs of a `locate`.")] = ()
    until: Annotated[str | None, doc("When it is undone at the latest, RFC 3339 in UTC; null: no such time.")] = None


class StepEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="step", tag_field="event"):
    """An event of a step. The step starts, ended, is undone, or is left as somebody else set it."""

    change: Annotated[str, doc("Name of the change.")]
    at: Annotated[str, doc("When, RFC 3339 in UTC.")]
    step: Annotated[int, doc("Number of the step, from 0.")]
    mark: Annotated[
        Mark,
        doc(
            "`start`: starts; `done`, `failed`: ended; `undo`: undoing starts; "
            "`undone`; `left`: not undone, as somebody else has changed the setting since; `wait`: waits for a person "
            "or the hardware; `seen`: a person did it; `saved`: something was kept; `passed`: from here on nothing is "
            "undone; `stopped`; `resumed`."
        ),
    ]
    text: Annotated[str | None, doc("More about it, one sentence; null: nothing.")] = None


class End(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="end", tag_field="event"):
    """A change is over."""

    change: Annotated[str, doc("Name of the change.")]
    at: Annotated[str, doc("When, RFC 3339 in UTC.")]
    result: Annotated[
        Result,
        doc(
            "`done`: succeeded; `undone`: it failed, and the previous settings were restored; `restored`: "
            "undone later; `stands`: not undone; `stopped`: failed where nothing is undone; `abandoned`: given up."
        ),
    ]
    text: Annotated[str | None, doc("More about it, one sentence; null: nothing.")] = None


class Planned(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="plan", tag_field="event"):
    """More steps of an operation, planned from the machine's state then."""

    change: Annotated[str, doc("Name of the change.")]
    at: Annotated[str, doc("When, RFC 3339 in UTC.")]
    steps: Annotated[tuple[Step, ...], doc("They follow the steps that are known.")] = ()
    facts: Annotated[dict[str, str], doc("What is known besides: the new drive's serial number.")] = {}


Entry = Begin | StepEvent | Planned | End


class JournaledChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change with all of its journal entries."""

    begin: Annotated[Begin, doc("The plan, written before anything was changed.")]
    events: Annotated[tuple[StepEvent, ...], doc("The entries of the steps, in order.")] = ()
    end: Annotated[End | None, doc("How it ended; null: no end.")] = None

    @property
    def pending(self) -> bool:
        """Whether it has no end entry."""
        return self.end is None

    @property
    def open(self) -> bool:
        """Whether it may have left changes: a step began, no end followed."""
        return self.pending and bool(self.events)

    @property
    def unconfirmed(self) -> bool:
        """Whether it is an operation with an unconfirmed last command.

        It cannot be resumed, and the command's effect is unknown.
        """
        begin = self.begin
        return self.open and begin.kind == "operation" and begin.resume is None and self.events[-1].mark == "stopped"

    @property
    def unclear(self) -> bool:
        """Whether which volumes its commands have changed is unknown, as numbers moved meanwhile."""
        return self.begin.kind != "operation" and any(event.mark == "stopped" for event in self.events)

    @property
    def waiting(self) -> str | None:
        """What an open operation waits for, or why it stopped. Its last entry shows this.

        A wait for the hardware has no separate sentence: the step describes what is not complete.
        """
        for event in reversed(self.events):
            if event.text and event.mark in ("wait", "stopped", "failed"):
                return event.text
            if event.mark == "wait" and event.step < len(self.begin.steps):
                step = self.begin.steps[event.step]
                return f"{step.setting.replace('_', ' ')} of {step.object_id} is not complete"
        return None

    def started(self) -> list[int]:
        """Return the numbers of the started steps, in order."""
        return list(dict.fromkeys(event.step for event in self.events if event.mark == "start"))

    def in_flight(self) -> list[int]:
        """Return the steps that were started and have no result."""
        last = {event.step: event.mark for event in self.events if event.mark != "stopped"}
        return [number for number, mark in last.items() if mark == "start"]


class Journal:
    """The journal in a state directory."""

    def __init__(self, place: Path) -> None:
        self.path = place / JOURNAL

    def append(self, entry: Entry) -> None:
        """Write a line and sync it. A line that cannot be written in full is removed.

        Raises:
            JournalFull: It could not be written.
        """
        try:
            handle = self._open(os.O_RDWR | os.O_CREAT)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                _write(handle, entry)
            finally:
                os.close(handle)
            if isinstance(entry, Begin):
                # always: the process that created the file may have been killed before it synced the directory
                sync(self.path.parent)
        except OSError as error:
            raise JournalFull(f"The journal {self.path} cannot be written: {error.strerror}.") from None

    def changes(self) -> list[JournaledChange]:
        """Return all changes, the oldest first.

        Raises:
            CannotTell: The journal cannot be read or trusted, a line is damaged or unknown, or steps belong to a change
                whose first line is lost.
        """
        data = self._data()
        return _changes(self.path, _entries(self.path, data)) if data else []

    def _open(self, flags: int) -> int:
        """Open the file, without waiting for a pipe. Raises OSError."""
        handle = os.open(self.path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise OSError(errno.EINVAL, "not a regular file")
        return handle

    def _data(self) -> bytes:
        try:
            handle = self._open(os.O_RDONLY)
        except FileNotFoundError:
            if is_missing(str(self.path)):
                return b""
            raise CannotTell(f"The journal {self.path} cannot be read: {DANGLING_LINK}") from None
        except OSError as error:
            raise CannotTell(f"The journal {self.path} cannot be read: {error.strerror}.") from None
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if status.st_uid not in (0, os.geteuid()) or status.st_mode & OTHERS_WRITE:
                raise CannotTell(
                    f"The journal {self.path} belongs to another user or is writable by others, so its content is not "
                    "trusted. Nothing was changed."
                )
            try:
                return file.read()
            except OSError as error:
                raise CannotTell(f"The journal {self.path} cannot be read: {error.strerror}.") from None

    def length(self) -> int:
        """Return the journal's size in bytes. It only grows, so a larger size means another change."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def pending(self) -> list[JournaledChange]:
        """Return the changes without an end, newest first, as they are undone."""
        return [journaled for journaled in reversed(self.changes()) if journaled.pending]


def _write(handle: int, entry: Entry) -> None:
    before = os.pread(handle, os.fstat(handle).st_size, 0)
    end = before.rfind(b"\n") + 1
    tail = before[end:]
    # a line cut off by a power failure is removed; one that only lost its line feed gets it
    data = before if tail and not _torn(tail) else before[:end]
    number = data.count(b"\n") + 1 + (len(data) > end)
    line = (b"\n" if len(data) > end else b"") + sealed(number, entry)
    try:
        os.ftruncate(handle, len(data))
        written = 0
        while written < len(line):
            written += os.pwrite(handle, line[written:], len(data) + written)
        os.fsync(handle)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(handle, len(data))
        raise


_OLD = b'{"event":'
"""The start of lines without a checksum."""
_SEAL = re.compile(rb'\{"line":([0-9]{1,9}),"crc32":"([0-9a-f]{8})",')


def sealed(number: int, entry: Entry) -> bytes:
    """Encode a line: number, checksum of number and entry, and the entry."""
    body = msgspec.json.encode(entry)[1:]
    return b'{"line":%d,"crc32":"%08x",%s\n' % (number, _checksum(number, body), body)


def _checksum(number: int, body: bytes) -> int:
    return zlib.crc32(b"%d," % number + body)


def _entries(path: Path, data: bytes) -> list[Entry]:
    *lines, tail = data.split(b"\n")
    if tail and not _torn(tail):
        lines.append(tail)
    found: list[Entry] = []
    seals = False
    for number, line in enumerate(lines, 1):
        if not line and not seals:
            continue
        seal = _SEAL.match(line)
        why = _damage(number, line, seal) if seal or seals or not line.startswith(_OLD) else None
        seals = seals or seal is not None
        try:
            if why is None:
                found.append(json_decode.decode(line, Entry))
                continue
            remedy = _REMEDY
        except msgspec.MsgspecError as error:
            why = str(error)
            remedy = "A newer raidctl may have written it; keep a copy of the file." if _is_json(line) else _REMEDY
        raise CannotTell(f"Line {number} of the journal {path} is damaged or unknown: {why}. {remedy}")
    return found


_REMEDY = (
    "Nothing was undone, as unfinished changes are unknown. Keep a copy of the file, check the settings with "
    '"raidctl show", and move the file out of the way once they are correct.'
)


def _damage(number: int, line: bytes, seal: re.Match[bytes] | None) -> str | None:
    """Return the damage of a line with a checksum. None if it is intact."""
    if seal is None:
        return "it has no checksum"
    if int(seal[2], 16) != _checksum(int(seal[1]), line[seal.end() :]):
        return "its checksum does not match"
    return None if int(seal[1]) == number else f"it was written as line {int(seal[1])}"


def _is_json(line: bytes) -> bool:
    """Whether a line is a complete JSON value."""
    try:
        json_decode.decode(line)
    except msgspec.MsgspecError:
        return False
    return True


def _torn(tail: bytes) -> bool:
    """Whether text after the last line feed was cut off while written."""
    try:
        json_decode.decode_at(tail.decode("utf-8", "replace"))
    except ValueError:
        return True
    return False


def extended(begin: Begin, more: Planned) -> Begin:
    """Return a change's first entry with the steps that were planned later."""
    return msgspec.structs.replace(begin, steps=begin.steps + more.steps, facts={**begin.facts, **more.facts})


def _changes(path: Path, entries: Sequence[Entry]) -> list[JournaledChange]:
    begun: dict[str, Begin] = {}
    events: dict[str, list[StepEvent]] = {}
    ends: dict[str, End] = {}
    for entry in entries:
        if isinstance(entry, Begin):
            begun[entry.change] = entry
        elif isinstance(entry, Planned):
            if (first := begun.get(entry.change)) is not None:
                begun[entry.change] = extended(first, entry)
        elif isinstance(entry, StepEvent):
            events.setdefault(entry.change, []).append(entry)
        else:
            ends[entry.change] = entry
    lost = sorted(events.keys() - begun.keys() - ends.keys())
    if lost:
        # no step runs before its change's first line is on disk, so that line was damaged later
        raise CannotTell(
            f"The journal {path} has steps of change {listing(lost)}, whose first line is damaged: the previous values "
            f"are unknown. {_REMEDY}"
        )
    return [
        JournaledChange(begin=begin, events=tuple(events.get(name, ())), end=ends.get(name))
        for name, begin in begun.items()
    ]
