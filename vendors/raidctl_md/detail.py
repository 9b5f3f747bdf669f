"""``mdadm --detail /dev/mdX`` (-D, --query --detail), mdadm 1 to 4.

The labels are those of Detail.c and of the ``detail_super`` functions of the metadata formats, in all releases.
"""

from __future__ import annotations

import re

from raidctl.evidence import Line, mark_read
from raidctl.model import Progress
from raidctl.text import counted
from raidctl_md.label_lines import (
    Field,
    Fields,
    count,
    is_table_head,
    label_of,
    layout,
    name_of,
    read_label,
    row_of,
    take_member,
)
from raidctl_md.parts import Complaint, Parent, Part, Reading, Source
from raidctl_md.split_outputs import Section
from raidctl_md.state import State, of_detail
from raidctl_md.vocabulary import OPERATIONS, chunk_bytes, size_in, version

_DETAILS = frozenset(
    {
        "Creation Time", "Update Time", "Used Dev Size", "Device Size", "Total Devices", "Preferred Minor",
        "Persistence", "Working Devices", "Failed Devices", "Spare Devices", "Events", "Rounding", "Seq",
        "Virtual Disks", "Member Arrays", "Delta Devices", "New Level", "New Layout", "New Chunksize",
        "Reshape pos'n", "Cluster Name", "Checksum", "Sync checkpoint",
    }
)  # fmt: skip
_WORK = {"Rebuild Status": "recovery", "Resync Status": "resync", "Reshape Status": "reshape", "Check Status": "check"}
_DONE = re.compile(r"(\d{1,3})% complete", re.ASCII)
# "Container : /dev/md127, member 0"
_CONTAINER = re.compile(r"(\S+), member (\S+)")
_DELTA = re.compile(r"(-?\d{1,6})\b")
_COUNT = re.compile(r"\d{1,9}", re.ASCII)
_BRACKETED = re.compile(r"\s*\([^()]*\)\s*")


def read(section: Section, reading: Reading) -> None:
    """Read one array's detail."""
    part = Part(Source.DETAIL, section.output, node=section.node)
    reader = _Reader(part)
    for line in section.lines:
        if line.text.strip():
            reader.feed(line)
    if section.head and (part.claims or section.head.stripped.startswith("/dev/md")):
        part.put(section.head, "device", section.node, "device")
    if part.claims:
        reader.settle()
        reading.parts.append(part)


class _Reader:
    """Reads the lines of one array."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.last = ""
        self.states = True
        self.state: State | None = None
        self.percent: tuple[str, float] | None = None
        self.rows = 0

    def feed(self, line: Line) -> None:
        part = self.part
        if is_table_head(line):
            self.states = "State" in line.text
            mark_read(line)
            return
        columns = row_of(line)
        if columns:
            self.rows += 1
            member = take_member(part, line, columns, states=self.states)
            if member is not None and member.values.get("role") is None and "status" in member.values:
                _strange(part, member.key, str(member.values.get("status_text", "")))
            return
        pair = label_of(line)
        if pair is None:
            self._continue(line)
            return
        label, value = pair
        if self._take(line, label, value):
            self.last = label

    def _continue(self, line: Line) -> None:
        """Read a line without a label: a GUID in words, or the rest of a wrapped name."""
        text = line.text.strip()
        if self.last == "Container GUID" and _BRACKETED.fullmatch(line.text):
            self.part.detail(line, "Container GUID in words", text.strip("()"))
        elif self.last == "Name" and text.endswith(")"):
            mark_read(line)

    def _take(self, line: Line, label: str, value: str) -> bool:
        part = self.part
        if label in _WORK:
            return self.take_progress(line, label, value)
        if label in _DETAILS:
            part.detail(line, label, value)
            return True
        return read_label(self, part, (line, label, value), _FIELDS)

    def take_level(self, line: Line, value: str) -> None:
        self.part.is_container = value == "container"
        self.part.take_level(line, "Raid Level", value)

    def take_uuid(self, line: Line, value: str) -> None:
        # 0.90 keeps the host in the UUID: "1f2e3d4c:…:0a1b2c3d (local to host box)"
        self.part.take_uuid(line, "UUID", name_of(value))

    def take_version(self, line: Line, value: str) -> None:
        """``1.2``, ``imsm``; ``/md127/0`` of an array in a container; empty without superblocks."""
        if value[:1] in ("/", "-"):
            container, _, index = value[1:].partition("/")
            self.part.parent = Parent(f"/dev/{container}", index)
            self.part.detail(line, "Version", value)
        else:
            self.part.put(line, "metadata", version(value), "Version")

    def take_name(self, line: Line, value: str) -> None:
        self.part.put(line, "name", name_of(value), "Name")

    def take_container(self, line: Line, value: str) -> None:
        match = _CONTAINER.fullmatch(value)
        self.part.parent = Parent(match[1], match[2]) if match else None
        self.part.detail(line, "Container", value)

    def take_guid(self, line: Line, value: str) -> None:
        # a label of DDF's alone; an array in the container has no line Version
        self.part.detail(line, "Container GUID", value)
        self.part.put(line, "metadata", "ddf", "Container GUID")

    def take_state(self, line: Line, value: str) -> None:
        part = self.part
        part.put(line, "status_text", value, "State")
        self.state = of_detail(value)
        if self.state is None:
            part.values["status"] = "unknown"
            part.complaints.append(Complaint("warning", "unread", f"Unknown word in state {value!r}."))
        else:
            part.values["status"] = self.state.status

    def take_progress(self, line: Line, label: str, value: str) -> bool:
        match = _DONE.fullmatch(value)
        if not match:
            return False
        percent = min(float(match[1]), 100.0)
        self.percent = (label, percent)
        progress = Progress(operation=OPERATIONS[_WORK[label]], percent=percent, state="running")
        self.part.put(line, "progress", progress, label)
        return True

    def settle(self) -> None:
        """Combine state, progress and the number of members."""
        part = self.part
        progress = self.state.progress if self.state else None
        if self.percent:
            label, percent = self.percent
            # mdadm 2 prints "Rebuild Status" for a resync too; the word in State distinguishes them
            operation = progress.operation if progress else OPERATIONS[_WORK[label]]
            progress = Progress(operation=operation, percent=percent, state="running")
        part.values["progress"] = progress
        # a slot without a device has its row, "removed"; spares and failed devices follow
        total = part.details.get("Total Devices", "")
        expected = part.values.get("drives_expected")
        listed = max(expected if isinstance(expected, int) else 1, int(total) if _COUNT.fullmatch(total) else 0)
        part.output.gap = "" if self.rows >= listed else f"it lists {self.rows} of {listed} devices"
        delta = _DELTA.match(part.details.get("Delta Devices", ""))
        if part.values.get("status") == "migrating" and delta and int(delta[1]) > 0:
            part.values["status"] = "expanding"
        if part.is_container:
            part.values.pop("status", None)
            # DDF containers have a GUID in place of a UUID
            part.uuid = part.uuid or part.details.get("Container GUID")
        elif "Total Devices" in part.details and "drives_expected" not in part.values:
            # an inactive array: mdadm prints neither Raid Devices nor, in some releases, its state
            part.values.setdefault("status", "inactive")
        _count_failed(part)
        _doubt_level(part)


def _count_failed(part: Part) -> None:
    """``Failed Devices : 1`` against the rows: a device that has failed may have no row any more."""
    count = part.details.get("Failed Devices", "")
    listed = sum(member.values.get("status") == "critical" for member in part.members.values())
    if _COUNT.fullmatch(count) and int(count) > listed and part.values.get("status") in ("ok", "checking", None):
        text = f"mdadm counts {counted(int(count), 'failed device')}, of which {listed} are listed."
        part.complaints.append(Complaint("warning", "state", text, "List the members: `cat /proc/mdstat`."))


def _doubt_level(part: Part) -> None:
    """Up to 4.1, mdadm prints raid0 for every inactive array: the kernel reports no level."""
    inactive = part.values.get("status") == "inactive" and "drives_expected" not in part.values
    if inactive and part.values.get("raid_level") == "raid0":
        part.complaints.append(
            Complaint(
                "info",
                "note",
                "mdadm prints raid0 for any array that is not started; the real level may differ.",
                "Read the level from a member: `mdadm --examine`.",
            )
        )


def _strange(part: Part, member: str, text: str) -> None:
    if text and not set(text.split()) <= {"removed", "missing"}:
        part.complaints.append(Complaint("warning", "unread", f"Unknown member state {text!r}.", member=member))


def _kib(value: str) -> int | None:
    return size_in(value, (1024,))


def _bitmap(value: str) -> str | None:
    return value.lower() if value.lower().startswith("internal") else value or None


_FIELDS: Fields[_Reader] = {
    #            Version : 1.2
    "Version": _Reader.take_version,
    #         Raid Level : raid1
    "Raid Level": _Reader.take_level,
    #         Array Size : 976630464 (931.39 GiB 1000.07 GB)
    "Array Size": Field("size_bytes", _kib, strict=True),
    "Raid Devices": Field("drives_expected", count, strict=True),
    "Active Devices": Field("drives_active", count, strict=True),
    #      Intent Bitmap : Internal
    "Intent Bitmap": Field("bitmap", _bitmap, strict=True),
    #              State : clean, degraded, recovering
    "State": _Reader.take_state,
    #             Layout : near=2
    "Layout": Field("layout", layout),
    #         Chunk Size : 512K
    "Chunk Size": Field("strip_bytes", chunk_bytes, strict=True),
    # Consistency Policy : bitmap
    "Consistency Policy": Field("consistency_policy", lambda value: value or None, strict=True),
    #               Name : box:root  (local to host box)
    "Name": _Reader.take_name,
    #               UUID : 3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    "UUID": _Reader.take_uuid,
    #          Container : /dev/md127, member 0
    "Container": _Reader.take_container,
    "Container GUID": _Reader.take_guid,
}
