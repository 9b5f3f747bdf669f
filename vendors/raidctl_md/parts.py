"""What one output tells of one array, before several outputs are put together.

A parser makes :class:`Part` objects. It cannot know the final ids yet (a superblock names no kernel device), so the
evidence is kept as :class:`Claim` objects and written to the sheets when the ids are known
(:mod:`raidctl_md.to_model`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from msgspec import Struct

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Problem, ProblemKind, Severity
from raidctl_md.vocabulary import LEVELS, NO_RAID, is_half_uuid, is_uuid


class Source(IntEnum):
    """Where a part comes from; of two that tell the same field, the smaller number counts."""

    DETAIL = 1
    MDSTAT = 2
    SYSFS = 3
    EXPORT = 4
    QUERY = 5
    EXAMINE = 6
    SCAN = 7


class Claim(NamedTuple):
    """The evidence for a field of the array, or of the member ``member``."""

    line: Line
    field: str
    label: str
    value: object
    member: str | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that the tool warns of; becomes a Problem when the id is known. ``where`` None: the array."""

    severity: Severity
    kind: ProblemKind
    message: str
    remedy: str | None = None
    member: str | None = None

    def problem(self, where: str) -> Problem:
        """The problem, now that the object's id is known."""
        return Problem(severity=self.severity, where=where, message=self.message, remedy=self.remedy, kind=self.kind)


@dataclass(frozen=True, slots=True)
class Parent:
    """The container of an array: its device as printed, or its UUID; and the array's number in it."""

    ref: str
    index: str


class Member(Struct, eq=False):
    """A member as one output shows it."""

    key: str
    """Kernel name (``sda1``, ``cciss/c0d0p1``), or what stands for it where no device is told."""
    node: str | None = None
    number: str | None = None
    """md's number of the device (``[4]`` of mdstat, column Number); not its slot."""
    slot: int | None = None
    """Its place in the array (column RaidDevice)."""
    names: set[str] = set()
    """Other things it is known by: serial, DDF reference number, device UUID."""
    values: dict[str, object] = {}
    details: dict[str, str] = {}


@dataclass
class Part:
    """What one output tells of one array."""

    source: Source
    sheet: Output
    node: str | None = None
    """Device as printed, ``/dev/md0``, ``/dev/md/root``."""
    uuid: str | None = None
    parent: Parent | None = None
    is_container: bool = False
    busy: bool = False
    """A bar of progress is shown, whatever stands beside it."""
    events: int = 0
    """Event count of a superblock: the highest is the most recent."""
    minor: str | None = None
    """Preferred minor of a 0.90 superblock."""
    values: dict[str, object] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    undecided: set[str] = field(default_factory=set)
    """Keys of members of which the text does not tell whether they are spares, if the array is no container."""

    def tell(self, line: Line, name: str, value: object, label: str) -> None:
        """The line gave a field of the volume; ``label`` is the tool's name of it. None: it says that there is none."""
        if value is None:
            mark_read(line)
            return
        self.values[name] = value
        self.claims.append(Claim(line, name, label, value))

    def take_uuid(self, line: Line, label: str, text: str | None) -> None:
        """The array's UUID; half of one is none, and a problem."""
        half = text is not None and is_half_uuid(text)
        self.uuid = text if text is not None and is_uuid(text) else None
        self.tell(line, "unique_id", None if half else text, label)
        if half:
            self.troubles.append(Trouble("warning", "unread", f"Incomplete UUID {text!r}.", "Run mdadm again."))

    def take_level(self, line: Line, label: str, word: str) -> None:
        """The RAID level; an unknown one is a problem, unless it is none (``multipath``)."""
        level = LEVELS.get(word)
        self.tell(line, "raid_level", level or "unknown", label)
        if level is None:
            self.detail(line, label, word)
            if word not in NO_RAID:
                self.troubles.append(Trouble("warning", "unread", f"Unknown RAID level {word!r}."))

    def detail(self, line: Line, label: str, value: str) -> None:
        """The line gave something without a neutral field."""
        self.details[label] = value
        self.claims.append(Claim(line, f"details[{label}]", label, value))

    def member(self, key: str, node: str | None = None) -> Member:
        """The member of that name, made when it is new."""
        found = self.members.get(key)
        if found is None:
            found = self.members[key] = Member(key, node)
        return found

    def tell_member(self, line: Line, member: Member, name: str, value: object) -> None:
        """The line gave a field of a member."""
        member.values[name] = value
        self.claims.append(Claim(line, name, name, value, member.key))

    def detail_member(self, line: Line, member: Member, label: str, value: str) -> None:
        """The line gave something of a member without a neutral field."""
        member.details[label] = value
        self.claims.append(Claim(line, f"details[{label}]", label, value, member.key))


@dataclass
class Reading:
    """Everything that was read out of one text or more."""

    parts: list[Part] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    controller: list[tuple[Line, str, str]] = field(default_factory=list)
    """Lines about md as a whole: line, label, value."""
    troubles: list[tuple[str, Trouble]] = field(default_factory=list)
    """Troubles that belong to no array, with what they are about."""


def key_of(node: str) -> str:
    """``sda1`` of ``/dev/sda1``, ``cciss/c0d0p1`` of ``/dev/cciss/c0d0p1``."""
    return node.removeprefix("/dev/").strip("/") or node


def slot_of(text: str) -> int | None:
    """The slot of a column; None of ``-``, ``none``, ``spare``, and of what stands for no slot (a negative number)."""
    return int(text) if text.isdecimal() and len(text) < 6 else None


def kernel_of(node: str) -> str | None:
    """The kernel's name of an array's device where the path itself tells it.

    ``/dev/md0``, ``/dev/md_d1``, ``/dev/md_home`` are kernel names; ``/dev/md/5`` is the same as ``/dev/md5``;
    ``/dev/md/root`` does not tell.
    """
    name = key_of(node)
    if name.startswith("md/"):
        rest = name[3:]
        return f"md{rest}" if rest.isdecimal() else None
    return name if "/" not in name and name.startswith("md") else None
