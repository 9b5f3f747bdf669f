"""What could only be placed when all outputs were read: details of volumes and drives, and who belongs to which set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from raidctl.text import attempt
from raidctl.vendor.draft import DETAIL, Draft, Pair
from raidctl_areca import tables, vocabulary
from raidctl_areca.draft import ControllerDraft
from raidctl_areca.labels import DRIVE, SET, VOLUME, Parse, media, speed
from raidctl_areca.reader import Section

_PLACE = re.compile(r"(?:Enclosure|Enc)[ #]*(\d{1,3})\s+(\S.*)", re.IGNORECASE | re.ASCII)


def settle(sections: Iterable[Section]) -> None:
    """Give each section to the object that it is about."""
    for section in sections:
        if not section.pairs:
            continue
        if section.kind == "drive":
            _drive(section)
        elif section.kind == "volume":
            _volume(section)
        elif section.kind == "set":
            _set(section)
        elif section.kind == "smart":
            _smart(section)


def link(card: ControllerDraft) -> None:
    """Assign volumes and drives to arrays by name; a name in no table creates an array."""
    by_name: dict[str, list[str]] = {}
    for number, found in card.arrays.items():
        by_name.setdefault(found.get("set") or "", []).append(number)
    for volume in card.volumes.values():
        both = volume.get("names")
        if both is not None:
            _apart(volume, both, by_name)
    for draft in [*card.drives.values(), *card.volumes.values()]:
        number = draft.get("set number")
        if number is not None:
            card.array(number)
            draft.conclude("array", number)
        name = draft.get("set")
        if name is None:
            continue
        numbers = by_name.get(name, [])
        if len(numbers) > 1:
            numbers = []
            draft.add_problem(
                "warning", "unread", f"Several arrays are named {name!r}: which one it belongs to is not reported."
            )
        elif not numbers:
            made = f"={name}"
            card.array(made).conclude("set", name)
            by_name[name] = numbers = [made]
        if numbers:
            draft.conclude("array", numbers[0])
    _pass_through(card, by_name.get("PassThroughDisk", []))
    _temperatures(card)


def _apart(volume: Draft, both: str, by_name: dict[str, list[str]]) -> None:
    name = next((name for name in by_name if name and both.endswith(f" {name}")), None)
    if name is None:
        volume.unread("Name and Raid Name", both)
        volume.conclude("name", both)
        return
    volume.conclude("name", both.removesuffix(name).strip())
    volume.conclude("set", name)


def _pass_through(card: ControllerDraft, numbers: list[str]) -> None:
    # 3  PassThroughDisk      1  750.2GB    0.0GB    750.2GB         Normal
    drives = [drive for drive in card.drives.values() if drive.get("role") == "passthrough"]
    if len(numbers) == len(drives) == 1:
        drives[0].conclude("array", numbers[0])


def _temperatures(card: ControllerDraft) -> None:
    """``HDD #1  Temp.`` of the hardware monitor counts channels."""
    for name, (_, told) in list(card.values.items()):
        drive = card.drives.get(name.removeprefix("temperature ")) if name.startswith("temperature ") else None
        if drive is not None:
            drive.read_field(told, "temperature_celsius", vocabulary.celsius, 0)


def _take(draft: Draft, pair: Pair, known: dict[str, tuple[str, Parse]]) -> None:
    name, parse = known.get(pair.label.lower(), ("", None))
    if parse is None:
        draft.keep_detail(pair)
    else:
        draft.read_field(pair, name, parse)


def _value(section: Section, *labels: str) -> str | None:
    return next(
        (pair.value for pair in section.pairs if pair.label.lower() in labels and vocabulary.has_value(pair.value)),
        None,
    )


# --- drives


def _smart(section: Section) -> None:
    """Read the attributes of ``disk smart drv=N``, which has no other values."""
    drive = section.card.drives.get(section.card.numbers.get(section.number or "", section.number or ""))
    owner = drive if drive is not None else section.card
    prefix = "SMART " if drive is not None else f"drive {section.number} SMART "
    for pair in section.pairs:
        owner.keep_detail(pair, prefix)
        if pair.value.lower().endswith(("failed", "fail")):
            owner.add_problem("warning", "state", f"SMART attribute {pair.label}: {pair.value}.", "Replace the drive.")


def _drive(section: Section) -> None:
    # Device Location                    : Enclosure#1 Slot#8      IDE Channel                        : 1
    if _value(section, "model name") is None and _value(section, "serial number") is None:
        for pair in section.pairs:
            section.card.add_evidence(pair.lines[0], "drives", "an empty slot")
        return
    drive = section.card.drive(_place(section))
    kind = (_value(section, "device type") or "").upper()
    for pair in section.pairs:
        _drive_label(drive, pair, kind)


def _place(section: Section) -> str:
    located = _PLACE.fullmatch(_value(section, "device location", "location") or "")
    if located is not None and re.search(r"\d", located[2]):
        return tables.place_of(located[1], located[2])
    channel = _value(section, "ide channel", "channel", "sata channel", "device channel")
    if channel is not None and re.fullmatch(r"\d{1,9}", channel, re.ASCII):
        return str(int(channel))
    number = section.number
    if number is not None:
        return section.card.numbers.get(number, number)
    return "unknown"


def _drive_label(drive: Draft, pair: Pair, kind: str) -> None:
    line, label, value = pair.lines[0], pair.label.lower(), pair.value
    located = _PLACE.fullmatch(value) if "location" in label else None
    if located is not None:
        drive.put(line, "enclosure", located[1], 0)
        drive.put(line, "bay", tables.bay_of(located[2]), 0)
    elif label == "ide channel" and value.isdecimal():
        drive.put(line, "bay", value, 0)
    elif label == "device type":
        # Device Type                        : SATA(5001B4D4188DF017)
        word = next((word for word in ("sata", "sas", "nvme") if kind.lower().startswith(word)), None)
        if word is not None:
            drive.put(None, "interface", word)
            drive.add_evidence(line, "interface", word)
        drive.detail(line, pair.label, value)
    elif label == "model name" and vocabulary.has_value(value):
        drive.put(line, "raw_model", value, shown_as="model")
    elif label == "device state" and vocabulary.has_value(value):
        _device_state(drive, pair)
    elif label == "rotation speed":
        drive.put(None, "media", media(value))
        _take(drive, pair, DRIVE)
    elif label in {"current sata mode", "supported sata mode"} and speed(value) is not None:
        drive.put(line, "interface", "sata", 0)
        drive.keep_words(pair.label, value)
        if label == "current sata mode":
            drive.put(line, "link_gbps", speed(value))
        else:
            drive.put(line, "max_link_gbps", speed(value))
    else:
        _take(drive, pair, DRIVE)


def _device_state(drive: Draft, pair: Pair) -> None:
    # Device State                       : NORMAL
    found = vocabulary.drive_state(pair.value)
    if found is None:
        drive.unread(pair.label, pair.value)
    if drive.get("status") == "critical" and found == "ok":
        # the table says that the set has dropped it
        drive.detail(pair.lines[0], pair.label, pair.value)
        return
    drive.put(pair.lines[0], "status", found or "unknown")
    drive.put(pair.lines[0], "status_text", pair.value)


# --- RAID sets and volumes


def _numbered(section: Section, drafts: Mapping[str, Draft], field: str, name: str | None) -> str:
    """The number in the command, else that of the only object of the name."""
    if section.number is not None:
        return section.number
    same = [number for number, draft in drafts.items() if name is not None and draft.get(field) == name]
    return same[0] if len(same) == 1 else f"={name or 'unknown'}"


def _set(section: Section) -> None:
    name = _value(section, "raid set name")
    found = section.card.array(_numbered(section, section.card.arrays, "set", name))
    for pair in section.pairs:
        label = pair.label.lower()
        if label == "raid set name":
            found.put(None, "set", pair.value)
            found.keep_detail(pair)
        elif label in {"raid set state", "state"}:
            tables.state(found, pair.lines[0], pair.value, DETAIL)
        else:
            _take(found, pair, SET)


def _volume(section: Section) -> None:
    name = _value(section, "volume set name")
    found = section.card.volume(_numbered(section, section.card.volumes, "name", name))
    for pair in section.pairs:
        _volume_label(found, pair)


def _volume_label(found: Draft, pair: Pair) -> None:
    line, label, value = pair.lines[0], pair.label.lower(), pair.value
    if label in {"volume state", "volume set state", "state"}:
        tables.state(found, line, value, DETAIL)
    elif label == "raid level":
        tables.level(found, line, value)
    elif label.replace(".", "").endswith("ch/id/lun"):
        tables.address(found, line, value)
    elif label == "raid set name":
        found.put(None, "set", value)
        found.add_evidence(line, "array", value)
    elif label == "member disks":
        # Member Disks    : 4
        count = attempt(vocabulary.count, value)
        if count is not None:
            found.put(line, "drives_expected", count)
        else:
            found.keep_detail(pair)
    elif label in {"cache mode", "volume cache mode", "cache attribute"}:
        found.put(None, "cache mode", value)
        found.keep_detail(pair)
    else:
        _take(found, pair, VOLUME)
