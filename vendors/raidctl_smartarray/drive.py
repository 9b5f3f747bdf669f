"""Physical drives: list rows and separate sections."""

from __future__ import annotations

import re

from msgspec.structs import replace

from raidctl.evidence import Line
from raidctl.model import Role
from raidctl.text import attempt, collapse, regex
from raidctl.vendor.draft import ROW, Draft, Pair
from raidctl.vendor.fields import Field, Fields, optional, read_pairs
from raidctl.vendor.statuses import put_status, report_bad_status, report_life_left
from raidctl_smartarray import numbers, vocabulary
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.interface import interface
from raidctl_smartarray.outline import Section
from raidctl_smartarray.vocabulary import NO_VALUE, has_value, normalized, split_progress

_REMARK = regex(r"\s*\((\S* ?update .*?)\)?$", re.IGNORECASE)
_SIZE = regex(r"(?:[\d.]+|[-?]+) ?[KMGTP]?B", re.ASCII | re.IGNORECASE)
_SPARE = regex(r"(?:active |inactive |auto replace |dedicated )?spare(?: for .*)?", re.IGNORECASE)
_PLACE = regex(r"(port|box|bay|id) ([^:,\s]+)", re.IGNORECASE)
_VENDORS = frozenset(
    {
        "HP", "HPE", "ATA", "SEAGATE", "COMPAQ", "HITACHI", "HGST", "FUJITSU", "TOSHIBA", "MAXTOR",
        "WDC", "WD", "SAMSUNG", "NVME", "INTEL", "SANDISK", "MICRON", "KIOXIA", "IBM",
    }
)  # fmt: skip


def drive_model(text: str) -> str | None:
    """The model without the vendor column of eight characters: ``EG0300FBDBR`` of ``HP      EG0300FBDBR``."""
    raw = text.strip()
    if not has_value(raw):
        return None
    column, rest = raw[:8], raw[8:]
    if rest.strip() and column.endswith(" ") and " " not in column.strip():
        return collapse(rest)
    first, _, others = collapse(raw).partition(" ")
    return others if others and first.upper() in _VENDORS else collapse(raw)


def _size(text: str) -> int | None:
    if not has_value(text) or text.strip().startswith(("-", "?")):
        return None
    return numbers.drive_size(text)


def _switch(text: str) -> str | None:
    if not has_value(text) or normalized(text) in ("not supported", "not changeable"):
        return None
    return "enabled" if numbers.flag(text) else "disabled"


def read_section(controller: ControllerDraft, section: Section, role: Role | None) -> Draft:
    """``physicaldrive 1I:1:4`` and the pairs below it."""
    drive = controller.drive(section.heading.name)
    _place(drive, section.line, section.heading.name)
    if role is not None:
        drive.put(section.line, "role", role, ROW)
    read_pairs(drive, section.pairs, _FIELDS, normalized, report_bad_status)
    return drive


def multidomain(draft: Draft, pair: Pair) -> None:
    """``MultiDomain Status: OK``: whether all paths to the drives work."""
    draft.keep_detail(pair)
    if has_value(pair.value) and normalized(pair.value) not in ("ok", "not supported", "not applicable"):
        draft.add_problem("warning", "state", f"{pair.label}: {collapse(pair.value)}.", "Check cables and expanders.")


def firmware(drive: Draft, pair: Pair) -> None:
    """``Firmware Revision: HPD2 (FW update is recommended to minimum version: HPD5)``."""
    remark = _REMARK.search(pair.value)
    if remark is None:
        drive.read_field(pair, "firmware", numbers.text)
        return
    drive.keep_detail(pair)
    drive.read_field(replace(pair, value=pair.value[: remark.start()]), "firmware", numbers.text)
    drive.add_problem(
        "info", "state", f"The tool recommends another firmware version: {remark[1]}.", "Update the firmware."
    )


def _authentication(drive: Draft, pair: Pair) -> None:
    """``OK``, ``Not Applicable``. Anything else means that the controller does not accept the drive or carrier."""
    drive.keep_detail(pair)
    if has_value(pair.value) and normalized(pair.value) != "ok":
        message = f"{pair.label}: {collapse(pair.value)}."
        drive.add_problem("warning", "state", message, "Reseat the drive; use one that the controller supports.")


def _wearout(drive: Draft, pair: Pair) -> None:
    """``SSD Smart Trip Wearout: True``, ``False``, ``Not Supported``; the status can still be OK."""
    drive.keep_detail(pair)
    worn = attempt(numbers.flag, pair.value)
    if worn is None and has_value(pair.value) and normalized(pair.value) != "not supported":
        drive.unread(pair.label, pair.value)
    if worn:
        drive.add_problem(
            "warning", "state", "The drive reports that it is worn out (SSD wearout).", "Replace the drive."
        )


def _life_left(drive: Draft, pair: Pair) -> None:
    drive.keep_detail(pair)
    report_life_left(drive, pair)


def _role(drive: Draft, pair: Pair) -> None:
    """``Drive Type: Data Drive``."""
    role = vocabulary.role(pair.value)
    if role is None:
        if has_value(pair.value):
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
    put_status(drive, [line], "drive", health, text=text, weight=weight)
    operation = vocabulary.DRIVE_OPERATION.get(normalized(state))
    if operation is not None:
        drive.put(line, "progress.operation", operation, weight)
        drive.put(None, "progress.state", "queued" if normalized(state).endswith("queued") else "running", weight)
    if percent is not None:
        drive.put(line, "progress.percent", percent, weight)
        drive.keep_words("Progress", f"{percent:g}%")


def _interface(drive: Draft, line: Line, text: str, weight: int = 2) -> None:
    """``Interface Type: Solid State SAS``."""
    found = interface(text)
    if found is None:
        if has_value(text):
            drive.unread("interface type", text)
        drive.detail(line, "Interface Type", text)
        return
    drive.put(line, "interface", found[0], weight)
    if found[1] is not None:
        drive.put(line, "media", found[1], weight)


def _place(drive: Draft, line: Line | None, address: str) -> None:
    """Box and bay of ``1I:1:4``, or of ``0:6`` without a port."""
    parts = address.split(":")
    for name, part in zip(("bay", "enclosure"), reversed(parts), strict=False):
        if len(parts) >= 2 and "?" not in part:
            drive.put(line, name, part, 0)


def read_row(controller: ControllerDraft, section: Section, role: Role | None) -> tuple[Draft, bool]:
    """``physicaldrive 1I:1:4 (port 1I:box 1:bay 4, SAS HDD, 900 GB, OK, spare)``: the drive, and whether it is a spare.

    ``OK, active spare for 1I:1:2`` is a member: it holds the data of the failed one.
    """
    line = section.line
    drive = controller.drive(section.heading.name)
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
            spare = not part.lower().startswith("active")
            drive.keep_words("Spare", part)
            if not spare:
                drive.put(line, "role", "member")
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
    read_pairs(drive, section.pairs, _FIELDS, normalized, report_bad_status)
    return drive, spare


def _put_words(drive: Draft, line: Line, kind: list[str], status: list[str], *, sized: bool) -> None:
    if not sized and len(kind) > 1:
        status, kind = [kind[-1], *status], kind[:-1]
    if kind:
        _interface(drive, line, ", ".join(kind), ROW)
    reported = ", ".join(part for part in status if part)
    if reported:
        _status(drive, line, reported, ROW)


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


_FIELDS: Fields[Draft] = {
    # MultiDomain Status: OK
    "multidomain status": multidomain,
    # Status: Predictive Failure
    "status": lambda drive, pair: _status(drive, pair.lines[0], pair.value),
    # Interface Type: Solid State SAS
    "interface type": lambda drive, pair: _interface(drive, pair.lines[0], pair.value),
    # Drive Type: Data Drive
    "drive type": _role,
    # Drive Authentication Status: OK
    "drive authentication status": _authentication,
    # Carrier Authentication Status: OK
    "carrier authentication status": _authentication,
    # SSD Smart Trip Wearout: True
    "ssd smart trip wearout": _wearout,
    # Estimated Life Remaining based on workload to date: 46667 days
    **dict.fromkeys(
        ("estimated life remaining based on workload to date", "estimated life remaining"),
        _life_left,
    ),
    # Box: 1
    "box": Field("enclosure", numbers.text),
    "scsi bus": Field("enclosure", numbers.text),
    "bay": Field("bay", numbers.text),
    "scsi id": Field("bay", numbers.text),
    "model": Field("model", drive_model),
    "drive model": Field("model", drive_model),
    # Serial Number: PMVXYSZB
    "serial number": Field("serial", numbers.text),
    "firmware revision": firmware,
    "firmware version": firmware,
    "size": Field("size_bytes", _size),
    "rotational speed": Field("rpm", optional(has_value, lambda text: numbers.integer(text) or None)),
    "current temperature (c)": Field("temperature_celsius", numbers.count),
    # Threshold Temperature (C): 60
    "threshold temperature (c)": Field("max_temperature_celsius", numbers.count, keep=True),
    "phy transfer rate": Field("link_gbps", numbers.link_speed),
    "disk name": Field("device", numbers.device_node),
    "mount points": Field("mountpoints", numbers.mountpoints),
    "mount point": Field("mountpoints", numbers.mountpoints),
    "wwid": Field("wwn", numbers.text),
    "power on hours": Field("power_on_hours", numbers.count),
    "write cache status": Field("write_cache", _switch),
    "media errors": Field("errors.media", numbers.count),
}
