"""The labels of the tool's sections, in lower case. Each label leads to its field, or to the function that reads it.

Sources: einarc (areca.rb) for ``sys info`` and ``disk info drv=N``; the fields of sGUI_VOLUMESET and sGUI_RAIDSET in
Documentation/scsi/arcmsr_spec.rst for ``vsf info vol=N`` and ``rsf info raid=N``. The labels of these two, of the SATA
mode and of the rotation speed were found in no source: they are unverified.
Labels in none of these tables are details.
"""

from __future__ import annotations

import re

from raidctl.model import Media
from raidctl.text import attempt, regex
from raidctl.vendor.draft import DETAIL, Draft, Pair
from raidctl.vendor.fields import Field, Fields, leading_interface
from raidctl.vendor.statuses import put_status
from raidctl_areca import tables, vocabulary
from raidctl_areca.draft import ControllerDraft

PLACE = regex(r"(?:Enclosure|Enc)[ #]*(\d{1,3})\s+(\S.*)", re.IGNORECASE | re.ASCII)


def text(value: str) -> str | None:
    """A value as printed; None if it has no meaning."""
    return value if vocabulary.has_value(value) else None


def speed(value: str) -> float | None:
    """Gbit/s of ``SATA300+NCQ(Depth32)``, ``SAS 6G``; None if not reported."""
    sata = re.match(r"SATA ?(150|300|600)\b", value, re.ASCII | re.IGNORECASE)
    if sata is not None:
        return {"150": 1.5, "300": 3.0, "600": 6.0}[sata[1]]
    sas = re.search(r"(?<![\d.])(1\.5|3|6|12|24)(?:\.0)? ?G", value, re.ASCII | re.IGNORECASE)
    return float(sas[1]) if sas is not None else None


def rpm(value: str) -> int | None:
    """``7200(RPM)``; None for solid state drives."""
    match = re.match(r"(\d{4,5})(?!\d)", value.strip(), re.ASCII)
    return int(match[1]) if match is not None else None


def media(value: str) -> Media | None:
    """Media of a drive by its rotation speed."""
    if "ssd" in value.lower() or "solid" in value.lower() or "non-rot" in value.lower():
        return "ssd"
    return "hdd" if rpm(value) else None


def _mode(controller: ControllerDraft, pair: Pair) -> None:
    mode = {"jbod": "hba", "raid": "raid"}.get(pair.value.lower())
    if mode is not None:
        controller.put(pair.lines[0], "mode", mode)


def _setting(controller: ControllerDraft, pair: Pair) -> None:
    """Keep the line; `policy` derives a volume's settings from it."""
    controller.put(None, pair.label.lower(), pair)


def _location(drive: Draft, pair: Pair) -> None:
    located = PLACE.fullmatch(pair.value)
    if located is None:
        drive.keep_detail(pair)
        return
    drive.put(pair.lines[0], "enclosure", located[1], 0)
    drive.put(pair.lines[0], "bay", tables.bay_of(located[2]), 0)


def _device_type(drive: Draft, pair: Pair) -> None:
    interface = leading_interface(pair.value)
    if interface is not None:
        drive.put(pair.lines[0], "interface", interface)
    drive.detail(pair.lines[0], pair.label, pair.value)


def _device_state(drive: Draft, pair: Pair) -> None:
    health = vocabulary.drive_state(pair.value)
    if not vocabulary.has_value(pair.value):
        drive.keep_detail(pair)
    elif drive.get("status") == "critical" and health == "ok":
        # the table shows that the array has dropped it
        drive.detail(pair.lines[0], pair.label, pair.value)
    else:
        put_status(drive, pair.lines, "drive", health, text=pair.value)


def _rotation(drive: Draft, pair: Pair) -> None:
    drive.put(None, "media", media(pair.value))
    drive.read_field(pair, "rpm", rpm)


def _sata_mode(drive: Draft, pair: Pair) -> None:
    name = "link_gbps" if pair.label.lower().startswith("current") else "max_link_gbps"
    if drive.read_field(pair, name, speed) is not None:
        drive.put(pair.lines[0], "interface", "sata", 0)
        drive.keep_words(pair.label, pair.value)


def _array_state(array: Draft, pair: Pair) -> None:
    tables.state(array, pair.lines[0], "array", pair.value, DETAIL)


def _volume_state(volume: Draft, pair: Pair) -> None:
    tables.state(volume, pair.lines[0], "volume", pair.value, DETAIL)


def _set_name(array: Draft, pair: Pair) -> None:
    array.put(None, "set", pair.value)
    array.keep_detail(pair)


def _level(volume: Draft, pair: Pair) -> None:
    tables.level(volume, pair.lines[0], pair.value)


def _address(volume: Draft, pair: Pair) -> None:
    tables.address(volume, pair.lines[0], pair.value)


SYSTEM: Fields[ControllerDraft] = {
    # Firmware Version   : V1.49 2010-12-02
    "firmware version": Field("firmware", text),
    # Serial Number      : Y106CABRAR200408
    "serial number": Field("serial", text),
    # Controller Name    : ARC-1880
    "controller name": Field("model", text),
    # System Memory      : 256MB/533MHz/ECC
    "system memory": Field("cache.size_bytes", vocabulary.memory),
}
CONFIG: Fields[ControllerDraft] = {
    # JBOD/RAID Configuration         : JBOD
    "jbod/raid configuration": _mode,
    # Disk Write Cache Mode           : Auto
    "disk write cache mode": _setting,
    # Volume Data Read Ahead          : Normal
    "volume data read ahead": _setting,
}
"""Labels that give a field as well as a detail."""
SET: Fields[Draft] = {
    "raid set name": _set_name,
    **dict.fromkeys(("raid set state", "state"), _array_state),
    "total raw capacity": Field("size_bytes", vocabulary.capacity),
    "free raw capacity": Field("free_bytes", vocabulary.capacity),
}
VOLUME: Fields[Draft] = {
    "volume set name": Field("name", text),
    "raid set name": Field("set", str, shown_as="array"),
    "raid level": _level,
    "volume capacity": Field("size_bytes", vocabulary.capacity),
    "stripe size": Field("strip_bytes", vocabulary.strip),
    # SCSI Ch/Id/Lun  : 00/00/00
    **dict.fromkeys(("scsi ch/id/lun", "scsi ch./id/lun", "scsi ch./id./lun", "ch/id/lun"), _address),
    # Member Disks    : 4
    "member disks": Field("drives_expected", lambda value: attempt(vocabulary.count, value)),
    # Cache Mode      : Write Back
    **dict.fromkeys(
        ("cache mode", "volume cache mode", "cache attribute"),
        Field("cache.write_active", vocabulary.cache_mode, keep=True),
    ),
    # Volume State    : Normal
    **dict.fromkeys(("volume state", "volume set state", "state"), _volume_state),
}
DRIVE: Fields[Draft] = {
    # Device Location                    : Enclosure#1 Slot#8
    **dict.fromkeys(("device location", "location"), _location),
    # IDE Channel                        : 1
    "ide channel": Field("bay", lambda value: value if value.isdecimal() else None, weight=0),
    # Device Type                        : SATA(5001B4D4188DF017)
    "device type": _device_type,
    # Device State                       : NORMAL
    "device state": _device_state,
    # Model Name                         : ST31500341AS
    "model name": Field("raw_model", text, shown_as="model"),
    "serial number": Field("serial", text),
    # Firmware Rev.                      : CC1H
    "firmware rev.": Field("firmware", text),
    # Disk Capacity                      : 1500.3GB
    "disk capacity": Field("size_bytes", vocabulary.capacity),
    # Timeout Count                      : 0
    "timeout count": Field("errors.other", vocabulary.count),
    "media error count": Field("errors.media", vocabulary.count),
    # Device Temperature                 : 27 C
    "device temperature": Field("temperature_celsius", vocabulary.celsius),
    # Current SATA Mode                  : SATA300+NCQ(Depth32)
    **dict.fromkeys(("current sata mode", "supported sata mode"), _sata_mode),
    "current speed": Field("link_gbps", speed),
    # Rotation Speed                     : 7200(RPM)
    "rotation speed": _rotation,
}
