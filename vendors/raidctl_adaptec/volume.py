"""Logical devices, arrays, and the segments on their drives."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import mark_read
from raidctl.text import attempt, collapse, regex
from raidctl.vendor.draft import DETAIL, ROW, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl.vendor.statuses import put_parity_word, put_status, put_volume_word
from raidctl_adaptec import numbers, state_words, vocabulary
from raidctl_adaptec.draft import ControllerDraft, GroupDraft, Segment, keep
from raidctl_adaptec.drive import read_node
from raidctl_adaptec.outline import Block
from raidctl_adaptec.vocabulary import normalized

# Group 0, Segment 1
# Device 8
_SEGMENT = regex(r"(?:group \d{1,4}, )?segment \d{1,4}|device (\d{1,5})")
# Present (Controller:1,Enclosure:0,Slot:2)      SERIAL
# Missing (9537536MB, SATA, HDD, Connector:CN0, Enclosure:1, Slot:0) SERIAL
_PRESENCE = regex(
    r"([A-Za-z][\w/-]{0,40}(?: [\w/-]{1,40}){0,3})"
    r"(?:\s*\(([^()]{0,200}(?:\([^()]{0,40}\)[^()]{0,80})?)\)\s*([^()]{1,60})?)?"
)
_PLACE = regex(r"(Enclosure|Connector|Slot|Device|Backplane|Bay) ?: ?([\w .-]{1,40})", re.IGNORECASE)
_KEY = regex(r"\d{1,5},\d{1,5}", re.ASCII)
_SIZE = regex(r"\d{1,15} ?[KMGTP]B", re.ASCII)
# Logical 0 : Optimal (1, Data, 228902 MB) NAME
_LOGICAL = regex(r"logical (\d{1,5})")
_LOGICAL_ROW = regex(r"([^(]{1,60}?)\s*\(([^,()]{1,20}(?:\([^()]*\))?), ?([^,]{1,40}), ?([^,()]{1,20})\)\s*(.*)")
_DEDICATED = "dedicated hot-spare"
_SPARES = frozenset({_DEDICATED, "global hot-spare", "hot-spare", "pool hot-spare", "pooled hot-spare"})
_NAMES = frozenset({"logical device name", "logical drive name", "logical device label", "name"})
_WRITE = frozenset({"write-cache setting", "write-cache mode", "write-cache status"})


def read_logical(controller: ControllerDraft, block: Block) -> None:
    """Read a part of the section of a logical device."""
    volume = _begun(controller, block, controller.volume, "Logical devices")
    if volume is None:
        return
    for pair in block.pairs:
        if not read_segment(volume, pair):
            _read_pair(volume, pair, block.sub)


def _begun(
    controller: ControllerDraft, block: Block, draft_of: Callable[[str], GroupDraft], area: str
) -> GroupDraft | None:  # fmt: skip
    """The draft of a section's object. If the section has no number: None, and its pairs become details."""
    if not block.name:
        mark_read(*block.heads)
        for pair in block.pairs:
            keep(controller, pair, prefix=f"{area}: ")
        if any(normalized(pair.label).startswith("status") for pair in block.pairs):
            text = f"{area}: a status is printed without the number of its object; lines are missing."
            controller.add_problem("warning", "unread", text, "Run the tool again and keep its complete output.")
        return None
    draft = draft_of(block.name)
    for line in block.heads:
        draft.add_evidence(line, "id", block.name)
    return draft


def _read_pair(volume: GroupDraft, pair: Pair, sub: str) -> None:
    label = normalized(pair.label)
    if label.startswith("status of logical"):
        # Status of logical device                 : Optimal
        read_status(volume, pair)
    elif not read_pair(volume, pair, label, _FIELDS):
        read_pair(volume, pair, label, _WATCHED)
        keep(volume, pair, sub)


def _lost_data(volume: GroupDraft, pair: Pair) -> None:
    if normalized(pair.value) == "unknown":
        volume.unread(pair.label, pair.value)
    elif normalized(pair.value) not in ("no", "false", "0") and vocabulary.has_value(pair.value):
        volume.add_problem(
            "error", "state", f"{pair.label}: {pair.value}: some of the data cannot be read.",
            "Verify the volume, and restore what is damaged from a backup.",
        )  # fmt: skip


def _acceleration(volume: GroupDraft, pair: Pair) -> None:
    volume.conclude("cache.acceleration", normalized(pair.value), DETAIL)


def _parity(volume: GroupDraft, pair: Pair) -> None:
    """``Parity Initialization Status : In Progress (12 %)``, ``Queued``, ``Completed``."""
    value = normalized(pair.value)
    percent = vocabulary.volume_word(value.replace(" percent", "%"))[1]
    put_parity_word(volume, pair, value.partition("(")[0], percent)
    if "fail" in value:
        volume.add_problem("warning", "state", f"{pair.label}: {pair.value}.", "Verify the volume with fix.")


_WATCHED: Fields[GroupDraft] = {
    # Failed stripes                           : No
    "failed stripes": _lost_data,
    "defunct stripes": _lost_data,
    "defunct segments": _lost_data,
    # LD Acceleration Method                     : Controller Cache
    "ld acceleration method": _acceleration,
    "acceleration method": _acceleration,
    "parity initialization status": _parity,
}
"""Details that are problems, or that the cache policy follows from."""


def read_status(volume: GroupDraft, pair: Pair, weight: int = DETAIL) -> None:
    """``Impacted ( Build/Verify with fix : 90 % )``."""
    known, percent = vocabulary.volume_word(pair.value)
    if known is None and not vocabulary.has_state(pair.value):
        keep(volume, pair)
        return
    put_volume_word(volume, pair.lines[0], known, text=pair.value, percent=percent, weight=weight)


def read_level(volume: GroupDraft, pair: Pair) -> None:
    """``RAID level : 6 Reed-Solomon``."""
    try:
        level = vocabulary.raid_level(pair.value)
    except ValueError:
        level = "unknown"
        volume.unread(pair.label, pair.value)
    if level is None:
        keep(volume, pair)
        return
    volume.put(pair.lines[0], "raid_level", level)
    if level == "unknown" or normalized(pair.value).endswith("ee"):
        volume.keep_words(pair.label, pair.value)


def _write_cache(volume: GroupDraft, pair: Pair) -> None:
    """``Write-cache setting : Enabled (write-back) when protected by battery/ZMM``: worked out when all is read."""
    name = {"write-cache setting": "cache.setting", "write-cache mode": "cache.mode"}.get(
        normalized(pair.label), "cache.status"
    )
    volume.conclude(name, pair.value)
    field = "cache.write_policy" if name == "cache.setting" else "cache.write_active"
    volume.add_evidence(pair.lines[0], field, pair.value)
    volume.keep_words(pair.label, pair.value)


def _disk_name(volume: GroupDraft, pair: Pair) -> None:
    r"""``Disk Name : /dev/sda``, ``\\.\PHYSICALDRIVE1 (Disk1) (Bus: 1, Target: 0, Lun: 1)``."""
    target = numbers.scsi_target(pair.value)
    if target is not None:
        volume.replace_words("SCSI target", target)
    read_node(volume, pair)


def _spares(volume: GroupDraft, pair: Pair) -> None:
    """``Global Hot-Spare : 0,10``: channel and device."""
    keep(volume, pair)
    for key in numbers.addresses(pair.value):
        volume.spares[key] = normalized(pair.label) == _DEDICATED


def _members(volume: GroupDraft, pair: Pair) -> None:
    """``Stripe order (Channel,Device) : 0,0 0,1 0,2``."""
    keep(volume, pair)
    for key in numbers.addresses(pair.value):
        volume.segments.append(Segment(pair.lines[0], pair.label, "", key))


def read_segment(group: GroupDraft, pair: Pair) -> bool:
    """Read a pair that reports a segment; False for another one."""
    label = _SEGMENT.fullmatch(normalized(pair.label))
    found = _PRESENCE.fullmatch(pair.value.strip()) if label is not None else None
    if label is None:
        return False
    keep(group, pair)
    if found is None:
        if vocabulary.has_value(pair.value):
            group.unread(pair.label, pair.value)
        return True
    inside = found[2] or ""
    parts = [part.strip() for part in inside.split(",")]
    places = {name.lower(): value.strip() for name, value in _PLACE.findall(inside)}
    place = inside.strip()
    key = place if _KEY.fullmatch(place) else None
    if key is None and label[1] is not None:
        # Device 8 : Present (…): the number of the device on channel 0, as its own section reports it
        key = f"0,{int(label[1])}"
    size = next((part for part in parts if _SIZE.fullmatch(part)), None)
    kinds = [part.lower() for part in parts]
    group.segments.append(
        Segment(
            pair.lines[0], pair.label, vocabulary.bare(found[1]), key, _place(places),
            (found[3] or "").strip() or None,
            None if size is None else attempt(numbers.size, size),
            next((kind for kind in ("sata", "sas", "nvme") if kind in kinds), None),
            next((kind for kind in ("ssd", "hdd") if kind in kinds), None),
        )
    )  # fmt: skip
    return True


def _place(places: dict[str, str]) -> tuple[str, str, str] | None:
    slot = places.get("slot") or places.get("bay")
    for outer in ("enclosure", "backplane"):
        if outer in places and slot is not None:
            return outer, places[outer], slot
    if "connector" in places and "device" in places:
        return "connector", places["connector"], places["device"]
    return None


def read_array(controller: ControllerDraft, block: Block) -> None:
    """Read a part of the section of an array (smartpqi)."""
    array = _begun(controller, block, controller.array, "Arrays")
    if array is None:
        return
    for pair in block.pairs:
        if not read_segment(array, pair) and not _logical_row(controller, block.name, pair):
            _array_pair(array, pair, block.sub)


def _array_pair(array: GroupDraft, pair: Pair, sub: str) -> None:
    label = normalized(pair.label)
    if label == "status" and vocabulary.has_state(pair.value):
        health = vocabulary.health(state_words.ARRAY_STATUS, pair.value)
        put_status(array, pair.lines, "array", health, text=pair.value)
    elif not read_pair(array, pair, label, _ARRAY_FIELDS):
        keep(array, pair, sub)


def _logical_row(controller: ControllerDraft, array: str, pair: Pair) -> bool:
    """``Logical 0 : Optimal (1, Data, 228902 MB) NAME`` below an array."""
    label = _LOGICAL.fullmatch(normalized(pair.label))
    found = _LOGICAL_ROW.fullmatch(pair.value.strip()) if label is not None else None
    if label is None or found is None:
        return False
    volume, line = controller.volume(str(int(label[1]))), pair.lines
    volume.put(line[0], "array", array, ROW)
    read_status(volume, Pair("Status", found[1], line), ROW)
    level, size = attempt(vocabulary.raid_level, found[2]), attempt(numbers.size, found[4])
    if level is not None:
        volume.put(line[0], "raid_level", level, ROW)
    if size is not None:
        volume.put(line[0], "size_bytes", size, ROW)
    if found[5]:
        volume.put(line[0], "name", collapse(found[5]), ROW)
    return True


_FIELDS: Fields[GroupDraft] = {
    # RAID level                               : 6 Reed-Solomon
    "raid level": read_level,
    **dict.fromkeys(_NAMES, Field("name", lambda text: collapse(text) or None)),
    # Write-cache setting                      : Enabled (write-back) when protected by battery/ZMM
    **dict.fromkeys(_WRITE, _write_cache),
    # Read-cache setting                       : Enabled
    **dict.fromkeys(
        ("read-cache setting", "read-cache mode"), Field("cache.read_policy", numbers.read_ahead, keep=True)
    ),
    **dict.fromkeys(("disk name", "os device name"), _disk_name),
    # Array                                      : 0
    "array": Field("array", numbers.plain_number),
    # Global Hot-Spare                         : 0,10
    **dict.fromkeys(_SPARES, _spares),
    # Stripe order (Channel,Device)            : 0,0 0,1 0,2
    **dict.fromkeys(("stripe order (channel,device)", "drive(s) (channel,device)"), _members),
    "size": Field("size_bytes", numbers.size),
    # Stripe-unit size                         : 256 KB
    "stripe-unit size": Field("strip_bytes", numbers.size),
    "stripe size": Field("strip_bytes", numbers.size, ROW),
    "strip size": Field("strip_bytes", numbers.size),
    "volume unique identifier": Field("unique_id", numbers.text),
    "unique identifier": Field("unique_id", numbers.text, ROW),
    "mount points": Field("mountpoints", numbers.mountpoints),
    "mount point(s)": Field("mountpoints", numbers.mountpoints),
    # Caching                                    : Enabled
    "caching": Field("cache.caching", numbers.flag),
    "number of segments": Field("drives_expected", numbers.number, ROW),
    "number of chunks": Field("drives_expected", numbers.number, ROW),
}
_ARRAY_FIELDS: Fields[GroupDraft] = {
    "total size": Field("size_bytes", numbers.size),
    "unused size": Field("free_bytes", numbers.space),
}
