"""``mdadm --examine`` of md's own superblocks, 0.90 and 1.x. Labels of super0.c and super1.c in all releases."""

from __future__ import annotations

import re
from collections.abc import Collection

from msgspec import field

from raidctl.evidence import Line, mark_read
from raidctl.model import Operation, Progress
from raidctl.text import regex
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl_md.draft import ArrayDraft, MemberDraft, Reading, Source, key_of, slot_of
from raidctl_md.label_lines import (
    count,
    is_table_head,
    keep,
    layout,
    name_of,
    pair_of,
    read_member,
    row_of,
)
from raidctl_md.split_outputs import Section
from raidctl_md.state import judge
from raidctl_md.vocabulary import BAD_BLOCKS, chunk_bytes, enough, size_in, version

_INCONSISTENT = "WARNING Array state is inconsistent"
_ROLES_LIST = regex(r"(?:\s\d{1,4}:(?:-|\d{1,5}))+\s*", re.ASCII)

# details of the array
_ARRAY_DETAILS = frozenset(
    {
        "Creation Time", "Used Dev Size", "Used Size", "Total Devices", "Preferred Minor",
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
_OLD_SLOT = regex(r"(\d{1,6}) \(((?:\d{1,6}|failed|empty)(?:, (?:\d{1,6}|failed|empty)){0,2000})\)", re.ASCII)
_EVENTS = regex(r"(?:(\d{1,10})\.)?(\d{1,20})", re.ASCII)
_ROLE = regex(r"(Active|Replacement) device (\d{1,5})", re.ASCII)
# "AA.A ('A' == active, '.' == missing, 'R' == replacing)"; mdadm 2 and 3.0: "uuUu_ 1 failed"
_SLOTS = regex(r"([AR.?]{1,2000}|[uU_]{1,2000})(?:\s+(?:\('A' == .*|\d{1,5} failed.*))?", re.ASCII)


class SuperblockDraft(ArrayDraft):
    """What the superblock of one member reports of it and of the array."""

    me: MemberDraft = field(default_factory=MemberDraft)
    """The examined member."""
    slots: str = ""
    """``AA.A``: the state of each slot."""
    rows: int = 0

    def report(self, text: str, remedy: str = "") -> None:
        """Add a warning about the examined member."""
        self.me.add_problem("warning", "state", text, remedy)


def read(section: Section, reading: Reading) -> None:
    """Read one superblock."""
    draft = SuperblockDraft(source=Source.EXAMINE, output=section.output)
    draft.me = draft.member(key_of(section.node) if section.node else "?", section.node)
    for line in section.lines:
        if line.text.strip():
            _read_line(draft, line)
    if section.head and draft.reported:
        draft.me.put(section.head, "device", section.node)
    if draft.reported:
        _conclude(draft)
        reading.drafts.append(draft)


def _read_line(draft: SuperblockDraft, line: Line) -> None:
    if is_table_head(line):
        mark_read(line)
        return
    columns = row_of(line, old=True)
    if columns:
        _read_row(draft, line, columns)
        return
    if line.text.startswith(_INCONSISTENT) or (draft.slots and _ROLES_LIST.fullmatch(line.text)):
        draft.me.detail(line, "Array state", line.stripped)
        draft.report(line.stripped)
        return
    pair = pair_of(line)
    if pair is not None:
        read_pair(draft, pair, pair.label, _FIELDS)


def _read_row(draft: SuperblockDraft, line: Line, columns: re.Match[str]) -> None:
    """Read a row of the 0.90 table of all members. The row ``this`` is the examined one, whatever it is called now."""
    me = draft.me
    draft.rows += 1
    if columns["index"] == "this":
        me.number, me.slot = columns["number"], slot_of(columns["slot"])
        me.detail(line, "Number", columns["number"])
        me.detail(line, "RaidDevice", columns["slot"])
    elif me.number is not None and me.number == columns["number"]:
        read_member(draft, line, columns, node=me.node)
    else:
        read_member(draft, line, columns, not_node=me.node)


def _keep_member(draft: SuperblockDraft, pair: Pair) -> None:
    draft.me.detail(pair.lines[0], pair.label, pair.value)
    if "DEVICE TOO SMALL" in pair.value:
        draft.report("The device is smaller than its superblock records.")


def _read_size(draft: SuperblockDraft, pair: Pair) -> None:
    """What the device offers to the array, in sectors. Format 0.90 reports only the part that the array uses."""
    _keep_member(draft, pair)
    modern = str(draft.get("metadata") or "").startswith("1")
    if pair.label == "Avail Dev Size" or modern:
        _put_size(draft, pair.lines[0], pair.value)


def _read_used_size(draft: SuperblockDraft, pair: Pair) -> None:
    """Read "Used Dev Size" of mdadm 2.6 and 3.0. The others call it "Avail Dev Size"."""
    keep(draft, pair)
    _put_size(draft, pair.lines[0], draft.details.get("Used Dev Size", ""))


def _put_size(draft: SuperblockDraft, line: Line, value: str) -> None:
    if size := size_in(value, (512, 1024)):
        draft.me.put(line, "size_bytes", size)


def _read_bad_blocks(draft: SuperblockDraft, pair: Pair) -> None:
    _keep_member(draft, pair)
    if "bad blocks present" in pair.value:
        draft.me.add_problem("warning", "state", *BAD_BLOCKS)


def _read_checksum(draft: SuperblockDraft, pair: Pair) -> None:
    _keep_member(draft, pair)
    if "expected" in pair.value:
        remedy = "Check the drive (`smartctl -x`) and its cable, then remove the member and add it again."
        draft.report(f"The superblock's checksum is wrong: {pair.value}.", remedy)


def _read_features(draft: SuperblockDraft, pair: Pair) -> None:
    """Read the feature bits of the superblock.

    A member is beside a journal (0x200), or has partial parity logs (0x40, 0x400).
    """
    keep(draft, pair)
    try:
        bits = int(pair.value, 16)
    except ValueError:
        return
    policy = "journal" if bits & 0x200 else "ppl" if bits & 0x440 else None
    if policy is not None:
        draft.put(pair.lines[0], "consistency_policy", policy)


def _read_level(draft: ArrayDraft, pair: Pair) -> None:
    draft.read_level(pair.lines[0], pair.label, pair.value)


def _read_uuid(draft: ArrayDraft, pair: Pair) -> None:
    draft.read_uuid(pair.lines[0], "UUID", name_of(pair.value) or pair.value)


def _read_name(draft: ArrayDraft, pair: Pair) -> None:
    draft.put_labelled(pair.lines[0], "name", name_of(pair.value), pair.label)


def _read_state(draft: SuperblockDraft, pair: Pair) -> None:
    draft.put_labelled(pair.lines[0], "status_text", pair.value, pair.label)
    if pair.value.endswith("TRUNCATED DEVICE"):
        draft.report("The device is smaller than its superblock records.")


def _read_bitmap(draft: ArrayDraft, pair: Pair) -> None:
    draft.put_labelled(pair.lines[0], "bitmap", "internal", pair.label)
    draft.keep_words(pair.label, pair.value)


def _read_flags(draft: SuperblockDraft, pair: Pair) -> None:
    draft.me.put(pair.lines[0], "flags", tuple(word.replace("-", "_") for word in pair.value.split()))


def _read_slots(draft: SuperblockDraft, pair: Pair) -> None:
    match = _SLOTS.fullmatch(pair.value)
    draft.slots = match[1] if match else ""
    keep(draft, pair)
    if match:
        working = sum(letter not in "._" for letter in draft.slots)
        draft.put_labelled(pair.lines[0], "drives_active", working, pair.label)


def _read_role(draft: SuperblockDraft, pair: Pair) -> None:
    me, [line] = draft.me, pair.lines
    match = _ROLE.fullmatch(pair.value)
    role = "member" if match else {"spare": "spare", "Journal": "journal"}.get(pair.value)
    me.put(line, "role", role)
    me.put(line, "status_text", pair.value)
    if match and match[1] == "Replacement":
        me.put(line, "flags", (*(me.get("flags") or ()), "replacement"))
    if role is None:
        me.add_problem("warning", "unread", f"Unknown role {pair.value!r}.")


def _conclude(draft: SuperblockDraft) -> None:
    """Conclude the array's state when the superblock was last written."""
    me = draft.me
    events = _EVENTS.fullmatch(draft.details.get("Events", ""))
    if events:
        draft.events = (int(events[1] or 0) << 32) + int(events[2])
    draft.minor = draft.details.get("Preferred Minor")
    if "Device UUID" in me.details:
        me.names.add(me.details["Device UUID"])
    if me.name == "?":
        _rename(draft)
    slots = [letter not in "._" for letter in draft.slots]
    # 1.x ends with "Array State", 0.90 with the row "this" and one for each member
    expected = draft.get("drives_expected")
    whole = draft.slots or draft.rows > (expected if isinstance(expected, int) else 0)
    draft.output.gap = "" if whole else "the state of the array is missing"
    _member_status(me, slots)
    _array_status(draft, slots)


def _member_status(me: MemberDraft, slots: list[bool]) -> None:
    _old_role(me)
    role = _ROLE.fullmatch(str(me.get("status_text") or ""))
    if "Recovery Offset" in me.details or "expected" in me.details.get("Checksum", ""):
        me.override("status", "warning")
    elif me.get("role") in ("spare", "journal"):
        me.override("status", "ok")
    elif role and int(role[2]) < len(slots):
        me.override("status", "ok" if slots[int(role[2])] else "unknown")
    if role:
        me.slot = int(role[2])


def _old_role(me: MemberDraft) -> None:
    """Read the role from the slot list of mdadm before 3.1.

    It lists what each number is for: in ``5 (0, 1, failed, empty, failed, 3)``, 5 is in slot 3.
    """
    match = _OLD_SLOT.fullmatch(me.details.get("Array Slot", ""))
    if not match:
        return
    uses = match[2].replace(",", " ").split()
    number = int(match[1])
    use = uses[number] if number < len(uses) else "empty"
    role, status = {"failed": ("failed", "critical"), "empty": ("spare", "ok")}.get(use, ("member", "ok"))
    me.number = match[1]
    me.conclude("role", role)
    me.conclude("status", status)
    if role == "member":
        me.replace_words("RaidDevice", use)
        me.slot = int(use)


def _array_status(draft: SuperblockDraft, slots: list[bool]) -> None:
    want, have = draft.get("drives_expected"), draft.get("drives_active")
    if not isinstance(want, int) or not isinstance(have, int) or not have:
        _doubt(draft)
        return
    work: Operation | None = None
    if "Reshape pos'n" in draft.details:
        work = "reshape"
    elif "R" in draft.slots or "Recovery Offset" in draft.me.details:
        work = "recovery"
    layout = draft.get("layout")
    working = slots or [True] * have + [False] * max(0, min(want, 4096) - have)
    lost = enough(draft.get("raid_level"), str(layout) if layout else None, working) is False
    status = judge(lost=lost, inactive=False, degraded=have < want, work=work, waiting=False)
    if work == "reshape" and status == "migrating" and "Delta Devices" in draft.details:
        status = "migrating" if draft.details["Delta Devices"].startswith("-") else "expanding"
    draft.override("status", status)
    if work:
        draft.override("progress", Progress(operation=work))


def remove_slots(draft: SuperblockDraft, lost: Collection[int | None]) -> None:
    """Take slots out of an array that its superblock reports as working."""
    slots = [letter not in "._" for letter in draft.slots]
    members = (each for each in draft.members.values() if each.get("role") == "member" and each.get("status") == "ok")
    working = {slot for slot, works in enumerate(slots) if works} if slots else {each.slot for each in members}
    gone, have = working & {*lost}, draft.get("drives_active")
    if gone and isinstance(have, int):
        draft.override("drives_active", have - len(gone))
        _array_status(draft, [works and slot not in gone for slot, works in enumerate(slots)])


def _doubt(draft: ArrayDraft) -> None:
    text = draft.get("status_text")
    if text:
        message = f"Working members unknown: the superblock only reports state {text!r}."
        draft.add_problem("info", "note", message, "Check the array with `mdadm --detail`.")


def _rename(draft: SuperblockDraft) -> None:
    """Name a member without a device by its UUID. Without one, it is not listed, and its details become the array's."""
    me = draft.me
    if uuid := me.details.get("Device UUID"):
        draft.rename(me, uuid)
        return
    del draft.members[me.name]
    for line, name, value in me.evidence:
        draft.add_evidence(line, name if name.startswith("details[") else f"details[{name}]", value)
    for label, value in me.details.items():
        draft.replace_words(label, value)
    for complaint in me.complaints:
        draft.complain(complaint)


_FIELDS: Fields[SuperblockDraft] = {
    **dict.fromkeys(_ARRAY_DETAILS, keep),
    **dict.fromkeys(_MEMBER_DETAILS, _keep_member),
    #         Version : 1.2
    "Version": Field("metadata", version),
    #      Array UUID : 3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    **dict.fromkeys(("Array UUID", "UUID"), _read_uuid),
    #            Name : box:root  (local to host box)
    "Name": _read_name,
    #      Raid Level : raid1
    "Raid Level": _read_level,
    "Raid Devices": Field("drives_expected", count),
    "Active Devices": Field("drives_active", count),
    #      Array Size : 976630464 KiB (931.39 GiB 1000.07 GB)
    # mdadm before 3.2 counts sectors here for 1.x; it is the one that prints no figure in brackets for small arrays and
    # has the label Array Slot, which comes later: the brackets decide
    "Array Size": Field("size_bytes", lambda value: size_in(value, (1024, 512))),
    #  Avail Dev Size : 1953260976 sectors (931.39 GiB 1000.07 GB)
    **dict.fromkeys(("Avail Dev Size", "Device Size"), _read_size),
    #       Used Size : 976630464 (931.39 GiB 1000.07 GB)
    "Used Size": _read_used_size,
    # Internal Bitmap : 8 sectors from superblock
    "Internal Bitmap": _read_bitmap,
    #   Bad Block Log : 512 entries available at offset 72 sectors - bad blocks present.
    "Bad Block Log": _read_bad_blocks,
    #     Feature Map : 0x200
    "Feature Map": _read_features,
    #        Checksum : 5c1b2a49 - expected 5c1b2a48
    "Checksum": _read_checksum,
    "Flags": _read_flags,
    #           State : clean
    "State": _read_state,
    #          Layout : left-symmetric
    "Layout": Field("layout", layout),
    #      Chunk Size : 512K
    "Chunk Size": Field("strip_bytes", chunk_bytes),
    #     Device Role : Active device 0
    "Device Role": _read_role,
    #     Array State : AA ('A' == active, '.' == missing, 'R' == replacing)
    "Array State": _read_slots,
}
