"""What one output reports of one array, before several outputs are combined.

A parser makes drafts. The final ids are not known yet (a superblock names no kernel device); the evidence is written
when the arrays are built (:mod:`raidctl_md.to_model`).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import TypeVar

from msgspec import Struct, field

from raidctl.evidence import Line, Output, mark_read
from raidctl.vendor.draft import DETAIL, WEAK, Complaint, Draft, Pair
from raidctl_md.vocabulary import LEVELS, NO_RAID, is_half_uuid, is_uuid

T = TypeVar("T")


class Source(IntEnum):
    """The source of a draft. If two report the same field, the one with the smaller number counts."""

    DETAIL = 1
    MDSTAT = 2
    SYSFS = 3
    EXPORT = 4
    QUERY = 5
    EXAMINE = 6
    SCAN = 7


class Parent(Struct, frozen=True):
    """The container of an array: its device as printed, or its UUID. The second value is the array's number in it."""

    ref: str
    index: str


class ReportDraft(Draft):
    """One output's report on one object.

    Unlike in other drafts, the last of several lines counts, as mdadm and the kernel qualify a state with later words:
    ``(S)`` behind a device's name, ``missing`` behind its state.
    """

    def put(
        self, line: Line | None, name: str, value: object, weight: int = DETAIL, shown_as: str | None = None
    ) -> None:
        """Set a field from a line."""
        self.values[name] = (weight, value)
        if line is not None:
            self.evidence.append((line, shown_as or name, value))

    def conclude(self, name: str, value: object, weight: int = WEAK) -> None:
        """Set a field that follows from others, unless it is known."""
        self.values.setdefault(name, (weight, value))

    def keep_words(self, label: str, value: str) -> None:
        """Keep the tool's words as a detail."""
        self.details[label] = value

    def unread(self, label: str, value: str) -> None:
        """Report a value not in the form of the tool's other versions."""
        self.add_problem("warning", "unread", f"Unknown form of {label}: {value!r}.")

    def forget(self, *names: str) -> None:
        """Make fields unknown; their lines are no longer evidence."""
        self.discard(*names)
        self.evidence = [item for item in self.evidence if item[1] not in names]

    def forget_line(self, line: Line) -> None:
        """Remove a line from the evidence; its value stays."""
        self.evidence = [item for item in self.evidence if item[0] is not line]


class MemberDraft(ReportDraft):
    """A member of an array. ``name`` is the kernel's (``sda1``, ``cciss/c0d0p1``), or a substitute if unknown."""

    node: str | None = None
    number: str | None = None
    """md's number of the device (``[4]`` of mdstat, column Number). It is not the slot."""
    slot: int | None = None
    """Its place in the array (column RaidDevice)."""
    names: set[str] = field(default_factory=set)
    """Its other identifiers: serial, DDF reference number, device UUID."""


class ArrayDraft(ReportDraft):
    """What one output reports of one array and its members."""

    source: Source = Source.SCAN
    output: Output = field(default_factory=lambda: Output(""))
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
    members: dict[str, MemberDraft] = field(default_factory=dict)
    undecided: set[str] = field(default_factory=set)
    """Names of possible spares, unless the array is a container."""
    labels: dict[str, str] = field(default_factory=dict)
    """The tool's label of each field, under which a container shows it."""

    def put_labelled(self, line: Line, name: str, value: object, label: str) -> None:
        """Set a field from a line with the tool's label. A value of None means that there is none."""
        if value is None:
            mark_read(line)
            return
        self.labels[name] = label
        self.put(line, name, value)

    def read_field(
        self,
        pair: Pair,
        name: str,
        parse: Callable[[str], T | None],
        weight: int = DETAIL,
        shown_as: str | None = None,
    ) -> T | None:
        """Read a pair into a field."""
        self.labels[name] = pair.label
        return super().read_field(pair, name, parse, weight, shown_as)

    def read_uuid(self, line: Line, label: str, text: str | None) -> None:
        """Set the array's UUID; an incomplete one is ignored, and a problem."""
        half = text is not None and is_half_uuid(text)
        self.uuid = text if text is not None and is_uuid(text) else None
        self.put_labelled(line, "unique_id", None if half else text, label)
        if half:
            self.add_problem("warning", "unread", f"Incomplete UUID {text!r}.", "Run mdadm again.")

    def read_level(self, line: Line, label: str, word: str) -> None:
        """Read the RAID level. An unknown one is a problem, unless it is not a RAID level (``multipath``)."""
        level = LEVELS.get(word)
        self.put_labelled(line, "raid_level", level or "unknown", label)
        if level is None:
            self.detail(line, label, word)
            self.report_level(word)

    def report_level(self, word: str) -> None:
        """Report an unknown RAID level."""
        if word and word not in LEVELS and word not in NO_RAID:
            self.add_problem("warning", "unread", f"Unknown RAID level {word!r}.")

    def member(self, name: str, node: str | None = None) -> MemberDraft:
        """The member of a name, created if it is new."""
        found = self.members.get(name)
        if found is None:
            found = self.members[name] = MemberDraft(name, node=node)
        return found

    def rename(self, member: MemberDraft, name: str) -> None:
        """Give a member another name."""
        del self.members[member.name]
        member.name = name
        self.members[name] = member

    def move_detail(self, label: str, member: MemberDraft) -> None:
        """Move a detail to the member that it is about."""
        value = self.details.pop(label, None)
        if value:
            name = f"details[{label}]"
            member.replace_words(label, value)
            for line, _, words in [item for item in self.evidence if item[1] == name]:
                member.add_evidence(line, name, words)
            self.forget(name)

    @property
    def reported(self) -> bool:
        """Whether any line is about the array or a member."""
        return bool(self.evidence) or any(member.evidence for member in self.members.values())

    def doubt_line(self, line: Line) -> None:
        """Leave a line listed as not understood. Its value is used, but has no evidence."""
        for draft in (self, *self.members.values()):
            draft.forget_line(line)


class Reading(Struct):
    """Everything that was read from one or more texts."""

    drafts: list[ArrayDraft] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    controller: list[tuple[Line, str, str]] = field(default_factory=list)
    """Lines about md as a whole: line, label, value."""
    complaints: list[tuple[str, Complaint]] = field(default_factory=list)
    """Problems that belong to no array, with their object."""


def key_of(node: str) -> str:
    """``sda1`` of ``/dev/sda1``, ``cciss/c0d0p1`` of ``/dev/cciss/c0d0p1``."""
    return node.removeprefix("/dev/").strip("/") or node


def slot_of(text: str) -> int | None:
    """The slot in a column. None for ``-``, ``none``, ``spare`` and a negative number."""
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
