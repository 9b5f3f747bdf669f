"""What one output reports of one array, before several outputs are combined.

A parser makes :class:`Part` objects. It cannot know the final ids yet (a superblock names no kernel device), so the
evidence is kept as :class:`Claim` objects and written to the outputs when the ids are known
(:mod:`raidctl_md.to_model`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from msgspec import Struct

from raidctl.evidence import Line, Output, mark_read
from raidctl.vendor import draft
from raidctl_md.vocabulary import LEVELS, NO_RAID, is_half_uuid, is_uuid


class Source(IntEnum):
    """The source of a part; of two that report the same field, the smaller number counts."""

    DETAIL = 1
    MDSTAT = 2
    SYSFS = 3
    EXPORT = 4
    QUERY = 5
    EXAMINE = 6
    SCAN = 7


class Claim(Struct, frozen=True):
    """The evidence for a field of the array, or of the member ``member``."""

    line: Line
    field: str
    label: str
    value: object
    member: str | None = None


class Complaint(draft.Complaint, frozen=True):
    """A problem of an array, or of one of its members, whose id is not known yet."""

    member: str | None = None


@dataclass(frozen=True, slots=True)
class Parent:
    """The container of an array: its device as printed, or its UUID; and the array's number in it."""

    ref: str
    index: str


class Member(Struct, eq=False):
    """A member as one output shows it."""

    key: str
    """The kernel's name (``sda1``, ``cciss/c0d0p1``), or a substitute if the device is unknown."""
    node: str | None = None
    number: str | None = None
    """md's number of the device (``[4]`` of mdstat, column Number); not its slot."""
    slot: int | None = None
    """Its place in the array (column RaidDevice)."""
    names: set[str] = set()
    """Its other identifiers: serial, DDF reference number, device UUID."""
    values: dict[str, object] = {}
    details: dict[str, str] = {}


@dataclass
class Part:
    """What one output reports of one array."""

    source: Source
    output: Output
    node: str | None = None
    """Device as printed, ``/dev/md0``, ``/dev/md/root``."""
    uuid: str | None = None
    parent: Parent | None = None
    is_container: bool = False
    busy: bool = False
    """A progress bar is shown, with or without a known operation."""
    events: int = 0
    """Event count of a superblock: the highest is the most recent."""
    minor: str | None = None
    """Preferred minor of a 0.90 superblock."""
    values: dict[str, object] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    complaints: list[Complaint] = field(default_factory=list)
    undecided: set[str] = field(default_factory=set)
    """Keys of members that may be spares, unless the array is a container."""

    def put(self, line: Line, name: str, value: object, label: str) -> None:
        """Set a field of the volume from a line; ``label`` is the tool's. None: the line reports no value."""
        if value is None:
            mark_read(line)
            return
        self.values[name] = value
        self.claims.append(Claim(line, name, label, value))

    def take_uuid(self, line: Line, label: str, text: str | None) -> None:
        """Set the array's UUID; an incomplete one is ignored, and a problem."""
        half = text is not None and is_half_uuid(text)
        self.uuid = text if text is not None and is_uuid(text) else None
        self.put(line, "unique_id", None if half else text, label)
        if half:
            self.complaints.append(Complaint("warning", "unread", f"Incomplete UUID {text!r}.", "Run mdadm again."))

    def take_level(self, line: Line, label: str, word: str) -> None:
        """The RAID level; an unknown one is a problem, unless it is none (``multipath``)."""
        level = LEVELS.get(word)
        self.put(line, "raid_level", level or "unknown", label)
        if level is None:
            self.detail(line, label, word)
            if word not in NO_RAID:
                self.complaints.append(Complaint("warning", "unread", f"Unknown RAID level {word!r}."))

    def detail(self, line: Line, label: str, value: str) -> None:
        """Keep a fact without a neutral field."""
        self.details[label] = value
        self.claims.append(Claim(line, f"details[{label}]", label, value))

    def member(self, key: str, node: str | None = None) -> Member:
        """The member of a name, created if it is new."""
        found = self.members.get(key)
        if found is None:
            found = self.members[key] = Member(key, node)
        return found

    def put_member(self, line: Line, member: Member, name: str, value: object) -> None:
        """Set a field of a member from a line."""
        member.values[name] = value
        self.claims.append(Claim(line, name, name, value, member.key))

    def detail_member(self, line: Line, member: Member, label: str, value: str) -> None:
        """Keep a fact of a member without a neutral field."""
        member.details[label] = value
        self.claims.append(Claim(line, f"details[{label}]", label, value, member.key))


@dataclass
class Reading:
    """Everything that was read from one or more texts."""

    parts: list[Part] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    controller: list[tuple[Line, str, str]] = field(default_factory=list)
    """Lines about md as a whole: line, label, value."""
    complaints: list[tuple[str, Complaint]] = field(default_factory=list)
    """Problems that belong to no array, with their object."""


def key_of(node: str) -> str:
    """``sda1`` of ``/dev/sda1``, ``cciss/c0d0p1`` of ``/dev/cciss/c0d0p1``."""
    return node.removeprefix("/dev/").strip("/") or node


def slot_of(text: str) -> int | None:
    """The slot in a column; None for ``-``, ``none``, ``spare`` and a negative number."""
    return int(text) if text.isdecimal() and len(text) < 6 else None


def kernel_of(node: str) -> str | None:
    """The kernel's name of an array's device, if the path contains it.

    ``/dev/md0``, ``/dev/md_d1``, ``/dev/md_home`` are kernel names; ``/dev/md/5`` is the same as ``/dev/md5``;
    ``/dev/md/root`` gives None.
    """
    name = key_of(node)
    if name.startswith("md/"):
        rest = name[3:]
        return f"md{rest}" if rest.isdecimal() else None
    return name if "/" not in name and name.startswith("md") else None
