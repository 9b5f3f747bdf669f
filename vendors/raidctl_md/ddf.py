"""``mdadm --examine`` of DDF metadata: a container, its volumes and drives. Labels of super-ddf.c."""

from __future__ import annotations

import re

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import VolumeStatus
from raidctl_md.label_lines import Field, Fields, label_of, read_label
from raidctl_md.parts import Complaint, Parent, Part, Reading, Source, key_of, slot_of
from raidctl_md.split_outputs import Section
from raidctl_md.vocabulary import LEVELS

_CONTAINER_DETAILS = frozenset(
    {"Magic", "Controller GUID", "Container GUID", "Seq", "Redundant hdr", "Virtual Disks", "Physical Disks"}
)
# "        state[0] : Optimal, Consistent"
_INDEXED = re.compile(
    r"(VD GUID|unit|state|init state|access|Name|Raid Devices|Chunk Size|Raid Level|Secondary Position|Secondary Level|"
    r"Device Size|Array Size)\[(\d{1,5})\]",
    re.ASCII,
)
_WORDS = re.compile(r"\s*\((.*)\)\s*")
_HEAD = re.compile(r"\s*Number\s+RefNo\s+Size\s+Device\s+Type/State\s*")
# "         1    5b7c90aa    520192K /dev/sdd        active/Online"; only the examined drive has a device
_DISK = re.compile(
    r"\s*(?P<number>\d{1,5})\s+(?P<ref>[0-9a-f]{8})\s+(?P<size>\d{1,15})K\s+(?:(?P<node>/dev/\S+)\s+)?"
    r"(?P<type>[A-Za-z, -]*)/(?P<state>[A-Za-z, -]+)",
    re.ASCII,
)
# "   5b7c90ab /dev/sde" below "Physical disks not in metadata!:"
_STRAY = re.compile(r"\s*(?P<ref>[0-9a-f]{8})\s+(?P<node>/dev/\S+|-unknown-)\s*", re.ASCII)
_STATUS: dict[str, VolumeStatus] = {
    "Optimal": "ok", "Degraded": "degraded", "Deleted": "unknown", "Missing": "offline", "Failed": "failed",
    "Partially Optimal": "degraded",
}  # fmt: skip
_DISK_STATES = frozenset(
    {"Online", "Offline", "Failed", "Rebuilding", "in-transition", "SMART-errors", "Unrecovered-Read-Errors", "Missing"}
)
_COUNT = re.compile(r"(\d{1,9})\b", re.ASCII)


def read(section: Section, reading: Reading) -> None:
    """Read one examined drive of a DDF container."""
    reader = _Reader(section.output)
    for line in section.lines:
        if line.text.strip():
            reader.feed(line)
    reader.settle()
    reading.parts.extend(part for part in (reader.container, *reader.volumes.values()) if part.claims)


class _Reader:
    def __init__(self, output: Output) -> None:
        self.output = output
        self.container = Part(Source.EXAMINE, output, is_container=True)
        self.volumes: dict[str, Part] = {}
        self.last: tuple[Part, str] | None = None

    def feed(self, line: Line) -> None:
        text = line.text
        if _HEAD.fullmatch(text) or line.stripped.startswith("Physical disks not in metadata"):
            mark_read(line)
            return
        disk = _DISK.fullmatch(text) or _STRAY.fullmatch(text)
        if disk:
            self._take_disk(line, disk)
            return
        pair = label_of(line)
        if pair is None:
            words = _WORDS.fullmatch(text)
            if words and self.last:
                part, label = self.last
                part.detail(line, f"{label} in words", words[1].strip())
            return
        self._take(line, *pair)

    def _take(self, line: Line, label: str, value: str) -> None:
        self.last = None
        indexed = _INDEXED.fullmatch(label)
        if indexed:
            part = self.volumes.get(indexed[2])
            if part is None:
                part = self.volumes[indexed[2]] = Part(Source.EXAMINE, self.output)
            self._take_volume(part, line, indexed[1], value)
        elif label == "Version":
            self.container.put(line, "metadata", "ddf", label)
            self.container.detail(line, label, value)
        elif label in _CONTAINER_DETAILS:
            self.container.detail(line, label, value)
            if label == "Container GUID":
                self.container.uuid = value
                self.container.values["unique_id"] = value
            if label.endswith("GUID"):
                self.last = (self.container, label)

    def _take_volume(self, part: Part, line: Line, label: str, value: str) -> None:
        if label == "VD GUID":
            part.uuid = value
            part.put(line, "unique_id", value, label)
            part.values["metadata"] = "ddf"
            self.last = (part, label)
        elif not read_label(part, part, (line, label, value), _VOLUME_FIELDS):
            part.detail(line, label, value)

    def _take_disk(self, line: Line, match: re.Match[str]) -> None:
        columns = match.groupdict()
        node = columns["node"] if columns["node"] != "-unknown-" else None
        part = self.container
        member = part.member(key_of(node) if node else columns["ref"], node)
        member.names.add(columns["ref"])
        part.detail_member(line, member, "RefNo", columns["ref"])
        if "state" not in columns:
            return
        member.number = columns["number"]
        part.detail_member(line, member, "Number", columns["number"])
        member.slot = slot_of(columns["number"])
        part.detail_member(line, member, "Size", f"{columns['size']}K")
        part.put_member(line, member, "size_bytes", int(columns["size"]) * 1024)
        states = [word.strip() for word in columns["state"].split(",")]
        part.put_member(line, member, "status_text", f"{columns['type']}/{columns['state']}".strip())
        part.put_member(line, member, "role", _role(columns["type"], states))
        known = set(states) <= _DISK_STATES
        part.put_member(line, member, "status", _health(states) if known else "unknown")
        if not known:
            part.complaints.append(
                Complaint("warning", "unread", f"Unknown state {columns['state']!r}.", member=member.key)
            )

    def settle(self) -> None:
        """Assign the volumes to the container."""
        for index, part in self.volumes.items():
            if self.container.uuid:
                part.parent = Parent(self.container.uuid, index)


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


def _take_state(part: Part, line: Line, value: str) -> None:
    part.put(line, "status_text", value, "state")
    status = _STATUS.get(value.partition(",")[0].strip(), "unknown")
    part.values["status"] = status
    if status == "unknown":
        part.complaints.append(Complaint("warning", "unread", f"Unknown state {value!r}."))


def _first(value: str) -> int | None:
    """The number at the beginning."""
    match = _COUNT.match(value)
    return int(match[1]) if match else None


def _sectors(value: str) -> int | None:
    number = _first(value)
    return None if number is None else number * 512


def _kib(value: str) -> int | None:
    return int(value) * 1024 if value.isdecimal() and len(value) < 19 else None


_VOLUME_FIELDS: Fields[Part] = {
    #        Name[0] : vd0
    "Name": Field("name", lambda value: value or None),
    #       state[0] : Optimal, Consistent
    "state": _take_state,
    # Raid Devices[0] : 2 (0@0K 1@0K), members by number and where their part begins
    "Raid Devices": Field("drives_expected", _first, keep=True),
    #  Raid Level[0] : RAID1
    "Raid Level": Field("raid_level", lambda word: LEVELS.get(word, "unknown"), keep=True),
    #  Array Size[0] : 520192
    "Array Size": Field("size_bytes", _kib),
    #  Chunk Size[0] : 128 sectors
    "Chunk Size": Field("strip_bytes", _sectors),
}
