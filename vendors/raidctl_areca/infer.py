"""Conclusions from all outputs: owners of details, arrays of volumes and drives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from raidctl.text import regex
from raidctl.vendor.draft import ROW, Draft, Pair
from raidctl.vendor.fields import read_pairs
from raidctl.vendor.statuses import put_status
from raidctl_areca import tables, vocabulary
from raidctl_areca.draft import ControllerDraft
from raidctl_areca.labels import DRIVE, PLACE, SET, VOLUME
from raidctl_areca.reader import Section

_AGAINST_LIMIT = regex(r"(\d{1,3}) ?\((\d{1,3})\) ?(.*)", re.ASCII)
"""Value and threshold of a SMART attribute, and its state."""
_LETTER = regex(r"[a-z]", re.IGNORECASE)


def read_sections(sections: Iterable[Section]) -> None:
    """Read each section into the draft of its object. SMART attributes come last: they do not replace a worse state."""
    for section in sorted(sections, key=lambda section: section.kind == "smart"):
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


def link(controller: ControllerDraft) -> None:
    """Assign volumes and drives to arrays by name. A name in no table creates an array."""
    by_name: dict[str, list[str]] = {}
    for number, found in controller.arrays.items():
        by_name.setdefault(found.get("set") or "", []).append(number)
    for volume in controller.volumes.values():
        both = volume.get("names")
        if both is not None:
            _split_names(volume, both, by_name)
    for draft in [*controller.drives.values(), *controller.volumes.values()]:
        number = draft.get("set number")
        if number is not None:
            controller.array(number)
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
            controller.array(made).conclude("set", name)
            by_name[name] = numbers = [made]
        if numbers:
            draft.conclude("array", numbers[0])
    _pass_through(controller, by_name.get("PassThroughDisk", []))
    _temperatures(controller)


def _split_names(volume: Draft, both: str, by_name: dict[str, list[str]]) -> None:
    name = next((name for name in by_name if name and both.endswith(f" {name}")), None)
    if name is None:
        volume.unread("Name and Raid Name", both)
        volume.conclude("name", both)
        return
    volume.conclude("name", both.removesuffix(name).strip())
    volume.conclude("set", name)


def _pass_through(controller: ControllerDraft, numbers: list[str]) -> None:
    # 3  PassThroughDisk      1  750.2GB    0.0GB    750.2GB         Normal
    drives = [drive for drive in controller.drives.values() if drive.get("role") == "passthrough"]
    if len(numbers) == len(drives) == 1:
        drives[0].conclude("array", numbers[0])


def _temperatures(controller: ControllerDraft) -> None:
    """``HDD #1  Temp.`` of the hardware monitor counts channels."""
    for name, (_, pair) in list(controller.values.items()):
        drive = controller.drives.get(name.removeprefix("temperature ")) if name.startswith("temperature ") else None
        if drive is not None:
            drive.read_field(pair, "temperature_celsius", vocabulary.celsius, 0)


def _value(section: Section, *labels: str) -> str | None:
    return next(
        (pair.value for pair in section.pairs if pair.label.lower() in labels and vocabulary.has_value(pair.value)),
        None,
    )


# --- drives


def _smart(section: Section) -> None:
    """Read the attributes of ``disk smart drv=N``, which has no other values."""
    drive = section.controller.drives.get(section.controller.numbers.get(section.number or "", section.number or ""))
    owner = drive if drive is not None else section.controller
    prefix = "SMART " if drive is not None else f"drive {section.number} SMART "
    for pair in section.pairs:
        owner.keep_detail(pair, prefix)
        _attribute(owner, pair, pair.label)


def _attribute(owner: Draft, pair: Pair, name: str) -> None:
    """Report a SMART attribute that has failed: by its word, or because its value has reached the threshold."""
    # SMART Reallocation Count           : 200(140)      5 Reallocated Sector Count    0x33    100     36   OK
    found = _AGAINST_LIMIT.fullmatch(pair.value)
    value, limit, state = found.groups() if found is not None else (None, None, pair.value)
    reached = value is not None and limit is not None and int(value) <= int(limit) and int(limit) > 0
    if reached or state.lower().endswith(("fail", "failed")):
        text = f"SMART attribute {name}: {pair.value}"
        owner.add_problem("warning", "state", f"{text}.", "Replace the drive.")
        if not isinstance(owner, ControllerDraft):
            put_status(owner, pair.lines, "drive", "warning", text=text, weight=ROW)
    elif _LETTER.search(state) and state.upper() not in ("OK", "O.K.") and not state.upper().startswith("N.A."):
        owner.unread(pair.label, pair.value)


def _drive(section: Section) -> None:
    # Device Location                    : Enclosure#1 Slot#8      IDE Channel                        : 1
    if _value(section, "model name") is None and _value(section, "serial number") is None:
        for pair in section.pairs:
            section.controller.add_evidence(pair.lines[0], "drives", "an empty slot")
        return
    drive = section.controller.drive(_place(section))
    read_pairs(drive, section.pairs, DRIVE, str.lower)
    for pair in section.pairs:
        if pair.label.lower().startswith("smart "):
            _attribute(drive, pair, pair.label[len("smart ") :])


def _place(section: Section) -> str:
    located = PLACE.fullmatch(_value(section, "device location", "location") or "")
    if located is not None and re.search(r"\d", located[2]):
        return tables.place_of(located[1], located[2])
    channel = _value(section, "ide channel", "channel", "sata channel", "device channel")
    if channel is not None and re.fullmatch(r"\d{1,9}", channel, re.ASCII):
        return str(int(channel))
    number = section.number
    if number is not None:
        return section.controller.numbers.get(number, number)
    return "unknown"


# --- RAID sets and volumes


def _numbered(section: Section, drafts: Mapping[str, Draft], field: str, name: str | None) -> str:
    """The number in the command, else of the only object so named."""
    if section.number is not None:
        return section.number
    same = [number for number, draft in drafts.items() if name is not None and draft.get(field) == name]
    return same[0] if len(same) == 1 else f"={name or 'unknown'}"


def _set(section: Section) -> None:
    name = _value(section, "raid set name")
    found = section.controller.array(_numbered(section, section.controller.arrays, "set", name))
    read_pairs(found, section.pairs, SET, str.lower)


def _volume(section: Section) -> None:
    name = _value(section, "volume set name")
    found = section.controller.volume(_numbered(section, section.controller.volumes, "name", name))
    read_pairs(found, section.pairs, VOLUME, str.lower)
