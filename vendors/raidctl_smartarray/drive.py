"""Physical drives: the row of a list, and the section of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from raidctl.evidence import Line
from raidctl.model import Role
from raidctl.text import attempt
from raidctl.vendor.draft import REPORT, ROW, Draft, Pair
from raidctl_smartarray import numbers, vocabulary
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.interface import interface
from raidctl_smartarray.outline import Section
from raidctl_smartarray.vocabulary import NO_VALUE, normalized, split_progress

_SIZE = re.compile(r"(?:[\d.]+|[-?]+) ?[KMGTP]?B", re.ASCII | re.IGNORECASE)
_SPARE = re.compile(r"(?:active |inactive |auto replace |dedicated )?spare(?: for .*)?", re.IGNORECASE)
_PLACE = re.compile(r"(port|box|bay|id) ([^:,\s]+)", re.IGNORECASE)
_VENDORS = frozenset(
    [
        "HP",
        "HPE",
        "ATA",
        "SEAGATE",
        "COMPAQ",
        "HITACHI",
        "HGST",
        "FUJITSU",
        "TOSHIBA",
        "MAXTOR",
        "WDC",
        "WD",
        "SAMSUNG",
        "NVME",
        "INTEL",
        "SANDISK",
        "MICRON",
        "KIOXIA",
        "IBM",
    ]
)


def drive_model(text: str) -> str | None:
    """The model without the vendor column of eight characters: ``EG0300FBDBR`` of ``HP      EG0300FBDBR``."""
    raw = text.strip()
    if normalized(raw) in NO_VALUE:
        return None
    column, rest = raw[:8], raw[8:]
    if rest.strip() and column.endswith(" ") and " " not in column.strip():
        return " ".join(rest.split())
    first, _, others = " ".join(raw.split()).partition(" ")
    return others if others and first.upper() in _VENDORS else " ".join(raw.split())


def _text(text: str) -> str | None:
    return None if normalized(text) in NO_VALUE else text.strip()


def _size(text: str) -> int | None:
    if normalized(text) in NO_VALUE or text.strip().startswith(("-", "?")):
        return None
    return numbers.drive_size(text)


def _rpm(text: str) -> int | None:
    return None if normalized(text) in NO_VALUE else numbers.integer(text) or None


def _number(text: str) -> int | None:
    return None if normalized(text) in NO_VALUE else numbers.integer(text)


def _mounts(text: str) -> tuple[str, ...] | None:
    return numbers.mountpoints(text) or None


def _switch(text: str) -> str | None:
    if normalized(text) in NO_VALUE or normalized(text) in ("not supported", "not changeable"):
        return None
    return "enabled" if numbers.flag(text) else "disabled"


_REMARK = re.compile(r"\s*\((\S* ?update .*?)\)?$", re.IGNORECASE)
# Serial Number: PMVXYSZB
_FIELDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "box": ("enclosure", _text),
    "scsi bus": ("enclosure", _text),
    "bay": ("bay", _text),
    "scsi id": ("bay", _text),
    "model": ("model", drive_model),
    "drive model": ("model", drive_model),
    "serial number": ("serial", _text),
    "firmware revision": ("firmware", _text),
    "firmware version": ("firmware", _text),
    "size": ("size_bytes", _size),
    "rotational speed": ("rpm", _rpm),
    "current temperature (c)": ("temperature_celsius", _number),
    "phy transfer rate": ("link_gbps", numbers.link_speed),
    "disk name": ("device", numbers.device_node),
    "mount points": ("mountpoints", _mounts),
    "mount point": ("mountpoints", _mounts),
    "wwid": ("wwn", _text),
    "power on hours": ("power_on_hours", _number),
    "write cache status": ("write_cache", _switch),
    "media errors": ("errors.media", _number),
}


def read_section(card: ControllerDraft, section: Section, role: Role | None) -> Draft:
    """``physicaldrive 1I:1:4`` and the pairs below it."""
    drive = card.drive(section.heading.name)
    _place(drive, section.line, section.heading.name)
    if role is not None:
        drive.put(section.line, "role", role, ROW)
    for pair in section.pairs:
        _read_pair(drive, pair)
    return drive


def _read_pair(drive: Draft, pair: Pair) -> None:
    label = normalized(pair.label)
    if label == "status":
        _status(drive, pair.lines[0], pair.value)
    elif label == "interface type":
        _interface(drive, pair.lines[0], pair.value)
    elif label == "drive type":
        _role(drive, pair)
    elif label.startswith("firmware ") and (remark := _REMARK.search(pair.value)):
        # Firmware Revision: HPD2 (FW update is recommended to minimum version: HPD5)
        drive.keep_detail(pair)
        drive.read_field(replace(pair, value=pair.value[: remark.start()]), "firmware", _text)
        drive.add_problem("info", "state", f"The tool recommends other firmware: {remark[1]}.", "Update the firmware.")
    elif label == "ssd smart trip wearout":
        _wearout(drive, pair)
    elif label in _FIELDS:
        name, parse = _FIELDS[label]
        drive.read_field(pair, name, parse)
    else:
        drive.keep_detail(pair)


def _wearout(drive: Draft, pair: Pair) -> None:
    """``SSD Smart Trip Wearout: True``; the status can still be OK."""
    drive.keep_detail(pair)
    if attempt(numbers.flag, pair.value):
        drive.add_problem("warning", "state", "The drive says that it is worn out.", "Replace the drive.")


def _role(drive: Draft, pair: Pair) -> None:
    """``Drive Type: Data Drive``."""
    role = vocabulary.role(pair.value)
    if role is None:
        if normalized(pair.value) not in NO_VALUE:
            drive.unread(pair.label, pair.value)
        drive.keep_detail(pair)
        return
    drive.put(pair.lines[0], "role", role)
    if normalized(pair.value) not in ("data drive", "spare drive", "unassigned drive", "hba mode drive"):
        drive.keep_detail(pair)


def _status(drive: Draft, line: Line, text: str, weight: int = 2) -> None:
    """``Status: Predictive Failure``, ``Status: Rebuilding, 12% complete``."""
    state, percent = split_progress(text)
    health = vocabulary.look_up(vocabulary.DRIVE_STATUS, state)
    if health == "unknown" and normalized(state).startswith("erase"):
        health = "warning"
    drive.put(line, "status", health, weight)
    drive.put(line, "status_text", " ".join(text.split()), weight)
    if percent is not None:
        drive.keep_words("Progress", f"{percent:g}%")
    if health == "unknown":
        drive.add_problem("warning", "unread", f"The drive's status word {text!r} is not known.", REPORT)


def _interface(drive: Draft, line: Line, text: str, weight: int = 2) -> None:
    """``Interface Type: Solid State SAS``."""
    found = interface(text)
    if found is None:
        if normalized(text) not in NO_VALUE:
            drive.unread("interface type", text)
        drive.detail(line, "Interface Type", text)
        return
    drive.put(line, "interface", found[0], weight)
    if found[1] is not None:
        drive.put(line, "media", found[1], weight)


def _place(drive: Draft, line: Line | None, address: str) -> None:
    """Box and bay out of ``1I:1:4``, or of ``0:6`` for a drive whose port is not known."""
    parts = address.split(":")
    for name, part in zip(("bay", "enclosure"), reversed(parts), strict=False):
        if len(parts) >= 2 and "?" not in part:
            drive.put(line, name, part, 0)


def read_row(card: ControllerDraft, section: Section, role: Role | None) -> tuple[Draft, bool]:
    """``physicaldrive 1I:1:4 (port 1I:box 1:bay 4, SAS HDD, 900 GB, OK, spare)``: the drive, and whether a spare."""
    line = section.line
    drive = card.drive(section.heading.name)
    _place(drive, line, section.heading.name)
    parts = [part.strip() for part in section.heading.parts.get("inside", "").split(",")]
    spare = False
    status: list[str] = []
    kind: list[str] = []
    sized = False
    for part in parts:
        if not part:
            continue
        if not sized and _SIZE.fullmatch(part):
            sized = True
            _put_size(drive, line, part)
        elif _SPARE.fullmatch(part):
            spare = True
            drive.keep_words("Spare", part)
        elif not sized and _PLACE.match(part):
            _put_place(drive, line, part)
        elif sized:
            status.append(part)
        else:
            kind.append(part)
    if line is not None:
        _put_words(drive, line, kind, [*status, section.heading.parts.get("status", "")], sized=sized)
    if spare or role is not None:
        drive.put(line, "role", "spare" if spare else role, ROW)
    for pair in section.pairs:
        _read_pair(drive, pair)
    return drive, spare


def _put_words(drive: Draft, line: Line, kind: list[str], status: list[str], *, sized: bool) -> None:
    if not sized and len(kind) > 1:
        status, kind = [kind[-1], *status], kind[:-1]
    if kind:
        _interface(drive, line, ", ".join(kind), ROW)
    told = ", ".join(part for part in status if part)
    if told:
        _status(drive, line, told, ROW)


def _put_size(drive: Draft, line: Line | None, text: str) -> None:
    try:
        size = _size(text)
    except ValueError:
        drive.unread("size", text)
        return
    if size is not None:
        drive.put(line, "size_bytes", size, ROW)


def _put_place(drive: Draft, line: Line | None, text: str) -> None:
    """``port 1I:box 1:bay 4``, ``port 1:id 0`` of a parallel SCSI drive."""
    places = {key.lower(): value for key, value in _PLACE.findall(text) if value not in NO_VALUE}
    if "port" in places:
        drive.keep_words("Port", places["port"])
    box = places.get("box", places.get("port") if "id" in places else None)
    bay = places.get("bay", places.get("id"))
    if box is not None:
        drive.put(line, "enclosure", box, ROW)
    if bay is not None:
        drive.put(line, "bay", bay, ROW)
