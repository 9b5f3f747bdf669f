"""Rows and labels of the tool read into the drafts."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from raidctl.evidence import Line
from raidctl.model import BatteryStatus, Health, Role
from raidctl.text import collapse, regex
from raidctl.units import parse_percent
from raidctl.vendor.draft import DETAIL, ROW, Draft, Pair
from raidctl.vendor.statuses import note_nameless_level, put_status
from raidctl_areca import vocabulary
from raidctl_areca.draft import ControllerDraft

Row = dict[str, str]
_DIGITS = regex(r"\d{1,9}", re.ASCII)
_HOT_SPARE = regex(r"hot ?spare\b.*", re.IGNORECASE)
_FINE = frozenset(
    {"ok", "good", "normal", "on", "enabled", "disabled", "not installed", "not present", "not supported"}
)
"""Words of the hardware monitor that need no action."""
_READING = regex(r"[+-]?\d.*")
_TEMPERATURE = regex(r"HDD ?#? ?(\d{1,3})\s*Temp\.?", re.IGNORECASE | re.ASCII)
_USAGE: dict[str, Role] = {
    "free": "unassigned",
    **dict.fromkeys(("pass through", "passthrough", "jbod"), "passthrough"),
    **dict.fromkeys(("failed", "fail", "offlined", "offline", "missing", "removed", "not installed"), "failed"),
}
"""Values of the column Usage besides array names and hot-spare kinds."""
# RaidSet Member(1); RaidSet alone may be the name of an array
_MEMBER = regex(r"raid ?set member(?: ?\((\d{1,3})\))?", re.IGNORECASE | re.ASCII)
_DROPPED = regex(r"(?:^|[\[(])(?:fail(?:ed)?|dead|missing|removed|error|offlined?)(?:\W|$)")
_INCOMPLETE = regex(r"(?:^|[\[(])incomplete")
_SLOT_WORD = regex(r"^(?:[A-Za-z]{2,}[ #]*)+")
_NO_BATTERY = frozenset({"not installed", "not present", "not detected", "no battery", "none", "absent"})
_BATTERIES: dict[BatteryStatus, tuple[str, ...]] = {
    "ok": ("charged", "ok", "good", "normal", "full"),
    "charging": ("charging", "recharging"),
    "failed": ("fail", "bad", "error", "fault", "replace"),
    "degraded": ("low", "weak", "discharg", "need"),
}
"""Beginnings of the words for a battery's status."""
_CHARGE = regex(r"(\d{1,3}(?:\.\d+)?) ?%", re.ASCII)
_NO_WORD = regex(r"[()]|\d+(?:\.\d+)? ?%")


def place_of(enclosure: str | None, slot: str) -> str:
    """A drive's name: ``3`` of a channel, ``E2:S1`` of a slot. The slot may be ``02`` or ``SLOT 01``."""
    bay = bay_of(slot)
    short = str(int(bay)) if _DIGITS.fullmatch(bay) else "".join(bay.split())
    return short if enclosure is None else f"E{int(enclosure)}:S{short}"


@lru_cache(maxsize=1024)
def bay_of(slot: str) -> str:
    """``01`` of ``SLOT 01``, ``Slot#01``, ``Bay01``; ``A1`` of ``Slot A1``."""
    return _SLOT_WORD.sub("", slot.strip()) or slot.strip()


def set_row(controller: ControllerDraft, line: Line, row: Row, places: str) -> None:
    """Read an array: name, members, raw and free space, state."""
    # #  Name             Disks TotalCap  FreeCap DiskChannels       State
    # 1  data                15 11250.0GB    0.0GB 123456789ABCDEF    Rebuilding
    found = controller.array(str(int(row["number"])))
    contradicted(found, "set", "name", row["name"])
    found.put(line, "set", row["name"], shown_as="details[Name]")
    found.keep_words("Name", row["name"])
    found.detail(line, "Disks", row["disks"])
    amount(found, line, ("size_bytes", "TotalCap", row["total"]))
    amount(found, line, ("free_bytes", "FreeCap", row["free"]))
    if row["more"]:
        found.detail(line, places, row["more"])
    state(found, line, "array", row["state"])


def amount(draft: Draft, line: Line, what: tuple[str, str, str]) -> None:
    """A capacity of a table's row."""
    name, label, value = what
    try:
        draft.put(line, name, vocabulary.capacity(value), ROW)
    except ValueError:
        draft.unread(label, value)
        draft.detail(line, label, value)


def state(draft: Draft, line: Line, what: str, value: str, weight: int = ROW) -> None:
    """``Normal``, ``Rebuilding(23.4%)`` of an ``array`` or a ``volume``."""
    status, operation, percent = vocabulary.state(value) or (None, None, None)
    put_status(draft, [line], what, status, text=value, weight=weight)
    draft.put(None, "operation", operation, weight)
    if percent is not None:
        draft.put(line, "progress.percent", percent, weight)


def volume_row(
    controller: ControllerDraft, line: Line, row: Row, names: tuple[str, str] | None, *, numbered: bool = False
) -> None:
    """Read a volume set. ``names`` are its name and its array's, if in separate columns."""
    # # Name             Raid Name       Level   Capacity Ch/Id/Lun  State
    # 1 ARC-1210-VOL#00  Raid Set # 00   Raid0     10.5GB 00/00/00   Normal
    found = controller.volume(str(int(row["number"])))
    if numbered and names is not None and _DIGITS.fullmatch(names[1]):
        # # Name             Raid# Level   Capacity Ch/Id/Lun  State
        found.put(line, "name", names[0], ROW)
        found.conclude("set number", str(int(names[1])), ROW)
        found.add_evidence(line, "array", names[1])
    elif names is None:
        # two names of full width with one blank between them: the table of RAID sets separates them
        found.put(line, "names", row["names"], shown_as="name")
    else:
        contradicted(found, "name", "name", names[0])
        found.put(line, "name", names[0], ROW)
        found.put(line, "set", names[1], ROW, shown_as="array")
    level(found, line, row["level"], ROW)
    amount(found, line, ("size_bytes", "Capacity", row["size"]))
    address(found, line, row["address"])
    state(found, line, "volume", row["state"])


def level(draft: Draft, line: Line, value: str, weight: int = DETAIL) -> None:
    """Read a level such as ``Raid5``.

    Levels without a neutral name (``Raid3``, ``Raid30``) are kept in the tool's words.
    """
    draft.put(None, "level", value, weight)
    found = vocabulary.raid_level(value)
    if found is not None:
        draft.add_evidence(line, "raid_level", found)
        return
    draft.detail(line, "Raid Level", value)
    if vocabulary.has_value(value):
        note_nameless_level(draft, value)


def address(draft: Draft, line: Line, value: str) -> None:
    """``00/00/01``: channel, target and LUN, as the driver passes them on (drivers/scsi/arcmsr)."""
    if not vocabulary.has_value(value.rstrip("-") or "-"):
        return
    parts = value.split("/")
    if len(parts) != 3 or not all(_DIGITS.fullmatch(part.strip()) for part in parts):
        draft.unread("Ch/Id/Lun", value)
        draft.detail(line, "Ch/Id/Lun", value)
        return
    draft.detail(line, "SCSI target", ":".join(str(int(part)) for part in parts))


def contradicted(draft: Draft, name: str, what: str, value: str) -> None:
    """Report rows that disagree: outputs of several controllers or different times."""
    known = draft.get(name)
    if known not in (None, value):
        draft.add_problem(
            "warning", "unread", f"The outputs disagree about {what}: {known} and {value}.",
            "Use outputs of one controller, taken at the same time.",
        )  # fmt: skip


def drive_row(controller: ControllerDraft, line: Line, row: Row) -> None:
    """Read a drive of one of the tables. The model ``N.A.`` means an empty slot."""
    # 10  02  SLOT 02 ST31500341AS                     1500.3GB  Raid Set # 000
    # 16 16  WDC WD7500AYYS-01RCA0            750.2GB  HotSpare[Global]
    #  1   ST3320620AS      5QF0ZK1C         3.AAK        320.1GB  RaidSet Member(1)
    place = place_of(row.get("enclosure"), row.get("slot") or row["channel"])
    number = str(int(row.get("number", row.get("channel", "0"))))
    has_model, has_usage = vocabulary.has_value(row["model"]), vocabulary.has_value(row["usage"])
    if not has_model and not has_usage:
        controller.add_evidence(line, "drives", f"{place} is empty")
        return
    known = controller.drives.get(place)
    if known is not None and known.get("number") not in (None, number):
        place = f"{place}-{number}"
    drive = controller.drive(place)
    controller.numbers[number] = place
    drive.conclude("number", number, DETAIL)
    drive.add_evidence(line, "id", place)
    drive.detail(line, "#", number)
    if "slot" in row:
        drive.put(line, "enclosure", row["enclosure"])
        drive.put(line, "bay", bay_of(row["slot"]))
    else:
        drive.put(line, "bay", row["channel"])
    if has_model:
        contradicted(drive, "table model", "model", row["model"])
        drive.put(None, "table model", row["model"])
        drive.put(line, "raw_model", row["model"], ROW, shown_as="model")
        amount(drive, line, ("size_bytes", "Capacity", row["size"]))
    for name in ("serial", "firmware"):
        if vocabulary.has_value(row.get(name, "")):
            drive.put(line, name, row[name], ROW)
    if has_usage:
        usage(drive, line, row["usage"])


class Usage(Struct, frozen=True):
    """What a value of the column Usage means."""

    role: Role
    health: Health
    number: str | None
    """The number of the drive's array."""
    name: str | None
    """The name of the drive's array."""
    incomplete: bool
    """The drive's array lacks drives."""


@lru_cache(maxsize=1024)
def meaning_of(value: str) -> Usage:
    """The meaning of a value. The members of an array share theirs."""
    low = value.lower()
    role: Role = "spare" if _HOT_SPARE.fullmatch(value) else _USAGE.get(low, "member")
    if role == "member" and _DROPPED.search(low):
        role = "failed"
    numbered = _MEMBER.fullmatch(value)
    number = str(int(numbered[1])) if numbered is not None and numbered[1] is not None else None
    named = role == "member" and numbered is None and low not in {"rebuilding", "rebuild"}
    doubtful = low.startswith(("rebuild", "foreign"))
    health: Health = "critical" if role == "failed" else "warning" if doubtful else "ok"
    return Usage(role, health, number, value if named else None, _INCOMPLETE.search(low) is not None)


def usage(drive: Draft, line: Line, value: str) -> None:
    """Read the column Usage: an array's name, or the drive's role."""
    found = meaning_of(value)
    weight = drive.status_weight("status", "critical" if found.role == "failed" else "ok", ROW)
    drive.put(line, "role", found.role, DETAIL + (weight > ROW))
    drive.detail(line, "Usage", value)
    if found.number is not None:
        drive.conclude("set number", found.number, ROW)
    if found.name is not None:
        drive.put(None, "set", found.name)
    # the tool puts Failed in this column as soon as it drops a drive
    if found.incomplete:
        message = f"The drive belongs to an array that lacks drives: {value}."
        drive.add_problem("error", "state", message, "Connect the missing drives before anything else.")
    drive.put(line, "status", found.health, weight)
    if found.health != "ok":
        drive.put(line, "status_text", value, weight)


def hardware(controller: ControllerDraft, pair: Pair, prefix: str) -> None:
    """A label of the hardware monitor: battery, temperatures, fans, voltages, power supplies."""
    label = pair.label.lower()
    own = _TEMPERATURE.fullmatch(pair.label.strip())
    if "battery" in label or "capacitor" in label or label.startswith(("bbm", "cvm")):
        # Battery Status   : 100%
        battery(controller, pair)
        return
    if own is not None and not prefix:
        # HDD #1  Temp.       : 34
        controller.put(None, f"temperature {int(own[1])}", pair)
    controller.keep_detail(pair, prefix)
    word = collapse(pair.value.lower()).rstrip(".")
    # Power 01         : OK, Fan 01           : 2810 RPM
    if word in ("", "unknown"):
        controller.unread(f"{prefix}{pair.label}", pair.value)
    elif vocabulary.has_value(pair.value) and word not in _FINE and not _READING.fullmatch(word):
        controller.add_problem(
            "warning", "state", f"Hardware monitor, {prefix}{pair.label}: {pair.value[:80]}.",
            "Check the machine and its enclosures.",
        )  # fmt: skip


def battery(controller: ControllerDraft, pair: Pair) -> None:
    """``100%``, ``Charged(100%)``, ``Not Installed``."""
    line, draft = pair.lines[0], controller.battery("0")
    kind = "capacitor" if "capacitor" in pair.label.lower() or "cvm" in pair.label.lower() else "battery"
    draft.put(None, "kind", kind)
    if not vocabulary.has_value(pair.value):
        draft.keep_detail(pair)
        return
    status, charge = battery_status(pair.value) or (None, None)
    put_status(draft, [line], "battery", status, text=pair.value)
    if charge is not None:
        draft.put(line, "charge_percent", charge)


def battery_status(value: str) -> tuple[BatteryStatus, int | None] | None:
    """Status and charge. A bare percentage is the charge, and a problem if low.

    Only the percentage and ``Not Installed`` are sure; the words beside them are unverified.
    """
    percent = _CHARGE.search(value)
    charge = None
    if percent is not None:
        try:
            charge = round(parse_percent(f"{percent[1]}%"))
        except ValueError:
            return None
    word = collapse(_NO_WORD.sub(" ", value).lower()).rstrip(".")
    if word in _NO_BATTERY:
        return "missing", None
    if not word and charge is not None:
        return ("ok" if charge >= LOW_CHARGE else "degraded"), charge
    return next(((status, charge) for status, words in _BATTERIES.items() if word.startswith(words)), None)


LOW_CHARGE = 50
"""Charge in percent below which a battery without status is not good."""
