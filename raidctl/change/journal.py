"""What was ever changed, by whom, from what to what, why: on disk and synced before it happens.

``journal.jsonl``: one JSON object a line, only ever appended. A change begins with a line that holds all of its steps
and how each is undone; a line before and after each step; a line at its end. A change without an end is one whose
raidctl was killed or lost its power: ``restore`` puts back what its steps have changed.

Each line begins with its number in the file and a checksum (older journals have neither). The last line may be cut off
by a power failure; it counts as not written. Any other damage makes the whole journal unusable as evidence: nothing is
undone because a line that finished a change cannot be read.
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
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from raidctl import json_decode
from raidctl.change.state_directory import OTHERS_WRITE, sync
from raidctl.described import doc
from raidctl.errors import CannotTell, RaidctlError
from raidctl.text import listing
from raidctl.vendor.plan import Desired, Step

FILE = "journal.jsonl"
Kind = Literal["set", "batch"]
Mark = Literal["start", "done", "failed", "undo", "undone", "left"]
Result = Literal["done", "undone", "restored", "stands"]


class JournalFull(RaidctlError):
    """A line could not be written: nothing more may be changed."""


class Subject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A controller under change, so that it is known again after a reboot."""

    id: Annotated[str, doc("Its id when it was changed: `smartarray:1`.")]
    model: Annotated[str | None, doc("Product name; null: not told.")] = None
    serial: Annotated[str | None, doc("Serial number; null: not told.")] = None
    objects: Annotated[
        dict[str, str], doc("What the volumes under change are known by: their unique id, by their id.")
    ] = {}


class Begin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="begin", tag_field="event"):
    """A change is about to happen."""

    change: Annotated[str, doc("Name of the change.")]
    at: Annotated[str, doc("When, RFC 3339 in UTC.")]
    kind: Annotated[Kind, doc("`set`: to stay; `batch`: for a while, to be put back.")]
    about: Annotated[str, doc("The command, for people.")]
    user: Annotated[str, doc("Who did it.")]
    pid: Annotated[int, doc("The process that did it.")]
    boot: Annotated[str, doc("The kernel's name of the boot in which it was; empty: it has none.")]
    source: Annotated[str, doc("Where the machine is: `local`, `ssh:HOST`, `demo:NAME`.")]
    subjects: Annotated[tuple[Subject, ...], doc("The controllers under change.")] = ()
    wishes: Annotated[tuple[Desired, ...], doc("What was asked for.")] = ()
    steps: Annotated[tuple[Step, ...], doc("In the order in which they are carried out.")] = ()
    was: Annotated[
        tuple[Desired, ...],
        doc("What the wished settings were before, in the words of the model: the way back with another program."),
    ] = ()
    reason: Annotated[str | None, doc("What was said with `--unsafe`; null: nothing.")] = None
    unsafe: Annotated[bool, doc("Whether `--unsafe` was given.")] = False


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="step", tag_field="event"):
    """A step is about to be carried out, was carried out, is undone, was left as somebody else has set it."""

    change: Annotated[str, doc("Name of the change.")]
    at: Annotated[str, doc("When, RFC 3339 in UTC.")]
    step: Annotated[int, doc("Which of the steps, the first one is 0.")]
    mark: Annotated[
        Mark,
        doc(
            "`start`: about to be carried out; `done`, `failed`: it was; `undo`: about to be undone; "
            "`undone`; `left`: not undone, since somebody else has set it meanwhile."
        ),
    ]
    text: Annotated[str | None, doc("More about it, one sentence; null: there is nothing to say.")] = None


class End(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="end", tag_field="event"):
    """A change is over."""

    change: Annotated[str, doc("Name of the change.")]
    at: Annotated[str, doc("When, RFC 3339 in UTC.")]
    result: Annotated[
        Result,
        doc(
            "`done`: as wished; `undone`: it failed, and what was there is there again; `restored`: put "
            "back afterwards; `stands`: it is not put back."
        ),
    ]
    text: Annotated[str | None, doc("More about it, one sentence; null: there is nothing to say.")] = None


Entry = Begin | Turn | End


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A change from its beginning to its end, as far as it came."""

    begin: Annotated[Begin, doc("What was to be done, written down before anything was.")]
    turns: Annotated[tuple[Turn, ...], doc("What became of the steps, one after the other.")] = ()
    end: Annotated[End | None, doc("How it ended; null: nobody has ended it.")] = None

    @property
    def pending(self) -> bool:
        """Whether nobody has ended it yet."""
        return self.end is None

    @property
    def open(self) -> bool:
        """Whether it may have left something changed: nobody has ended it, and a step was begun."""
        return self.pending and bool(self.turns)

    def started(self) -> list[int]:
        """The numbers of the steps that were begun, in order."""
        return list(dict.fromkeys(turn.step for turn in self.turns if turn.mark == "start"))

    def in_flight(self) -> list[int]:
        """The steps that were begun and of which nothing more is known."""
        last = {turn.step: turn.mark for turn in self.turns}
        return [number for number, mark in last.items() if mark == "start"]


def now() -> str:
    """This moment, RFC 3339 in UTC."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Journal:
    """The journal in a state directory."""

    def __init__(self, place: Path) -> None:
        self.path = place / FILE

    def append(self, entry: Entry) -> None:
        """Write a line and wait until it is on disk. A line that cannot be written whole leaves none.

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
                # always: whoever made the file may have been killed before its name was on disk
                sync(self.path.parent)
        except OSError as error:
            raise JournalFull(f"The journal {self.path} cannot be written: {error.strerror}.") from None

    def stories(self) -> list[Story]:
        """All changes, the oldest first.

        Raises:
            CannotTell: The journal cannot be read or is not to be trusted, a line in it is damaged or cannot be
                understood, or steps in it belong to a change whose beginning is lost.
        """
        data = self._data()
        return _stories(self.path, _entries(self.path, data)) if data else []

    def _open(self, flags: int) -> int:
        """Open the file; a pipe is not waited for. Raise OSError."""
        handle = os.open(self.path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise OSError(errno.EINVAL, "not a regular file")
        return handle

    def _data(self) -> bytes:
        try:
            handle = self._open(os.O_RDONLY)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise CannotTell(f"The journal {self.path} cannot be read: {error.strerror}.") from None
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if status.st_uid not in (0, os.geteuid()) or status.st_mode & OTHERS_WRITE:
                raise CannotTell(
                    f"The journal {self.path} belongs to somebody else or can be written by others: what stands in it "
                    "is not to be trusted. Nothing was changed."
                )
            try:
                return file.read()
            except OSError as error:
                raise CannotTell(f"The journal {self.path} cannot be read: {error.strerror}.") from None

    def length(self) -> int:
        """Bytes of the journal: it only grows, so whoever finds it longer knows that something was changed."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def pending(self) -> list[Story]:
        """The changes that have no end, the newest first: the order in which they are to be undone."""
        return [story for story in reversed(self.stories()) if story.pending]


def _write(handle: int, entry: Entry) -> None:
    before = os.pread(handle, os.fstat(handle).st_size, 0)
    end = before.rfind(b"\n") + 1
    tail = before[end:]
    # what a power failure cut off is removed; a line that only lost its line feed gets it
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
"""What lines without a checksum begin with."""
_SEAL = re.compile(rb'\{"line":([0-9]{1,9}),"crc32":"([0-9a-f]{8})",')


def sealed(number: int, entry: Entry) -> bytes:
    """A line of the journal: the entry behind its line number and a checksum of both."""
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
    "Whether changes are finished is unknown, and nothing was undone. Keep a copy of the file, look at the machine "
    'with "raidctl show", and move the file away when all is as it should be.'
)


def _damage(number: int, line: bytes, seal: re.Match[bytes] | None) -> str | None:
    """What is wrong with a line of a journal with checksums."""
    if seal is None:
        return "it has no checksum"
    if int(seal[2], 16) != _checksum(int(seal[1]), line[seal.end() :]):
        return "its checksum does not match"
    return None if int(seal[1]) == number else f"it was written as line {int(seal[1])}"


def _is_json(line: bytes) -> bool:
    """Whether a line is a whole JSON value."""
    try:
        json_decode.decode(line)
    except msgspec.MsgspecError:
        return False
    return True


def _torn(tail: bytes) -> bool:
    """Whether what follows the last line feed is the beginning of a line, cut off while it was written."""
    try:
        json_decode.decode_at(tail.decode("utf-8", "replace"))
    except ValueError:
        return True
    return False


def _stories(path: Path, entries: Sequence[Entry]) -> list[Story]:
    begun: dict[str, Begin] = {}
    turns: dict[str, list[Turn]] = {}
    ends: dict[str, End] = {}
    for entry in entries:
        if isinstance(entry, Begin):
            begun[entry.change] = entry
        elif isinstance(entry, Turn):
            turns.setdefault(entry.change, []).append(entry)
        else:
            ends[entry.change] = entry
    lost = sorted(turns.keys() - begun.keys() - ends.keys())
    if lost:
        # no step is carried out before its change's first line is on disk: that line was damaged later
        raise CannotTell(
            f"The journal {path} has steps of change {listing(lost)}, whose first line is damaged: the previous values "
            f"are unknown. {_REMEDY}"
        )
    return [Story(begin=begin, turns=tuple(turns.get(name, ())), end=ends.get(name)) for name, begin in begun.items()]
