"""``mdadm --examine`` of Intel's metadata (imsm): a container, its volumes and drives. Labels of super-intel.c."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Operation, Progress, VolumeStatus
from raidctl_md.label_lines import Field, Fields, count, label_of, name_of, read_label
from raidctl_md.parts import Complaint, Member, Parent, Part, Reading, Source, key_of, slot_of
from raidctl_md.split_outputs import Section
from raidctl_md.vocabulary import LEVELS, chunk_bytes, is_uuid, size_in

_CONTAINER_DETAILS = frozenset(
    {
        "Orig Family", "Family", "Generation", "Creation Time", "Attributes", "Checksum", "MPB Sectors", "Disks",
        "RAID Devices", "Log Size", "Signature", "Entry Count", "First Spare", "Spare Blocks", "Magic",
        # migration record
        "Status", "Current Unit", "Ascending", "Blocks Per Unit", "Dest. Depth Per Unit", "Checkpoint Area pba",
        "First member lba", "Total Number of Units", "Size of volume", "Record was read from",
        "Expansion space for LBA64",
    }
)  # fmt: skip
_VOLUME_DETAILS = frozenset(
    {
        "Failed disk", "This Slot", "Sector Size", "Per Dev Size", "Sector Offset", "Num Stripes", "Reserved",
        "Migrate State", "Checkpoint", "Dirty State", "RWH Policy", "Volume ID", "Subarray",
    }
)  # fmt: skip
_DISK_DETAILS = frozenset({"Id", "Usable Size"})
_TITLES = ("Bad Block Management Log:", "Migration Record Information:", "Examine one of first two disks in array")
# "[Volume0]:"
_VOLUME = re.compile(r"\s*\[([^\]]{0,64})\]:\s*")
# "  Disk00 Serial : WD-WX11A", "    Disk Serial : …" of a spare
_SERIAL = re.compile(r"Disk(?:\d{2,4})? Serial")
# "1 <-- 1": now, and what it was (or will be) on the other side of a migration
_ARROW = re.compile(r"\s+<--\s+")
_SLOTS = re.compile(r"\[([U_]{0,256})\]")
_MAP_STATUS: dict[str, VolumeStatus] = {
    "normal": "ok", "uninitialized": "initializing", "degraded": "degraded", "failed": "failed",
}  # fmt: skip
_MIGRATION: dict[str, tuple[Operation, VolumeStatus]] = {
    "initialize": ("initialize", "initializing"),
    "rebuild": ("recovery", "rebuilding"),
    "check": ("check", "checking"),
    "repair": ("repair", "checking"),
    "general migration": ("migrate", "migrating"),
    "state change": ("migrate", "migrating"),
    # mdadm 3.0
    "initializing": ("initialize", "initializing"),
    "rebuilding": ("recovery", "rebuilding"),
    "migrating": ("migrate", "migrating"),
}
_DISK_WORDS = frozenset({"active", "spare", "failed", "journal"})


def read(section: Section, reading: Reading) -> None:
    """Read one examined disk of an imsm container."""
    reader = _Reader(section.output, section.node)
    for line in section.lines:
        if line.text.strip():
            reader.feed(line)
    reader.settle()
    disks = reader.container.details.get("Disks", "")
    if not disks and reader.container.claims:
        section.output.gap = "its drives are missing"
    elif disks.isdecimal() and len(reader.container.members) < int(disks):
        section.output.gap = f"it lists {len(reader.container.members)} of {disks} drives"
    reading.parts.extend(part for part in (reader.container, *reader.volumes) if part.claims)


class _Reader:
    def __init__(self, output: Output, node: str | None) -> None:
        self.output = output
        self.node = node
        self.container = Part(Source.EXAMINE, output, is_container=True)
        self.volumes: list[Part] = []
        self.disk: Member | None = None
        self.volume: Part | None = None

    def feed(self, line: Line) -> None:
        title = _VOLUME.fullmatch(line.text)
        if title:
            self.disk = None
            self.volume = Part(Source.EXAMINE, self.output)
            self.volumes.append(self.volume)
            self.volume.put(line, "name", title[1].strip() or None, "Name")
            self.volume.put(line, "metadata", "imsm", "Magic")
            return
        if line.stripped.startswith(_TITLES):
            self.volume = self.disk = None
            mark_read(line)
            return
        pair = label_of(line)
        if pair is None:
            return
        label, value = pair
        if _SERIAL.fullmatch(label):
            self._take_serial(line, label, value)
        elif self.disk is not None:
            self._take_disk(line, label, value)
        elif self.volume is not None:
            self._take_volume(line, label, value)
        else:
            self._take_container(line, label, value)

    def _take_container(self, line: Line, label: str, value: str) -> None:
        part = self.container
        if label == "UUID":
            part.uuid = value if is_uuid(value) else None
            part.put(line, "unique_id", value, label)
            if part.uuid is None:
                part.complaints.append(
                    Complaint("info", "note", "The drive is a spare for any container: its UUID is all zeros.")
                )
        elif label == "Version":
            part.put(line, "metadata", "imsm", label)
            part.detail(line, label, value)
        elif label in _CONTAINER_DETAILS:
            part.detail(line, label, value)

    def _take_serial(self, line: Line, label: str, value: str) -> None:
        """Read a drive: the first one is the examined one, the others have a serial number only."""
        self.volume = None
        mine = not self.container.members and self.node is not None
        key = key_of(self.node) if mine and self.node else value
        self.disk = self.container.member(key, self.node if mine else None)
        self.disk.names.add(value)
        self.container.put_member(line, self.disk, "serial", value)
        self.disk.slot = slot_of(label[4:-7].strip())
        if label != "Disk Serial":
            self.container.detail_member(line, self.disk, "Disk", label[4:-7])

    def _take_disk(self, line: Line, label: str, value: str) -> None:
        if self.disk is None:
            return
        part = self.container
        if label == "State":
            words = value.split()
            role = next((role for role in ("failed", "journal", "spare") if role in words), "member")
            status = "critical" if role == "failed" else "ok" if words else "unknown"
            part.put_member(line, self.disk, "role", role if words and set(words) <= _DISK_WORDS else None)
            part.put_member(line, self.disk, "status", status)
            part.put_member(line, self.disk, "status_text", value or None)
            if not set(words) <= _DISK_WORDS:
                part.put_member(line, self.disk, "status", "unknown")
                part.complaints.append(
                    Complaint("warning", "unread", f"Unknown drive state {value!r}.", member=self.disk.key)
                )
        elif label in _DISK_DETAILS:
            part.detail_member(line, self.disk, label, value)
            size = size_in(value, (512, 4096)) if label == "Usable Size" else None
            if size:
                part.put_member(line, self.disk, "size_bytes", size)
            if label == "Id" and value == "ffffffff":
                # how the metadata marks a missing drive; its serial number then ends in ":0"
                self.disk.values["role"], self.disk.values["status"] = "failed", "critical"
                text = "The metadata lists a drive that is missing (Id ffffffff)."
                part.complaints.append(Complaint("warning", "state", text, member=self.disk.key))

    def _take_volume(self, line: Line, label: str, value: str) -> None:
        part = self.volume
        if part is None:
            return
        if label in _VOLUME_DETAILS:
            part.detail(line, label, value)
            if label == "This Slot" and value.endswith("(out-of-sync)"):
                self._out_of_sync(line)
        else:
            read_label(part, part, (line, label, value), _VOLUME_FIELDS)

    def _out_of_sync(self, line: Line) -> None:
        """Mark the examined drive, the first in the text, as being rebuilt."""
        me = next(iter(self.container.members.values()), None)
        if me is not None and me.values.get("status") == "ok":
            self.container.put_member(line, me, "status", "warning")

    def settle(self) -> None:
        """Combine the states, and assign the volumes to the container."""
        for index, part in enumerate(self.volumes):
            if self.container.uuid:
                part.parent = Parent(self.container.uuid, part.details.get("Subarray", str(index)))
            _settle_volume(part)


def _take_uuid(part: Part, line: Line, value: str) -> None:
    part.uuid = value if is_uuid(value) else None
    part.put(line, "unique_id", name_of(value), "UUID")


def _take_slots(part: Part, line: Line, value: str) -> None:
    match = _SLOTS.match(value)
    part.detail(line, "Slots", value)
    if match:
        part.put(line, "drives_active", match[1].count("U"), "Slots")


def _now(parse: Callable[[str], object]) -> Callable[[str], object]:
    """A reader of the current value, before the arrow: ``1 <-- 1``."""
    return lambda value: parse(_ARROW.split(value)[0])


def _settle_volume(part: Part) -> None:
    text = str(part.values.get("status_text") or "")
    work = part.details.get("Migrate State", "idle").partition(":")[2].strip() or part.details.get(
        "Migrate State", "idle"
    )
    if not text:
        return
    status = _MAP_STATUS.get(_ARROW.split(text)[0])
    if status is None:
        part.values["status"] = "unknown"
        part.complaints.append(Complaint("warning", "unread", f"Unknown map state {text!r}."))
        return
    if work in _MIGRATION:
        operation, busy = _MIGRATION[work]
        part.values["progress"] = Progress(operation=operation)
        if status == "ok" or (status == "degraded" and busy == "rebuilding"):
            status = busy
    elif work not in ("idle", "migrating"):
        part.complaints.append(Complaint("warning", "unread", f"Unknown migration state {work!r}."))
    part.values["status"] = status


_VOLUME_FIELDS: Fields[Part] = {
    #            UUID : 3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    "UUID": _take_uuid,
    #      RAID Level : 1 <-- 1
    "RAID Level": Field("raid_level", _now(lambda word: LEVELS.get(word, "unknown")), keep=True),
    #         Members : 2 <-- 2
    "Members": Field("drives_expected", _now(count)),
    #           Slots : [UU] <-- [UU]
    "Slots": _take_slots,
    #      Array Size : 976768000 (465.76 GiB 500.11 GB)
    "Array Size": Field("size_bytes", lambda value: size_in(value, (512, 4096))),
    #      Chunk Size : 64 KiB <-- 64 KiB
    "Chunk Size": Field("strip_bytes", _now(chunk_bytes)),
    #       Map State : normal <-- degraded
    "Map State": Field("status_text", str),
}
