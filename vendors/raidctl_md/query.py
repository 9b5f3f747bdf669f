"""The short outputs of mdadm: --query, messages, --examine-bitmap, --examine-badblocks, --detail-platform."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import mark_read
from raidctl.text import attempt, counted, regex
from raidctl.units import parse_size
from raidctl.vendor.draft import Complaint, Pair
from raidctl.vendor.fields import Fields, read_pair
from raidctl_md.draft import ArrayDraft, Reading, Source, key_of
from raidctl_md.label_lines import keep, pair_of, read_uuid
from raidctl_md.split_outputs import Section
from raidctl_md.vocabulary import LEVELS

_PLATFORM_LABELS = frozenset(
    {
        "Platform", "Version", "License", "RAID Levels", "Chunk Sizes", "2TB volumes", "2TB disks", "Max Disks",
        "Max Volumes", "3rd party NVMe", "I/O Controller", "NVMe under VMD", "NVMe Device", "Port",
        "Encryption(Ability|Status)",
    }
)  # fmt: skip
_BITMAP_LABELS = frozenset(
    {
        "Magic", "Version", "Events", "Events Cleared", "State", "Chunksize", "Daemon", "Write Mode", "Sync Size",
        "Cluster nodes", "Cluster name", "Node Slot",
    }
)  # fmt: skip

# "/dev/md0: 19.98GiB raid1 2 devices, 1 spare. Use mdadm --detail for more detail."; no size of a tiny array
_QUERIED = regex(r"\s*(/dev/\S+): (\S*) (\S+) (-?\d{1,6}) devices?, (-?\d{1,6}) spares?\. Use mdadm --detail .*")
# "/dev/sda1: device 0 in 2 device active raid1 /dev/md0.  Use mdadm --examine for more detail."; mdadm 1: "raid1 md0"
_QUERIED_MEMBER = regex(
    r"\s*(/dev/\S+): device (\d{1,6}) in (\d{1,6}) device (\w+) (\S+) (\S+?)\.\s+Use mdadm --examine .*"
)
_QUERIED_NOT = regex(
    r"\s*(/dev/\S+): (is not an md array|is an md device which is not active|is an md device, but .{1,200}|"
    r"No md super ?block found, not an md component\.)\s*"
)
_PORT = regex(r"Port\d{1,2}")
_BAD_BLOCK = regex(r"\s*\d{1,20} for \d{1,9} sectors\s*")


def read_query(section: Section, reading: Reading) -> None:
    """The one line of ``mdadm --query``."""
    for line in section.lines:
        text = line.text
        array, member, nothing = _QUERIED.fullmatch(text), _QUERIED_MEMBER.fullmatch(text), _QUERIED_NOT.fullmatch(text)
        if array:
            draft = ArrayDraft(source=Source.QUERY, output=section.output, node=array[1])
            draft.put_labelled(line, "raid_level", LEVELS.get(array[3], "unknown"), "level")
            draft.put_labelled(
                line, "size_bytes", attempt(lambda value: parse_size(value, binary=True), array[2]), "size"
            )
            draft.put_labelled(line, "drives_expected", int(array[4]) if int(array[4]) > 0 else None, "devices")
            draft.detail(line, "spares", array[5])
            reading.drafts.append(draft)
        elif member:
            draft = ArrayDraft(source=Source.QUERY, output=section.output, node=_array_node(member[6]))
            draft.put_labelled(line, "raid_level", LEVELS.get(member[5], "unknown"), "level")
            draft.put_labelled(line, "drives_expected", int(member[3]), "devices")
            found = draft.member(key_of(member[1]), member[1])
            found.detail(line, "activity", member[4])
            reading.drafts.append(draft)
        elif nothing:
            mark_read(line)
            message = f"{nothing[1]} {nothing[2].rstrip('.')}."
            reading.complaints.append((nothing[1], Complaint("info", "note", message)))


def _array_node(word: str) -> str | None:
    """The array's device of ``/dev/md0``, ``md0``; None for ``array``."""
    return word if word.startswith("/") else f"/dev/{word}" if word.startswith("md") else None


def read_bad_blocks(section: Section, reading: Reading) -> None:
    """``mdadm --examine-badblocks``: ``Bad-blocks on /dev/sda1:``, then ``  2048 for 8 sectors`` each."""
    count = 0
    for line in section.lines:
        if line is section.lines[0] or _BAD_BLOCK.fullmatch(line.text):
            mark_read(line)
            count += line is not section.lines[0]
    title = section.lines[0].stripped
    where = next((word.rstrip(":") for word in title.split() if word.startswith("/dev/")), section.output.command)
    if count:
        text = f"{where} has {counted(count, 'entry')} in its bad block log."
        remedy = "The data there may be lost: check the file system, and replace the device if the list grows."
        reading.complaints.append((where, Complaint("warning", "state", text, remedy)))
    else:
        reading.complaints.append((where, Complaint("info", "note", f"mdadm reports: {title.rstrip(':')}.")))


def _keep_as(label: str) -> Callable[[ArrayDraft, Pair], None]:
    return lambda draft, pair: draft.detail(pair.lines[0], label, pair.value)


_BITMAP_FIELDS: Fields[ArrayDraft] = {
    **{label: _keep_as(f"Bitmap {label}") for label in _BITMAP_LABELS},
    #         Filename : /dev/sdb1
    "Filename": _keep_as("Bitmap of"),
    #             UUID : 3a8e6d0f:5c1b2a49:77e0d1c4:9b2f8e63
    "UUID": read_uuid,
    #           Bitmap : 976630464 bits (chunks), 0 dirty (0.0%)
    "Bitmap": keep,
}


def read_bitmap(section: Section, reading: Reading) -> None:
    """``mdadm --examine-bitmap``: the superblock of a write-intent bitmap; its UUID is the array's."""
    draft = ArrayDraft(source=Source.EXAMINE, output=section.output)
    for line in section.lines:
        pair = pair_of(line)
        if pair is not None:
            read_pair(draft, pair, pair.label, _BITMAP_FIELDS)
    if draft.uuid:
        reading.drafts.append(draft)


def read_platform(section: Section, reading: Reading) -> None:
    """``mdadm --detail-platform``: the capabilities of a mainboard's RAID firmware."""
    for line in section.lines:
        pair = pair_of(line)
        if pair and (pair.label in _PLATFORM_LABELS or _PORT.fullmatch(pair.label)):
            label = f"Platform {pair.label}" if pair.label == "Version" else pair.label
            reading.controller.append((line, label, pair.value))


_NO_RIGHT = regex(r"permission denied|operation not permitted|must be (?:super-user|root)", re.IGNORECASE)
_NOT_MEMBER = regex(
    r"no md superblock detected|does not appear to be (?:an md device|active)|is not an md array", re.IGNORECASE
)
_MESSAGE = regex(r"\s*mdadm: (.{1,500})")


def read_message(section: Section, reading: Reading) -> None:
    """``mdadm: cannot open /dev/md0: No such file or directory``."""
    for line in section.lines:
        match = _MESSAGE.fullmatch(line.text.rstrip())
        if match:
            mark_read(line)
            reading.complaints.append((section.output.command, complaint_of(match[1])))


def complaint_of(text: str) -> Complaint:
    """The problem that a message of mdadm reports."""
    if _NO_RIGHT.search(text):
        return Complaint("error", "no_right", f"mdadm lacks permission: {text}.", "Run it as root.")
    if _NOT_MEMBER.search(text):
        return Complaint("info", "note", f"mdadm reports: {text.rstrip('.')}.")
    return Complaint(
        "warning", "unread", f"mdadm reports: {text.rstrip('.')}.", "Run the command again and check the device."
    )
