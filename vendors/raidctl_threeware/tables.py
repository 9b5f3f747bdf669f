"""Rows of tw_cli's tables read into the drafts."""

from __future__ import annotations

import re

from raidctl.evidence import Line
from raidctl.text import regex
from raidctl.vendor.disagreement import put_setting
from raidctl.vendor.draft import DETAIL, ROW, Draft, Pair
from raidctl.vendor.fields import D, Field, Fields, read_pair
from raidctl.vendor.statuses import put_status
from raidctl_threeware import vocabulary
from raidctl_threeware.draft import ControllerDraft, SlotDraft, UnitDraft

Row = dict[str, str]
_SLOT = regex(r"(?:/c\d{1,3})?/?(e\d{1,3})/slo?t(\d{1,4})", re.ASCII)
_PORT = regex(r"(?:/?c\d{1,3}/)?p(\d{1,4})", re.ASCII)
_BLOCKS = regex(r"\d{1,15}", re.ASCII)
_UNIT = regex(r"[sd]?u(\d+)")
_IDENTITY = ("Blocks", "Serial", "Model")


def controller_row(controller: ControllerDraft, line: Line, row: Row) -> None:
    """``c0    9650SE-2LP   2         2        1       1       1       1      -``."""
    for column, value in row.items():
        if column == "Ctl":
            controller.add_evidence(line, "id", value)
        elif column == "Model":
            controller.put(line, "model", value, ROW)
        else:
            controller.detail(line, column, value)
    # BBU: OK, TESTING, or - where there is none
    if vocabulary.has_value(row.get("BBU", "")):
        battery_status(controller.battery("bbu"), line, row["BBU"], ROW)
    elif row.get("BBU") == "-":
        controller.put(None, "no_battery", value=True)


def unit_row(controller: ControllerDraft, line: Line, row: Row) -> None:
    """A unit, or one of its parts (``u0-0-1``, ``u0/v1``, ``du3-0``)."""
    name = row.get("Unit", "")
    number = _UNIT.match(name)
    if number is None:
        return
    if number[0] == name and name[0] == "u":
        _unit(controller, line, row)
        return
    unit = controller.array(number[1])
    words = ", ".join(f"{column} {value}" for column, value in list(row.items())[1:] if vocabulary.has_value(value))
    # su0, du0: source and destination of a migration
    if name[0] != "u":
        unit.detail(line, name, words)
    elif "/v" in name:
        _carved(unit, line, row, words)
    else:
        unit.detail(line, name, words)
        _part(controller, unit, line, row)


def _unit(controller: ControllerDraft, line: Line, row: Row) -> None:
    # Unit  UnitType  Status         %RCmpl  %V/I/M  Stripe  Size(GB)  Cache  AVrfy
    # u0    RAID-6    VERIFYING      -       29%(A)  256K    16763.7   RiW    ON
    # Unit  UnitType  Status         %Cmpl  Stripe  Size(GB)  Cache  AVerify  IgnECC
    unit = controller.array(row["Unit"][1:])
    unit.add_evidence(line, "id", row["Unit"])
    controller.newer = controller.newer or row.get("Cache") in {"W", "Ri", "Rb", "RiW", "RbW"}
    for column, value in row.items():
        if column in {"UnitType", "Status", "Cache"} or (column != "Unit" and vocabulary.has_state(value)):
            _cell(unit, Pair(column, value, [line]), _UNIT_COLUMNS)


def _cell(draft: D, pair: Pair, columns: Fields[D]) -> None:
    if not read_pair(draft, pair, pair.label, columns):
        draft.keep_detail(pair)


def _unit_type(unit: UnitDraft, pair: Pair) -> None:
    """``RAID-5``, ``SPARE``, ``Migrator``."""
    unit.put(None, "type", pair.value.upper())
    level = vocabulary.raid_level(pair.value)
    unit.detail(pair.lines[0], pair.label, pair.value)
    if level is not None:
        unit.put(pair.lines[0], "raid_level", level)
    elif pair.value.upper() not in {"SPARE", "MIGRATOR"}:
        unit.unread("unit type", pair.value)


def _size(unit: UnitDraft, pair: Pair) -> None:
    if unit.spare:
        unit.keep_detail(pair)
    else:
        unit.read_field(pair, "size_bytes", vocabulary.gigabytes)


def _cache(unit: UnitDraft, pair: Pair) -> None:
    unit.put(None, "column", pair.value)
    on = vocabulary.CACHES.get(pair.value.upper())
    if on is not None:
        put_setting(unit, "write_cache", "write cache", on)
    elif vocabulary.has_value(pair.value):
        unit.unread("cache", pair.value)
    unit.detail(pair.lines[0], pair.label, pair.value)


def unit_status(unit: UnitDraft, line: Line, value: str, weight: int = DETAIL) -> None:
    """Read a unit's status, ``REBUILD-PAUSED``.

    A ``*`` at its end means "there is an error on one of the drives in the unit" (/cx show).
    """
    found = vocabulary.unit_status(value)
    if weight == DETAIL:
        _contradicted(unit, value)
    if value.upper() == "UNKNOWN":
        unit.put(line, "status_text", value, weight)
        unit.add_problem("warning", "state", "The tool reports unit status UNKNOWN.", "Check its drives.")
    else:
        put_status(unit, [line], "unit", found[0] if found else None, text=value, weight=weight)
    if found is not None:
        unit.put(None, "operation", found[1], weight)
    if value.endswith("*"):
        unit.add_problem(
            "warning", "state", f"Unit status {value}: one of its drives had an error.",
            "Check its drives; then clear the mark: `tw_cli /cX rescan`.",
        )  # fmt: skip


def _contradicted(unit: UnitDraft, value: str) -> None:
    """Report different states: outputs of different times or controllers."""
    weight, known = unit.values.get("status_text", (ROW, value))
    if weight < DETAIL or known.rstrip("*") == value.rstrip("*"):
        return
    unit.add_problem(
        "warning", "note", f"The outputs report two unit states, {known} and {value}; the worse one is shown.",
        "Record it again.",
    )  # fmt: skip
    old, new = vocabulary.unit_status(known), vocabulary.unit_status(value)
    if new is not None and (old is None or vocabulary.severity(new[0]) > vocabulary.severity(old[0])):
        for name in ("status", "status_text", "operation"):
            unit.discard(name)


def _complete(unit: UnitDraft, pair: Pair) -> None:
    """Read the progress of the rebuild (``%RCmpl``) or another operation.

    The latter is ``%V/I/M``, in old releases ``%Cmpl``.
    """
    unit.keep_detail(pair)
    try:
        percent = vocabulary.percent(pair.value)
    except ValueError:
        unit.unread(pair.label, pair.value)
        return
    unit.put(None, "rebuilt" if pair.label.startswith("%RC") else "done", percent)
    unit.add_evidence(pair.lines[0], "progress.percent", percent)


def _carved(unit: UnitDraft, line: Line, row: Row, words: str) -> None:
    # u1/v0    Volume    -              -       -       -     -       2047.00
    number = row["Unit"].rsplit("/v", 1)[1]
    value = next((value for column, value in row.items() if column.startswith("Size")), "")
    size = None
    try:
        size = vocabulary.gigabytes(value) if vocabulary.has_value(value) else None
    except ValueError:
        unit.unread(f"size of {row['Unit']}", value)
    unit.carved[number] = size
    unit.detail(line, row["Unit"], words)


def _part(controller: ControllerDraft, unit: UnitDraft, line: Line, row: Row) -> None:
    # u0-3     DISK      REBUILDING     80%     -        p3    -       298.20
    # u0-0     RAID-5    OK             -       -       -     64K     -
    name, status = row["Unit"], row.get("Status", "")
    if row.get("UnitType", "").upper() != "DISK":
        return
    unit.parts[name] = status
    port = _PORT.fullmatch(row.get("VPort") or row.get("Port") or "")
    if port is None:
        unit.add_problem(
            "warning", "state", f"Unit member {name} has no drive: status {status}.",
            "Replace the drive; let the rebuild finish before the next one.",
        )  # fmt: skip
        return
    unit.ports.setdefault(port[1])
    drive = controller.drive(port[1])
    controller.assign(drive, unit.name, line)
    drive_status(drive, line, status)


def port_row(controller: ControllerDraft, line: Line, row: Row) -> None:
    """Read the drive at a port. ``NOT-PRESENT`` without a unit means that the port is empty."""
    # Port   Status           Unit   Size        Blocks        Serial
    # p0     DEGRADED         u0     465.76 GB   976773168     9QM1SHZY
    # VPort Status         Unit Size      Type  Phy Encl-Slot    Model
    # p8    OK             u0   2.73 TB   SATA  -   /c0/e0/slt0  ST3000NC002-1DY166
    name = row.get("VPort") or row.get("Port") or ""
    printed = row.get("Unit", "")
    unit = _UNIT.fullmatch(printed) if printed.startswith("u") else None
    controller.newer = controller.newer or "VPort" in row
    if row.get("Status", "").upper() == "NOT-PRESENT" and unit is None:
        controller.add_evidence(line, "drives", f"{name} is empty")
        return
    drive = controller.drive(name[1:])
    drive.add_evidence(line, "id", name)
    reported = {column: value for column, value in row.items() if vocabulary.has_value(value)}
    _another(drive, {column: reported[column] for column in _IDENTITY if column in reported})
    drive_status(drive, line, row.get("Status", ""))
    if unit is not None:
        controller.assign(drive, unit[1], line)
        controller.array(unit[1]).ports.setdefault(name[1:])
    elif "Unit" in reported:
        drive.unread("unit", printed)
    elif "Unit" in row:
        drive.put(line, "free", value=True)
    for column, value in reported.items():
        if column not in {"Port", "VPort", "Status", "Unit"}:
            _cell(drive, Pair(column, value, [line]), _PORT_COLUMNS)


def _another(drive: Draft, identity: dict[str, str]) -> None:
    """Report two drives at one port: outputs of different times or controllers."""
    known: dict[str, str] = drive.get("identity") or {}
    for column, value in identity.items():
        if known.get(column, value) != value:
            drive.add_problem(
                "warning", "unread", f"The outputs disagree about the drive's {column}: {known[column]} and {value}.",
                "Use outputs of one controller, taken at the same time.",
            )  # fmt: skip
    drive.override("identity", {**identity, **known})


def _blocks(drive: Draft, pair: Pair) -> None:
    # 1953525168 blocks of 512 bytes are what it prints as 931.51 GB
    if not _BLOCKS.fullmatch(pair.value):
        drive.keep_detail(pair)
        return
    exact, size = int(pair.value) * 512, drive.get("size_bytes")
    if size is not None and abs(exact - size) > size / 50:
        drive.unread(pair.label, pair.value)
        drive.keep_detail(pair)
    else:
        drive.put(pair.lines[0], "size_bytes", exact)


def _model(drive: Draft, pair: Pair) -> None:
    drive.put(pair.lines[0], "model", vocabulary.drive_model(pair.value, drive.get("interface")), ROW)


def _slot(drive: Draft, pair: Pair) -> None:
    place = _SLOT.fullmatch(pair.value)
    if place is None:
        drive.keep_detail(pair)
        return
    drive.put(pair.lines[0], "enclosure", place[1])
    drive.put(pair.lines[0], "bay", place[2])


def drive_status(drive: Draft, line: Line, value: str, weight: int = DETAIL) -> None:
    """Put the worst status reported: a unit can drop a healthy drive."""
    if not vocabulary.has_state(value):
        return
    health = vocabulary.drive_status(value)
    known = drive.get("status")
    if known is not None and vocabulary.worse(health or "unknown", known):
        drive.discard("status", "status_text")
    if value.upper() == "UNKNOWN":
        drive.put(line, "status", "unknown", weight)
        drive.put(line, "status_text", value, weight)
        drive.add_problem("warning", "state", "The tool reports drive status UNKNOWN.", "Check the drive.")
    else:
        put_status(drive, [line], "drive", health, text=value, weight=weight)


def battery_row(controller: ControllerDraft, line: Line, row: Row) -> None:
    """``bbu   On           Yes       OK        OK       OK       241    22-Jun-2004``."""
    battery = controller.battery(row.get("Name", "bbu"))
    battery.add_evidence(line, "id", row.get("Name"))
    for column, value in row.items():
        if column == "Status":
            battery_status(battery, line, value, DETAIL)
        elif column != "Name":
            battery.detail(line, column, value)
        battery_word(battery, column, value)


def battery_status(battery: Draft, line: Line, value: str, weight: int) -> None:
    """``WeakBat``, ``Testing``, ``-`` if it is absent."""
    put_status(battery, [line], "battery", vocabulary.battery_status(value), text=value, weight=weight)


def battery_word(battery: Draft, column: str, value: str) -> None:
    """Keep a column of the table of batteries for the conclusions."""
    if column in {"OnlineState", "BBUReady", "Volt", "Temp"} and vocabulary.has_value(value):
        battery.put(None, column.lower(), value)
        known = vocabulary.BATTERY_WORDS.get(column)
        if known is not None and value.lower() not in known:
            battery.unread(column, value)


def part_row(controller: ControllerDraft, line: Line, row: Row, enclosure: str) -> None:
    """Keep a fan, sensor, power supply or alarm in the tool's words."""
    # fan0        OK              ON      7      6900    N/A
    (_, name), *others = row.items()
    words = ", ".join(
        f"{column} {value}" for column, value in others if vocabulary.has_value(value) and column != "Identify"
    )
    controller.detail(line, f"{enclosure} {name}", words or "-")
    status = row.get("Status", "OK")
    # the status of the enclosure reports the alarm already: ALARM-ACTIVATED
    reported = name.startswith("alm") and "ALARM" in controller.details.get(f"{enclosure} Status", "").upper()
    silent = name.startswith("alm") and status.upper() == "OFF"
    if not reported and not silent:
        _trouble(controller, f"{name} of enclosure {enclosure}", status)
    for column in ("Voltage", "Current"):  # pwrs0  OK  on  OK  OK  Off
        if not (status.upper() != "OK" and row.get(column, "").upper() in vocabulary.UNREADABLE):
            _trouble(controller, f"{column.lower()} of {name} of enclosure {enclosure}", row.get(column, "OK"))


def _trouble(controller: ControllerDraft, what: str, status: str) -> None:
    """Report a part unless its status word needs no action."""
    if status.upper() in vocabulary.UNREADABLE:
        controller.add_problem(
            "warning", "unread", f"The state of {what} is unknown: {status}.", "Check the enclosure."
        )
    elif status.upper() not in vocabulary.QUIET:
        controller.add_problem("warning", "state", f"{what}: {status}.", "Check the enclosure.")


def enclosure_row(controller: ControllerDraft, line: Line, row: Row, enclosure: str) -> None:
    """``/c0/e0      ALARM-ACTIVATED``, or how many slots, fans … it has."""
    for column, value in list(row.items())[1:]:
        controller.detail(line, f"{enclosure} {column}", value)
    status = row.get("Status", "OK")
    _trouble(controller, f"enclosure {enclosure}", status)


def slot_row(controller: ControllerDraft, line: Line, row: Row, enclosure: str) -> None:
    """``slot3     OK              /c0/p8        Off``."""
    port = _PORT.fullmatch((row.get("(V)Port") or row.get("Port") or row.get("VPort") or "").lstrip("/"))
    name, status = row.get("Slot", ""), row.get("Status", "")
    words = ", ".join(value for value in list(row.values())[1:3] if vocabulary.has_value(value))
    controller.detail(line, f"{enclosure} {name}", words)
    if port is not None:
        controller.slots[port[1]] = SlotDraft(enclosure, re.sub(r"\D", "", name), line)
    if status.upper() not in {*vocabulary.UNREADABLE, "OFF"}:  # an empty slot; drives have their own state
        _trouble(controller, f"{name} of enclosure {enclosure}", status)


def _cell_status(unit: UnitDraft, pair: Pair) -> None:
    unit_status(unit, pair.lines[0], pair.value)


_UNIT_COLUMNS: Fields[UnitDraft] = {
    # Unit  UnitType  Status         %RCmpl  %V/I/M  Stripe  Size(GB)  Cache  AVrfy
    # u0    RAID-6    VERIFYING      -       29%(A)  256K    16763.7   RiW    ON
    # Unit  UnitType  Status         %Cmpl  Stripe  Size(GB)  Cache  AVerify  IgnECC
    "UnitType": _unit_type,
    "Status": _cell_status,
    **dict.fromkeys(("%RCmpl", "%V/I/M", "%Cmpl", "%Complete", "%RCompl"), _complete),
    "Stripe": Field("strip_bytes", vocabulary.size),
    **dict.fromkeys(("Size(GB)", "Size"), _size),
    "Cache": _cache,
}
_PORT_COLUMNS: Fields[Draft] = {
    # VPort Status         Unit Size      Type  Phy Encl-Slot    Model
    # p8    OK             u0   2.73 TB   SATA  -   /c0/e0/slt0  ST3000NC002-1DY166
    # Port   Status           Unit   Size        Blocks        Serial
    # p0     DEGRADED         u0     465.76 GB   976773168     9QM1SHZY
    "Size": Field("size_bytes", vocabulary.size, ROW),
    "Blocks": _blocks,
    "Serial": Field("serial", str, ROW),
    "Type": Field("interface", vocabulary.interface),
    "Encl-Slot": _slot,
    "Model": _model,
}
