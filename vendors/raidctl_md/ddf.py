"""``mdadm --examine`` of DDF metadata: a container, its volumes and drives. Labels of super-ddf.c."""

from __future__ import annotations

import re

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import VolumeStatus
from raidctl.text import regex
from raidctl.units import whole_number
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl_md.draft import ArrayDraft, Parent, Reading, Source, key_of, slot_of
from raidctl_md.label_lines import keep, known, pair_of
from raidctl_md.split_outputs import Section
from raidctl_md.vocabulary import LEVELS

_CONTAINER_DETAILS = frozenset(
    {"Magic", "Controller GUID", "Container GUID", "Seq", "Redundant hdr", "Virtual Disks", "Physical Disks"}
)
# "        state[0] : Optimal, Consistent"
_INDEXED = regex(
    r"(VD GUID|unit|state|init state|access|Name|Raid Devices|Chunk Size|Raid Level|Secondary Position|Secondary Level|"
    r"Device Size|Array Size)\[(\d{1,5})\]",
    re.ASCII,
)
_VOLUME_DETAILS = frozenset({"unit", "init state", "access", "Secondary Position", "Secondary Level", "Device Size"})
_WORDS = regex(r"\s*\((.*)\)\s*")
_HEAD = regex(r"\s*Number\s+RefNo\s+Size\s+Device\s+Type/State\s*")
# "         1    5b7c90aa    520192K /dev/sdd        active/Online"; only the examined drive has a device
_DISK = regex(
    r"\s*(?P<number>\d{1,5})\s+(?P<ref>[0-9a-f]{8})\s+(?P<size>\d{1,15})K\s+(?:(?P<node>/dev/\S+)\s+)?"
    r"(?P<type>[A-Za-z, -]*)/(?P<state>[A-Za-z, -]+)",
    re.ASCII,
)
# "   5b7c90ab /dev/sde" below "Physical disks not in metadata!:"
_STRAY = regex(r"\s*(?P<ref>[0-9a-f]{8})\s+(?P<node>/dev/\S+|-unknown-)\s*", re.ASCII)
_STATUS: dict[str, VolumeStatus] = {
    "Optimal": "ok", "Degraded": "degraded", "Deleted": "unknown", "Missing": "offline", "Failed": "failed",
    "Partially Optimal": "degraded",
}  # fmt: skip
_DISK_STATES = frozenset(
    {"Online", "Offline", "Failed", "Rebuilding", "in-transition", "SMART-errors", "Unrecovered-Read-Errors", "Missing"}
)
_COUNT = regex(r"(\d{1,9})\b", re.ASCII)


def read(section: Section, reading: Reading) -> None:
    """Read one examined drive of a DDF container."""
    reader = _Reader(section.output)
    for line in section.lines:
        if line.text.strip():
            reader.read_line(line)
    reader.assign_volumes()
    if not reader.disks:  # the last part; each examined drive lists all of its container
        section.output.gap = "its drives are missing"
    reading.drafts.extend(draft for draft in (reader.container, *reader.volumes.values()) if draft.reported)


class _Reader:
    def __init__(self, output: Output) -> None:
        self.output = output
        self.container = ArrayDraft(source=Source.EXAMINE, output=output, is_container=True)
        self.volumes: dict[str, ArrayDraft] = {}
        self.last: tuple[ArrayDraft, str] | None = None
        self.disks = 0
        """Rows of its table of drives."""

    def read_line(self, line: Line) -> None:
        text = line.text
        if _HEAD.fullmatch(text) or line.stripped.startswith("Physical disks not in metadata"):
            mark_read(line)
            return
        disk = _DISK.fullmatch(text) or _STRAY.fullmatch(text)
        if disk:
            self._read_disk(line, disk)
            return
        pair = pair_of(line)
        if pair is not None:
            self._read(pair)
            return
        words = _WORDS.fullmatch(text)
        if words and self.last:
            draft, label = self.last
            draft.detail(line, f"{label} in words", words[1].strip())

    def _read(self, pair: Pair) -> None:
        self.last = None
        indexed = _INDEXED.fullmatch(pair.label)
        draft, fields = self.container, _CONTAINER_FIELDS
        if indexed:
            pair.label, fields = indexed[1], _VOLUME_FIELDS
            draft = self.volumes.setdefault(indexed[2], ArrayDraft(source=Source.EXAMINE, output=self.output))
        if read_pair(draft, pair, pair.label, fields) and pair.label.endswith("GUID"):
            self.last = (draft, pair.label)

    def _read_disk(self, line: Line, match: re.Match[str]) -> None:
        self.disks += 1
        columns = match.groupdict()
        node = columns["node"] if columns["node"] != "-unknown-" else None
        draft = self.container
        member = draft.member(key_of(node) if node else columns["ref"], node)
        member.names.add(columns["ref"])
        member.detail(line, "RefNo", columns["ref"])
        if "state" not in columns:
            return
        member.number = columns["number"]
        member.detail(line, "Number", columns["number"])
        member.slot = slot_of(columns["number"])
        member.detail(line, "Size", f"{columns['size']}K")
        member.put(line, "size_bytes", int(columns["size"]) * 1024)
        states = [word.strip() for word in columns["state"].split(",")]
        member.put(line, "status_text", f"{columns['type']}/{columns['state']}".strip())
        member.put(line, "role", _role(columns["type"], states))
        known = set(states) <= _DISK_STATES
        member.put(line, "status", _health(states) if known else "unknown")
        if not known:
            member.add_problem("warning", "unread", f"Unknown state {columns['state']!r}.")

    def assign_volumes(self) -> None:
        """Assign the volumes to the container."""
        for index, draft in self.volumes.items():
            if self.container.uuid:
                draft.parent = Parent(self.container.uuid, index)


def _role(kind: str, states: list[str]) -> str | None:
    if "Failed" in states or "Missing" in states:
        return "failed"
    if "are" in kind.lower():
        # "spare", "Global-Spare"
        return "spare"
    return "member" if "active" in kind else "passthrough" if "pass-through" in kind else None


def _health(states: list[str]) -> str:
    if {"Failed", "Missing", "Offline"} & set(states):
        return "critical"
    if {"Rebuilding", "SMART-errors", "Unrecovered-Read-Errors", "in-transition"} & set(states):
        return "warning"
    return "ok"


def _read_version(draft: ArrayDraft, pair: Pair) -> None:
    draft.put_labelled(pair.lines[0], "metadata", "ddf", pair.label)
    keep(draft, pair)


def _read_guid(draft: ArrayDraft, pair: Pair) -> None:
    keep(draft, pair)
    draft.uuid = pair.value
    draft.override("unique_id", pair.value)


def _read_volume_guid(draft: ArrayDraft, pair: Pair) -> None:
    draft.uuid = pair.value
    draft.put_labelled(pair.lines[0], "unique_id", pair.value, pair.label)
    draft.override("metadata", "ddf")


def _read_state(draft: ArrayDraft, pair: Pair) -> None:
    draft.put_labelled(pair.lines[0], "status_text", pair.value, pair.label)
    status = _STATUS.get(pair.value.partition(",")[0].strip(), "unknown")
    draft.override("status", status)
    if status == "unknown":
        draft.add_problem("warning", "unread", f"Unknown state {pair.value!r}.")


def _first(value: str) -> int | None:
    """The number at the beginning."""
    match = _COUNT.match(value)
    return int(match[1]) if match else None


def _sectors(value: str) -> int | None:
    number = _first(value)
    return None if number is None else number * 512


def _kib(value: str) -> int | None:
    number = whole_number(value)
    return None if number is None else number * 1024


_CONTAINER_FIELDS: Fields[ArrayDraft] = {
    **dict.fromkeys(_CONTAINER_DETAILS, keep),
    #         Version : 01.00.00
    "Version": _read_version,
    #  Container GUID : 4C534920:20202020:80861D60:00000000:41A2B3C4:00001450
    "Container GUID": _read_guid,
}
_VOLUME_FIELDS: Fields[ArrayDraft] = {
    **dict.fromkeys(_VOLUME_DETAILS, keep),
    #      VD GUID[0] : 4C534920:20202020:80861D60:00000000:41A2B3C4:00001451
    "VD GUID": _read_volume_guid,
    #        Name[0] : vd0
    "Name": Field("name", known),
    #       state[0] : Optimal, Consistent
    "state": _read_state,
    # Raid Devices[0] : 2 (0@0K 1@0K), members by number and where their part begins
    "Raid Devices": Field("drives_expected", _first, keep=True),
    #  Raid Level[0] : RAID1
    "Raid Level": Field(
        "raid_level",
        lambda word: LEVELS.get(word, "unknown"),
        keep=True,
        then=lambda draft, pair, _: draft.report_level(pair.value),
    ),
    #  Array Size[0] : 520192
    "Array Size": Field("size_bytes", _kib),
    #  Chunk Size[0] : 128 sectors
    "Chunk Size": Field("strip_bytes", _sectors),
}
