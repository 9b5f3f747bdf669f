"""``mdadm --examine`` of md's own superblocks, 0.90 and 1.x. Labels of super0.c and super1.c in all releases."""

from __future__ import annotations

import re

from msgspec.structs import replace

from raidctl.evidence import Line, mark_read
from raidctl.model import Operation, Progress
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
from raidctl_md.parts import Claim, Complaint, Member, Part, Reading, Source, key_of, slot_of
from raidctl_md.split_outputs import Section
from raidctl_md.state import judge
from raidctl_md.vocabulary import chunk_bytes, enough, size_in, version

_INCONSISTENT = "WARNING Array state is inconsistent"
_ROLES_LIST = re.compile(r"(?:\s\d{1,4}:(?:-|\d{1,5}))+\s*", re.ASCII)

# details of the array
_ARRAY_DETAILS = frozenset(
    {
        "Feature Map", "Creation Time", "Used Dev Size", "Used Size", "Total Devices", "Preferred Minor",
        "Working Devices", "Failed Devices", "Spare Devices", "Events", "Rounding", "Delta Devices", "New Level",
        "New Layout", "New Chunksize", "Reshape pos'n", "Cluster Name", "Update Time", "Eedk", "Sync checkpoint",
    }
)  # fmt: skip
# details of the examined member
_MEMBER_DETAILS = frozenset(
    {
        "Avail Dev Size", "Device Size", "Data Offset", "New Offset", "Super Offset", "Recovery Offset", "Unused Space",
        "Device UUID", "PPL", "Bad Block Log", "Checksum", "Array Slot", "Magic",
    }
)  # fmt: skip
_OLD_SLOT = re.compile(r"(\d{1,6}) \(((?:\d{1,6}|failed|empty)(?:, (?:\d{1,6}|failed|empty)){0,2000})\)", re.ASCII)
_EVENTS = re.compile(r"(?:(\d{1,10})\.)?(\d{1,20})", re.ASCII)
_ROLE = re.compile(r"(Active|Replacement) device (\d{1,5})", re.ASCII)
# "AA.A ('A' == active, '.' == missing, 'R' == replacing)"; mdadm 2 and 3.0: "uuUu_ 1 failed"
_SLOTS = re.compile(r"([AR.?]{1,2000}|[uU_]{1,2000})(?:\s+(?:\('A' == .*|\d{1,5} failed.*))?", re.ASCII)


def read(section: Section, reading: Reading) -> None:
    """Read one superblock."""
    part = Part(Source.EXAMINE, section.output)
    reader = _Reader(part, section.node)
    for line in section.lines:
        if line.text.strip():
            reader.feed(line)
    if section.head and part.claims:
        part.put_member(section.head, reader.me, "device", section.node)
    if part.claims:
        reader.settle()
        reading.parts.append(part)


class _Reader:
    """Reads the lines of one superblock."""

    def __init__(self, part: Part, node: str | None) -> None:
        self.part = part
        self.me = part.member(key_of(node) if node else "?", node)
        self.slots = ""
        self.rows = 0

    def feed(self, line: Line) -> None:
        part = self.part
        if is_table_head(line):
            mark_read(line)
            return
        columns = row_of(line, old=True)
        if columns:
            self.take_row(line, columns)
            return
        if line.text.startswith(_INCONSISTENT) or (self.slots and _ROLES_LIST.fullmatch(line.text)):
            part.detail_member(line, self.me, "Array state", line.stripped)
            part.complaints.append(Complaint("warning", "state", line.stripped, member=self.me.key))
            return
        pair = label_of(line)
        if pair is not None:
            self._take(line, *pair)

    def take_row(self, line: Line, columns: re.Match[str]) -> None:
        """The 0.90 table names all members; the row ``this`` is the examined one, whatever its device is called now."""
        self.rows += 1
        if columns["index"] == "this":
            self.me.number = columns["number"]
            take = {"Number": "number", "RaidDevice": "slot"}
            for label, column in take.items():
                self.part.detail_member(line, self.me, label, columns[column])
            self.me.slot = slot_of(columns["slot"])
            return
        if self.me.number is not None and self.me.number == columns["number"]:
            take_member(self.part, line, columns, node=self.me.node)
        else:
            take_member(self.part, line, columns, not_node=self.me.node)

    def _take(self, line: Line, label: str, value: str) -> bool:
        part = self.part
        if label in _ARRAY_DETAILS:
            part.detail(line, label, value)
            if label == "Used Size":
                # mdadm 2.6 and 3.0 call "Used Dev Size" what the others call "Avail Dev Size"
                self.take_size(line, "Avail Dev Size", part.details.get("Used Dev Size", ""))
            return True
        if label in _MEMBER_DETAILS:
            part.detail_member(line, self.me, label, value)
            self._warn(label, value)
            self.take_size(line, label, value)
            return True
        return read_label(self, part, (line, label, value), _FIELDS)

    def take_level(self, line: Line, value: str) -> None:
        self.part.take_level(line, "Raid Level", value)

    def take_uuid(self, line: Line, value: str) -> None:
        self.part.take_uuid(line, "UUID", name_of(value) or value)

    def take_name(self, line: Line, value: str) -> None:
        self.part.put(line, "name", name_of(value), "Name")

    def take_state(self, line: Line, value: str) -> None:
        self.part.put(line, "status_text", value, "State")
        if value.endswith("TRUNCATED DEVICE"):
            self._complain("The device is smaller than its superblock records.")

    def take_bitmap(self, line: Line, value: str) -> None:
        self.part.put(line, "bitmap", "internal", "Internal Bitmap")
        self.part.details["Internal Bitmap"] = value

    def take_flags(self, line: Line, value: str) -> None:
        flags = tuple(word.replace("-", "_") for word in value.split())
        self.part.put_member(line, self.me, "flags", flags)

    def take_slots(self, line: Line, value: str) -> None:
        match = _SLOTS.fullmatch(value)
        self.slots = match[1] if match else ""
        self.part.detail(line, "Array State", value)
        if match:
            working = sum(letter not in "._" for letter in self.slots)
            self.part.put(line, "drives_active", working, "Array State")

    def take_role(self, line: Line, value: str) -> None:
        part, me = self.part, self.me
        match = _ROLE.fullmatch(value)
        role = "member" if match else {"spare": "spare", "Journal": "journal"}.get(value)
        part.put_member(line, me, "role", role)
        part.put_member(line, me, "status_text", value)
        if match and match[1] == "Replacement":
            flags = me.values.get("flags", ())
            part.put_member(
                line, me, "flags", (*flags, "replacement") if isinstance(flags, tuple) else ("replacement",)
            )
        if role is None:
            part.complaints.append(Complaint("warning", "unread", f"Unknown role {value!r}.", member=me.key))

    def _warn(self, label: str, value: str) -> None:
        if label == "Bad Block Log" and "bad blocks present" in value:
            text = "The member has entries in its bad block log."
            remedy = "Read them with `mdadm --examine-badblocks`; the data there may be lost: check the file system."
            self.part.complaints.append(Complaint("warning", "state", text, remedy, self.me.key))
        elif label == "Checksum" and "expected" in value:
            self._complain(f"The superblock's checksum is wrong: {value}.")
        elif "DEVICE TOO SMALL" in value:
            self._complain("The device is smaller than its superblock records.")

    def take_size(self, line: Line, label: str, value: str) -> None:
        """What the device offers to the array, in sectors; 0.90 reports only the part that the array uses."""
        modern = str(self.part.values.get("metadata", "")).startswith("1")
        if label == "Avail Dev Size" or (label == "Device Size" and modern):
            size = size_in(value, (512, 1024))
            if size:
                self.part.put_member(line, self.me, "size_bytes", size)

    def _complain(self, text: str) -> None:
        self.part.complaints.append(Complaint("warning", "state", text, member=self.me.key))

    def settle(self) -> None:
        """Conclude the state that the array had when the superblock was last written."""
        part, me = self.part, self.me
        events = _EVENTS.fullmatch(part.details.get("Events", ""))
        if events:
            part.events = (int(events[1] or 0) << 32) + int(events[2])
        part.minor = part.details.get("Preferred Minor")
        if "Device UUID" in me.details:
            me.names.add(me.details["Device UUID"])
        if me.key == "?":
            _rename(part, me)
        slots = [letter not in "._" for letter in self.slots]
        # 1.x ends with "Array State", 0.90 with the row "this" and one for each member
        expected = part.values.get("drives_expected")
        whole = self.slots or self.rows > (expected if isinstance(expected, int) else 0)
        part.output.gap = "" if whole else "the state of the array is missing"
        self._member_status(slots)
        self._array_status(slots)

    def _member_status(self, slots: list[bool]) -> None:
        me = self.me
        self._old_role()
        role = _ROLE.fullmatch(str(me.values.get("status_text", "")))
        if "Recovery Offset" in me.details or "expected" in me.details.get("Checksum", ""):
            me.values["status"] = "warning"
        elif me.values.get("role") in ("spare", "journal"):
            me.values["status"] = "ok"
        elif role and int(role[2]) < len(slots):
            me.values["status"] = "ok" if slots[int(role[2])] else "unknown"
        if role:
            me.slot = int(role[2])

    def _old_role(self) -> None:
        """Before 3.1, mdadm lists what each number is for, ``5 (0, 1, failed, empty, failed, 3)``: 5 is in slot 3."""
        match = _OLD_SLOT.fullmatch(self.me.details.get("Array Slot", ""))
        if not match:
            return
        uses = match[2].replace(",", " ").split()
        number = int(match[1])
        use = uses[number] if number < len(uses) else "empty"
        role, status = {"failed": ("failed", "critical"), "empty": ("spare", "ok")}.get(use, ("member", "ok"))
        self.me.number = match[1]
        self.me.values.setdefault("role", role)
        self.me.values.setdefault("status", status)
        if role == "member":
            self.me.details["RaidDevice"] = use
            self.me.slot = int(use)

    def _array_status(self, slots: list[bool]) -> None:
        part = self.part
        want, have = part.values.get("drives_expected"), part.values.get("drives_active")
        if not isinstance(want, int) or not isinstance(have, int) or not have:
            self._doubt()
            return
        work: Operation | None = None
        if "Reshape pos'n" in part.details:
            work = "reshape"
        elif "R" in self.slots or "Recovery Offset" in self.me.details:
            work = "recovery"
        level = part.values.get("raid_level")
        layout = part.values.get("layout")
        working = slots or [True] * have + [False] * max(0, min(want, 4096) - have)
        lost = enough(level, str(layout) if layout else None, working) is False  # type: ignore[arg-type]  # from LEVELS
        degraded = have < want
        part.values["status"] = judge(lost=lost, dormant=False, degraded=degraded, work=work, waiting=False)
        if work == "reshape" and part.values["status"] == "migrating" and "Delta Devices" in part.details:
            part.values["status"] = "migrating" if part.details["Delta Devices"].startswith("-") else "expanding"
        if work:
            part.values["progress"] = Progress(operation=work)

    def _doubt(self) -> None:
        text = self.part.values.get("status_text")
        if text:
            message = f"Working members unknown: the superblock only reports state {text!r}."
            self.part.complaints.append(Complaint("info", "note", message, "Check the array with `mdadm --detail`."))


def _rename(part: Part, me: Member) -> None:
    """Name a member without a device by its UUID; without one it is not listed."""
    del part.members[me.key]
    key = me.details.get("Device UUID")
    part.claims = [_moved(claim, key) if claim.member == "?" else claim for claim in part.claims]
    if key:
        me.key = key
        part.members[key] = me
    else:
        part.details.update(me.details)


def _moved(claim: Claim, key: str | None) -> Claim:
    field = claim.field if key else f"details[{claim.label}]"
    return replace(claim, member=key, field=field)


_FIELDS: Fields[_Reader] = {
    #         Version : 1.2
    "Version": Field("metadata", version),
    #      Array UUID : 3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    **dict.fromkeys(("Array UUID", "UUID"), _Reader.take_uuid),
    #            Name : box:root  (local to host box)
    "Name": _Reader.take_name,
    #      Raid Level : raid1
    "Raid Level": _Reader.take_level,
    "Raid Devices": Field("drives_expected", count),
    "Active Devices": Field("drives_active", count),
    #      Array Size : 976630464 KiB (931.39 GiB 1000.07 GB)
    # mdadm before 3.2 counts sectors here for 1.x; it is the one that prints no figure in brackets for small arrays and
    # has the label Array Slot, which comes later: the brackets decide
    "Array Size": Field("size_bytes", lambda value: size_in(value, (1024, 512))),
    # Internal Bitmap : 8 sectors from superblock
    "Internal Bitmap": _Reader.take_bitmap,
    "Flags": _Reader.take_flags,
    #           State : clean
    "State": _Reader.take_state,
    #          Layout : left-symmetric
    "Layout": Field("layout", layout),
    #      Chunk Size : 512K
    "Chunk Size": Field("strip_bytes", chunk_bytes),
    #     Device Role : Active device 0
    "Device Role": _Reader.take_role,
    #     Array State : AA ('A' == active, '.' == missing, 'R' == replacing)
    "Array State": _Reader.take_slots,
}
