"""``mdadm --examine`` of Intel's metadata (imsm): a container, its volumes and drives. Labels of super-intel.c."""

from __future__ import annotations

from collections.abc import Callable

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Operation, Progress, VolumeStatus
from raidctl.text import regex
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl_md.draft import ArrayDraft, MemberDraft, Parent, Reading, Source, key_of, slot_of
from raidctl_md.label_lines import count, keep, name_of, pair_of
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
_TITLES = ("Bad Block Management Log:", "Migration Record Information:", "Examine one of first two disks in array")
# "[Volume0]:"
_VOLUME = regex(r"\s*\[([^\]]{0,64})\]:\s*")
# "  Disk00 Serial : WD-WX11A", "    Disk Serial : …" of a spare
_SERIAL = regex(r"Disk(?:\d{2,4})? Serial")
# "1 <-- 1": now, and what it was (or will be) on the other side of a migration
_ARROW = regex(r"\s+<--\s+")
_SLOTS = regex(r"\[([U_]{0,256})\]")
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
    """Read one examined drive of an imsm container."""
    reader = _Reader(section.output, section.node)
    for line in section.lines:
        if line.text.strip():
            reader.read_line(line)
    reader.assign_volumes()
    disks, volumes = (reader.container.details.get(label, "") for label in ("Disks", "RAID Devices"))
    if not disks and reader.container.reported:
        section.output.gap = "its drives are missing"
    elif disks.isdecimal() and len(reader.container.members) < int(disks[:18]):
        section.output.gap = f"it lists {len(reader.container.members)} of {disks} drives"
    elif volumes.isdecimal() and len(reader.volumes) < int(volumes[:18]):
        section.output.gap = f"it lists {len(reader.volumes)} of {volumes} volumes"
    reading.drafts.extend(draft for draft in (reader.container, *reader.volumes) if draft.reported)


class _Reader:
    def __init__(self, output: Output, node: str | None) -> None:
        self.output = output
        self.node = node
        self.container = ArrayDraft(source=Source.EXAMINE, output=output, is_container=True)
        self.volumes: list[ArrayDraft] = []
        self.disk: MemberDraft | None = None
        self.volume: ArrayDraft | None = None

    def read_line(self, line: Line) -> None:
        title = _VOLUME.fullmatch(line.text)
        if title:
            self.disk = None
            self.volume = ArrayDraft(source=Source.EXAMINE, output=self.output)
            self.volumes.append(self.volume)
            self.volume.put_labelled(line, "name", title[1].strip() or None, "Name")
            self.volume.put_labelled(line, "metadata", "imsm", "Magic")
            return
        if line.stripped.startswith(_TITLES):
            self.volume = self.disk = None
            mark_read(line)
            return
        pair = pair_of(line)
        if pair is None:
            return
        if _SERIAL.fullmatch(pair.label):
            self._read_serial(line, pair.label, pair.value)
        elif self.disk is not None:
            read_pair(self.disk, pair, pair.label, _DISK_FIELDS)
        elif self.volume is not None:
            read_pair(self.volume, pair, pair.label, _VOLUME_FIELDS)
            if pair.label == "This Slot" and pair.value.endswith("(out-of-sync)"):
                self._out_of_sync(line)
        else:
            read_pair(self.container, pair, pair.label, _CONTAINER_FIELDS)

    def _read_serial(self, line: Line, label: str, value: str) -> None:
        """Read a drive. The first is the examined one, the others have a serial number only."""
        self.volume = None
        mine = not self.container.members and self.node is not None
        key = key_of(self.node) if mine and self.node else value
        self.disk = self.container.member(key, self.node if mine else None)
        self.disk.names.add(value)
        self.disk.put(line, "serial", value)
        self.disk.slot = slot_of(label[4:-7].strip())
        if label != "Disk Serial":
            self.disk.detail(line, "Disk", label[4:-7])

    def _out_of_sync(self, line: Line) -> None:
        """Mark the examined drive, the first in the text, as being rebuilt."""
        me = next(iter(self.container.members.values()), None)
        if me is not None and me.get("status") == "ok":
            me.put(line, "status", "warning")

    def assign_volumes(self) -> None:
        """Combine the states, and assign the volumes to the container."""
        for index, draft in enumerate(self.volumes):
            if self.container.uuid:
                draft.parent = Parent(self.container.uuid, draft.details.get("Subarray", str(index)))
            _conclude_volume(draft)


def _read_container_uuid(draft: ArrayDraft, pair: Pair) -> None:
    draft.uuid = pair.value if is_uuid(pair.value) else None
    draft.put_labelled(pair.lines[0], "unique_id", pair.value, pair.label)
    if draft.uuid is None:
        draft.add_problem("info", "note", "The drive is a spare for any container: its UUID is all zeros.")


def _read_checksum(draft: ArrayDraft, pair: Pair) -> None:
    keep(draft, pair)
    if "incorrect" in pair.value:
        remedy = "Check the drive (`smartctl -x`) and its cable; its list of members and volumes may be wrong."
        draft.add_problem("warning", "state", f"The superblock's checksum is wrong: {pair.value}.", remedy)


def _read_attributes(draft: ArrayDraft, pair: Pair) -> None:
    keep(draft, pair)
    if pair.value == "not supported":
        remedy = "Update mdadm, or use the firmware's own configuration utility."
        draft.add_problem("warning", "state", "mdadm does not support attributes that the container has.", remedy)


def _read_version(draft: ArrayDraft, pair: Pair) -> None:
    draft.put_labelled(pair.lines[0], "metadata", "imsm", pair.label)
    keep(draft, pair)


def _read_disk_state(disk: MemberDraft, pair: Pair) -> None:
    [line], words = pair.lines, pair.value.split()
    known = set(words) <= _DISK_WORDS
    role = next((role for role in ("failed", "journal", "spare") if role in words), "member")
    disk.put(line, "role", role if words and known else None)
    disk.put(line, "status", "critical" if role == "failed" else "ok" if words else "unknown")
    disk.put(line, "status_text", pair.value or None)
    if not known:
        disk.put(line, "status", "unknown")
        disk.add_problem("warning", "unread", f"Unknown drive state {pair.value!r}.")


def _read_disk_id(disk: MemberDraft, pair: Pair) -> None:
    keep(disk, pair)
    if pair.value == "ffffffff":
        # how the metadata marks a missing drive; its serial number then ends in ":0"
        disk.override("role", "failed")
        disk.override("status", "critical")
        disk.add_problem("warning", "state", "The metadata lists a drive that is missing (Id ffffffff).")


def _read_disk_size(disk: MemberDraft, pair: Pair) -> None:
    keep(disk, pair)
    if size := size_in(pair.value, (512, 4096)):
        disk.put(pair.lines[0], "size_bytes", size)


def _read_uuid(draft: ArrayDraft, pair: Pair) -> None:
    draft.uuid = pair.value if is_uuid(pair.value) else None
    draft.put_labelled(pair.lines[0], "unique_id", name_of(pair.value), pair.label)


def _read_slots(draft: ArrayDraft, pair: Pair) -> None:
    match = _SLOTS.match(pair.value)
    keep(draft, pair)
    if match:
        draft.put_labelled(pair.lines[0], "drives_active", match[1].count("U"), pair.label)
    elif pair.value:
        draft.add_problem("warning", "unread", f"Unknown letters of slots: {pair.value[:80]!r}.")


def _now(parse: Callable[[str], object]) -> Callable[[str], object]:
    """A reader of the current value, before the arrow: ``1 <-- 1``."""
    return lambda value: parse(_ARROW.split(value)[0])


def _conclude_volume(draft: ArrayDraft) -> None:
    text = str(draft.get("status_text") or "")
    work = draft.details.get("Migrate State", "idle").partition(":")[2].strip() or draft.details.get(
        "Migrate State", "idle"
    )
    if not text:
        return
    status = _MAP_STATUS.get(_ARROW.split(text)[0])
    if status is None:
        draft.override("status", "unknown")
        draft.add_problem("warning", "unread", f"Unknown map state {text!r}.")
        return
    if work in _MIGRATION:
        operation, busy = _MIGRATION[work]
        draft.override("progress", Progress(operation=operation))
        if status == "ok" or (status == "degraded" and busy == "rebuilding"):
            status = busy
    elif work != "idle" or _ARROW.search(text):
        # between two maps, the volume is not simply in the state of the newer one
        status = "unknown" if status == "ok" else status
        draft.add_problem("warning", "unread", f"Unknown migration state {work!r}.")
    gone = (draft.get("drives_active") or 0) < (draft.get("drives_expected") or 0)  # Slots : [U_]
    failed = draft.details.get("Failed disk", "none")
    if status in ("ok", "unknown") and (gone or failed.isdecimal()):
        status = "degraded"  # Failed disk : 1
    if failed != "none" and not failed.isdecimal():
        draft.add_problem("warning", "unread", f"Unknown failed disk {failed!r}.")
    draft.override("status", status)


_CONTAINER_FIELDS: Fields[ArrayDraft] = {
    **dict.fromkeys(_CONTAINER_DETAILS, keep),
    #      Attributes : All supported
    "Attributes": _read_attributes,
    #            UUID : 3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    "UUID": _read_container_uuid,
    #         Version : 1.3.00
    "Version": _read_version,
    #        Checksum : 5c1b2a49 correct
    "Checksum": _read_checksum,
}
_DISK_FIELDS: Fields[MemberDraft] = {
    #           State : active
    "State": _read_disk_state,
    #              Id : 00000000
    "Id": _read_disk_id,
    #     Usable Size : 976766862 (465.76 GiB 500.10 GB)
    "Usable Size": _read_disk_size,
}
_VOLUME_FIELDS: Fields[ArrayDraft] = {
    **dict.fromkeys(_VOLUME_DETAILS, keep),
    #            UUID : 3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    "UUID": _read_uuid,
    #      RAID Level : 1 <-- 1
    "RAID Level": Field(
        "raid_level",
        _now(lambda word: LEVELS.get(word, "unknown")),
        keep=True,
        then=lambda draft, pair, _: draft.report_level(pair.value.partition("<--")[0].strip()),
    ),
    #         Members : 2 <-- 2
    "Members": Field("drives_expected", _now(count)),
    #           Slots : [UU] <-- [UU]
    "Slots": _read_slots,
    #      Array Size : 976768000 (465.76 GiB 500.11 GB)
    "Array Size": Field("size_bytes", lambda value: size_in(value, (512, 4096))),
    #      Chunk Size : 64 KiB <-- 64 KiB
    "Chunk Size": Field("strip_bytes", _now(chunk_bytes)),
    #       Map State : normal <-- degraded
    "Map State": Field("status_text", str),
}
