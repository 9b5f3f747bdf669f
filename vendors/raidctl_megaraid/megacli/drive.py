"""Physical drives: ``-PDList``, ``-pdInfo``, and the drives inside ``-LdPdInfo`` and ``-CfgDsply``."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from raidctl.evidence import Line, mark_read
from raidctl.text import regex
from raidctl.vendor.draft import DETAIL, ROW, WEAK, Draft, Pair
from raidctl.vendor.fields import Field, Fields, optional, read_pair
from raidctl.vendor.statuses import put_status, report_bad_status
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.megacli import numbers
from raidctl_megaraid.megacli.inquiry import split_inquiry
from raidctl_megaraid.megacli.outline import Block, Item
from raidctl_megaraid.ports import keep_port
from raidctl_megaraid.vocabulary import (
    ALERTED,
    KEY_SERVER,
    LOCKED,
    LOCKED_STATE,
    SMART_ALERT,
    DriveWord,
    drive_state,
    has_state,
    has_value,
    interface,
    media,
    normalized,
    operation,
    switch,
)

# Drive's position: DiskGroup: 0, Span: 0, Arm: 1        Drive's postion: … of older versions
_POSITION = regex(
    r"disk\s*group\s*:\s*(\d{1,5})\s*,\s*span\s*:\s*(\d{1,5})\s*,\s*arm\s*:\s*(\d{1,5})", re.IGNORECASE | re.ASCII
)
_DIGITS = regex(r"\d{1,5}", re.ASCII)
_NAME = regex(r"[\w.\-/]{1,20}")


def drive_key(enclosure: str | None, slot: str | None) -> str:
    """``252:3``; ``:3`` for a drive without an enclosure."""
    return f"{enclosure if enclosure is not None and has_value(enclosure) else ''}:{slot if slot is not None else '?'}"


def key_of(block: Block) -> str:
    """The key of the drive that a block reports. It ends in ``?`` where the text was cut before the slot."""
    slot, enclosure = (
        next((item.pair.value for item in block.items if item.label == label and not item.section), "")
        for label in ("slot number", "enclosure device id")
    )
    return drive_key(enclosure if _NAME.fullmatch(enclosure) else None, slot if _NAME.fullmatch(slot) else None)


def read_drive(controller: ControllerDraft, block: Block) -> str | None:
    """Read a drive and return its key. None for a heading with nothing below it (the place of a drive that is gone)."""
    if not any(item.pair.value for item in block.items):
        mark_read(*([block.line] if block.line else []), *(line for item in block.items for line in item.pair.lines))
        return None
    key = _free(controller, key_of(block))
    drive = controller.drive(key)
    flags = {item.label: item.pair.value for item in block.items if not item.section}
    place = _Place(controller, block, flags)
    for item in block.items:
        _read_item(drive, item, place)
    if block.volume is not None and block.foreign is None:
        controller.volume(block.volume).members.setdefault(key)
    listed = block.line is not None and block.foreign is None
    if block.rest == "spare" and block.line is not None:
        drive.put(block.line, "role", "spare", ROW)
    if block.group is not None and listed and not _global(block):
        # DISK GROUP: 0
        group = controller.array(block.group)
        if drive.get("role") == "spare":
            group.spares.setdefault(key, True)
        else:
            group.members.setdefault(key)
    return key


def _global(block: Block) -> bool:
    """Whether a spare below a disk group is global: ``Type: Global, is revertible``."""
    kinds = [item.pair.value for item in block.items if item.section == "Hotspare" and item.label == "type"]
    return any(normalized(kind).startswith("global") for kind in kinds)


def _free(controller: ControllerDraft, key: str) -> str:
    """Drives whose slot is not reported are different ones."""
    if not key.endswith("?") or key not in controller.drives:
        return key
    return f"{key}{len(controller.drives) + 1}"


def _slot(text: str) -> str | None:
    return text.strip() if _NAME.fullmatch(text.strip()) and has_value(text) else None


class _Place(Struct):
    """Where a drive was read, with its other pairs."""

    controller: ControllerDraft
    block: Block
    flags: dict[str, str]
    """Its pairs, the parts left out."""


def _read_item(drive: Draft, item: Item, place: _Place) -> None:
    pair, label = item.pair, item.label
    if item.section == "Hotspare":
        _hotspare(place.controller, drive, item)
    elif item.section == "Ongoing Progresses":
        _progress(drive, pair)
    elif item.section:
        # Port-0 :
        # Port status: Active
        drive.keep_detail(pair, "" if label == normalized(item.section) else f"{item.section} ")
        if label == "port status":
            keep_port(drive, item.section.removeprefix("Port-"), pair.value)
    elif label == "port status":  # without the line of its port
        drive.keep_detail(pair)
        keep_port(drive, "?", pair.value)
    elif label in _PLACED:
        _PLACED[label](drive, pair, place)
    elif not read_pair(drive, pair, label, _FIELDS):
        drive.keep_detail(pair)
        report_bad_status(drive, pair)


def _firmware(drive: Draft, pair: Pair) -> None:
    """``Device Firmware Level: LS08``; the inquiry data has it, too."""
    drive.keep_detail(pair)
    drive.read_field(pair, "firmware", _TEXT, ROW)


def _foreign(drive: Draft, pair: Pair) -> None:
    """``Foreign State: None``."""
    drive.keep_detail(pair)
    foreign = normalized(pair.value).startswith("foreign")
    if foreign or not has_value(pair.value):
        drive.put(pair.lines[0], "foreign", foreign)
    else:
        drive.unread(pair.label, pair.value)


def _size(drive: Draft, pair: Pair) -> None:
    """Read the drive's size. The other two figures are details, and replace it if the output is cut off."""
    weight = _SIZES[normalized(pair.label)]
    drive.keep_detail(pair)
    try:
        size = numbers.drive_size(pair.value)
    except ValueError:
        drive.unread(pair.label, pair.value)
        return
    if size is not None:
        drive.put(pair.lines[0] if weight == DETAIL else None, "size_bytes", size, weight)


def _state(drive: Draft, pair: Pair, place: _Place) -> None:
    """``Firmware state: Unconfigured(good), Spun down``."""
    if not has_state(pair.value):
        drive.keep_detail(pair)
        return
    bare = pair.value.split(",")[0]
    found = _state_word(bare)
    health = "warning" if found is not None and found.health == "ok" and _alarmed(place.flags) else None
    alert = SMART_ALERT if health and _smart(place.flags) else ""
    text = f"{pair.value}{alert}{LOCKED_STATE if health and _locked(place.flags) else ''}"
    put_status(
        drive, pair.lines, "drive", health or (found.health if found is not None else None), text=text, word=bare
    )
    if found is not None and found.role is not None:
        drive.put(pair.lines[0], "role", found.role)


# Hotspare(Shielded)        Online (Spun Up)
_QUALIFIED = regex(r"([a-z ]{1,30}?)\s*\(\s*([a-z ]{1,20}?)\s*\)", re.IGNORECASE)
_POWER_WORDS = frozenset({"spun up", "spun down", "transition", "power save", "stopped", "active"})


def _state_word(text: str) -> DriveWord | None:
    """What a state word means. A word in brackets after it belongs to it, or is the drive's power state."""
    found, match = drive_state(text), _QUALIFIED.fullmatch(text.strip())
    if found is not None or match is None:
        return found
    plain, inner = drive_state(match[1]), normalized(match[2])
    if plain is not None and inner in ("shielded", "foreign"):
        return DriveWord("warning", plain.role)
    return plain if inner in _POWER_WORDS else drive_state(f"{match[1]} {inner}")


def _smart(flags: dict[str, str]) -> bool:
    return normalized(flags.get("drive has flagged a s.m.a.r.t alert", "")).startswith("yes")


def _locked(flags: dict[str, str]) -> bool:
    return normalized(flags.get("locked", "")) == "locked"


def _alarmed(flags: dict[str, str]) -> bool:
    """Whether other lines report a fault that the state word omits."""
    predictive = flags.get("predictive failure count", "")
    return (
        _smart(flags)
        or normalized(flags.get("foreign state", "")).startswith("foreign")
        or _locked(flags)
        or (predictive.isascii() and predictive.isdecimal() and int(predictive[:18]) > 0)
    )


# Drive has flagged a S.M.A.R.T alert : Yes
# Foreign State: Foreign
# Locked: Locked
# Needs EKM Attention: Yes
_FLAGS: dict[str, tuple[str, str, str]] = {
    "drive has flagged a s.m.a.r.t alert": ("yes", *ALERTED),
    "locked": ("locked", *LOCKED),
    "needs ekm attention": ("yes", *KEY_SERVER),
}  # fmt: skip
_FINE = frozenset({"no", "unlocked"})


def _flag(drive: Draft, pair: Pair) -> None:
    """A flag that reports a fault if it is set."""
    drive.keep_detail(pair)
    bad, message, remedy = _FLAGS[normalized(pair.label)]
    value = normalized(pair.value).rstrip(".")
    if value == bad:
        drive.add_problem("warning", "state", message, remedy)
    elif value not in _FINE and has_state(value):
        drive.unread(pair.label, pair.value)


def _position(drive: Draft, pair: Pair, place: _Place) -> None:
    """``Drive's position: DiskGroup: 0, Span: 0, Arm: 1``."""
    drive.keep_detail(pair)
    match = _POSITION.fullmatch(pair.value.strip().rstrip("."))
    if match is None:
        if has_value(pair.value):
            drive.unread(pair.label, pair.value)
        return
    if place.block.foreign is None:
        drive.put(pair.lines[0], "array", match[1])
        place.controller.array(match[1]).members.setdefault(drive.name)


def _hotspare(controller: ControllerDraft, drive: Draft, item: Item) -> None:
    """``Type: Dedicated, is revertible`` and ``Array #: 0``."""
    pair = item.pair
    drive.keep_detail(pair, "Hotspare ")
    if item.label == "type":
        drive.put(pair.lines[0], "role", "spare", ROW)
    elif item.label.startswith("array"):
        for number in _DIGITS.findall(pair.value):
            controller.array(str(int(number))).spares.setdefault(drive.name, True)


def _progress(drive: Draft, pair: Pair) -> None:
    """``  Rebuild                  : Completed 12%, Taken 9 min.``."""
    percent = numbers.percent_in(pair.value)
    if percent is not None:
        progress(drive, pair.lines[0], pair.label, percent)
    drive.keep_detail(pair, "Ongoing ")


def progress(drive: Draft, line: Line, label: str, percent: float) -> None:
    """An operation of a drive in progress."""
    what = operation(label)
    drive.put(line, "progress.operation", what)
    if what in ("rebuild", "copyback"):
        # Rebuild Progress on Device at Enclosure 8, Slot 3 Completed 27% in 64 Minutes.
        drive.put(line, "status", "warning", WEAK)
        drive.put(line, "status_text", label, WEAK)
        drive.put(line, "role", "member", WEAK)
    drive.put(line, "progress.percent", percent)
    drive.detail(line, "Progress", f"{label} {percent:g}%")


_TERMINAL = (79, 80)
"""Columns of a terminal."""


def _inquiry(drive: Draft, pair: Pair, place: _Place) -> None:
    """``Inquiry Data: SEAGATE ST600MM0006 LS08S0M3ABCD``; blanks count, so the line is read unchanged."""
    line = pair.lines[0]
    behind = line.text.partition(":")[2]
    glue = "" if len(line.text) in _TERMINAL else " "  # a mailer breaks at a blank, a terminal where it ends
    raw = glue.join([behind.removeprefix(" "), *(more.text.strip() for more in pair.lines[1:])])
    attached = normalized(place.flags.get("pd type", "")) or None
    level = place.flags.get("device firmware level", "")
    drive.keep_detail(pair)
    if not has_value(pair.value):
        return
    found = split_inquiry(raw.expandtabs(1), attached, level if has_value(level) else None)
    if found.serial is not None and drive.get("serial") not in (None, found.serial):
        # two adapters without headings, or two moments in one file
        drive.add_problem(
            "warning", "unread", f"A second drive is reported in the same slot: {found.model}, serial {found.serial}.",
            "Save the output of each controller, and of each run, in a separate file.",
        )  # fmt: skip
    for name, value in (("model", found.model), ("serial", found.serial)):
        if value is not None:
            drive.put(line, name, value, DETAIL)
        else:
            drive.add_problem(
                "info", "note", f"The drive's {name} could not be separated in its inquiry data {pair.value!r}."
            )
    if found.firmware is not None:
        drive.put(line, "firmware", found.firmware, DETAIL)
    if found.vendor is not None:
        drive.detail(line, "Vendor", found.vendor)


_TEXT = optional(has_value, str.strip)
_SIZES = {"coerced size": DETAIL, "non coerced size": WEAK, "raw size": ROW}
_PLACED: dict[str, Callable[[Draft, Pair, _Place], None]] = {
    # Firmware state: Online, Spun Up
    "firmware state": _state,
    # Inquiry Data: SEAGATE ST600MM0006     LS08S0M3ABCD
    "inquiry data": _inquiry,
    # Drive's position: DiskGroup: 0, Span: 0, Arm: 1
    **dict.fromkeys(("drive's position", "drive's postion"), _position),
}
"""Labels whose meaning depends on the rest of the drive's block."""
_FIELDS: Fields[Draft] = {
    "enclosure device id": Field("enclosure", _slot),
    "slot number": Field("bay", _slot),
    "media error count": Field("errors.media", numbers.integer),
    "other error count": Field("errors.other", numbers.integer),
    "predictive failure count": Field("errors.predictive", numbers.integer),
    "pd type": Field("interface", interface),
    # Media Type: Solid State Device
    "media type": Field("media", media),
    # Coerced Size: 381.0 GB [0x2fa00000 Sectors]        what arrays use of the drive
    **dict.fromkeys(_SIZES, _size),
    # Device Firmware Level: LS08
    "device firmware level": _firmware,
    # Drive Temperature :32C (89.60 F)
    "drive temperature": Field("temperature_celsius", numbers.celsius),
    # Link Speed: 6.0Gb/s        what was negotiated; Device Speed is what the drive could
    "link speed": Field("link_gbps", numbers.link),
    "wwn": Field("wwn", _TEXT),
    # Foreign State: None
    "foreign state": _foreign,
    "drive's write cache": Field("write_cache", switch),
    "drive write cache": Field("write_cache", switch),
    **dict.fromkeys(_FLAGS, _flag),
}
