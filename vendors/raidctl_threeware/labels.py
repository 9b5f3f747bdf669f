"""The labels of attributes (``/c0 Label = value``), in lower case.

Each label leads to its field, or to the function that reads it.

Sources of the labels: tw_cli(8) of 2011, sections ``Controller``, ``Logical Disk`` and ``BBU Object Messages``;
those of drives beyond Status, Model, Serial, Firmware Version and Capacity are in the source of raidinfo
(raid_3ware.py). The battery's temperature value is unverified. Labels in none of these tables are details.
"""

from __future__ import annotations

import re

from raidctl.model import Media
from raidctl.text import figure, regex
from raidctl.units import parse_celsius, parse_gbps
from raidctl.vendor.disagreement import put_setting
from raidctl.vendor.draft import DETAIL, Draft, Pair
from raidctl.vendor.fields import Field, Fields, optional
from raidctl_threeware import tables, vocabulary
from raidctl_threeware.draft import ControllerDraft, UnitDraft
from raidctl_threeware.vocabulary import has_value

_COUNT = regex(r"\d{1,12}", re.ASCII)
_NO_DEGREES = regex(r"\(.*\)$|deg\.?|~")
_VOLTS = regex(r"(\d{1,6}(?:\.\d{1,3})?) ?(m?)V(?:olts?)?", re.ASCII | re.IGNORECASE)
_RPM = regex(r"(\d{3,6})(?: ?RPM)?", re.ASCII | re.IGNORECASE)


def text(value: str) -> str | None:
    """A value as printed; None if it has no meaning."""
    return value if has_value(value) else None


def count(value: str) -> int:
    """A plain number."""
    return int(figure(_COUNT, value)[0])


def celsius(value: str) -> int:
    """``35 deg C``, ``35C(95F)``, ``24~C(75~F)``."""
    return parse_celsius(_NO_DEGREES.sub("", vocabulary.plausible(value)))


def volts(value: str) -> float:
    """``3.9 V``, ``3912 mV``."""
    match = figure(_VOLTS, value)
    return round(float(match[1]) / (1000 if match[2] else 1), 3)


def millivolts(value: str) -> float:
    """``3912`` of a label that names the unit."""
    return volts(f"{value} mV" if value.isdecimal() else value)


def driver(value: str) -> str | None:
    """Return the kernel module of a driver version, ``2.26.02.014``.

    Each of the three modules counts its versions (TW_DRIVER_VERSION of its source).
    """
    series = re.match(r"(1\.02|1\.26|2\.26|3\.26)\.", value, re.ASCII)
    return {"1": "3w-xxxx", "2": "3w-9xxx", "3": "3w-sas"}[series[1][0]] if series is not None else None


def gbps(value: str) -> float:
    """``3.0 Gbps``, ``6.0 Gb/s``."""
    return parse_gbps(vocabulary.plausible(value))


def rpm(value: str) -> int | None:
    """``7200 RPM``; None for a solid state drive."""
    return None if spins(value) == "ssd" else int(figure(_RPM, value)[1])


def spins(value: str) -> Media | None:
    """Return ``hdd`` for a printed speed, ``ssd`` if that is printed instead."""
    if "ssd" in value.lower() or "solid" in value.lower():
        return "ssd"
    return "hdd" if re.match(r"[1-9]\d{3}", value) else None


def _driver(controller: ControllerDraft, pair: Pair) -> None:
    module = driver(pair.value)
    if module is not None:
        controller.put(pair.lines[0], "driver", module)
    controller.keep_detail(pair)


def _memory(controller: ControllerDraft, pair: Pair) -> None:
    """``/cx show memory``: "the size of the memory installed on the controller".

    The figure is less than the soldered memory, but the tool has no other.
    """
    size = controller.read_field(pair, "cache.size_bytes", optional(has_value, vocabulary.size))
    if size is not None:
        controller.put(pair.lines[0], "cache.available_bytes", size)


def _unit_status(unit: UnitDraft, pair: Pair) -> None:
    tables.unit_status(unit, pair.lines[0], pair.value)


def _write_cache(unit: UnitDraft, pair: Pair) -> None:
    if pair.value.lower() in {"on", "off"}:
        put_setting(unit, "write_cache", "write cache", pair.value.lower() == "on")
    elif has_value(pair.value):
        unit.unread("write cache", pair.value)
    unit.keep_detail(pair)


def _read_cache(unit: UnitDraft, pair: Pair) -> None:
    unit.put(None, "read_cache", pair.value)
    unit.detail(pair.lines[0], pair.label, pair.value)


def _storsave(unit: UnitDraft, pair: Pair) -> None:
    put_setting(unit, "storsave", "StorSave policy", pair.value.lower())
    unit.detail(pair.lines[0], pair.label, pair.value)


def _drive_status(drive: Draft, pair: Pair) -> None:
    tables.drive_status(drive, pair.lines[0], pair.value)


def _smart_health(drive: Draft, pair: Pair) -> None:
    """``OK``, or the drive's own verdict. A drive whose self-test fails is failing."""
    drive.detail(pair.lines[0], pair.label, pair.value)
    if pair.value.upper() == "UNKNOWN":
        drive.unread(pair.label, pair.value)
    elif has_value(pair.value) and pair.value.upper() not in {"OK", "PASSED", "GOOD"}:
        tables.drive_status(drive, pair.lines[0], "SMART-FAILURE")


def _spindle_speed(drive: Draft, pair: Pair) -> None:
    drive.put(None, "media", spins(pair.value))
    drive.read_field(pair, "rpm", optional(has_value, rpm))


def _battery_status(battery: Draft, pair: Pair) -> None:
    tables.battery_status(battery, pair.lines[0], pair.value, DETAIL)


def _battery_column(battery: Draft, pair: Pair) -> None:
    tables.battery_word(battery, _COLUMNS[pair.label.lower()], pair.value)
    battery.keep_detail(pair)


_COLUMNS = {
    "online state": "OnlineState",
    "bbu ready": "BBUReady",
    "battery voltage": "Volt",
    "battery temperature": "Temp",
}
"""Labels of the columns of the table of batteries."""
CONTROLLER: Fields[ControllerDraft] = {
    # /c0 Driver Version = 2.26.02.014
    "driver version": _driver,
    # /c0 Model = 9650SE-4LPML
    "model": Field("model", text),
    "serial number": Field("serial", text),
    "firmware version": Field("firmware", text),
    # /c0 Available Memory = 112MB
    "available memory": _memory,
}
UNIT: Fields[UnitDraft] = {
    "name": Field("name", text),
    "serial number": Field("unique_id", text),
    # /c0/u0 status = OK
    "status": _unit_status,
    # /c0/u0 Write Cache = on
    **dict.fromkeys(("write cache", "cache"), _write_cache),
    # /c0/u0 Read Cache = Intelligent
    "read cache": _read_cache,
    # /c0/u5 Command Storsave Policy = protect
    **dict.fromkeys(("storsave policy", "command storsave policy"), _storsave),
}
DRIVE: Fields[Draft] = {
    # /c0/p3 Status = OK
    "status": _drive_status,
    # /c0/p3 SMART Health = OK
    "smart health": _smart_health,
    "model": Field("raw_model", text, shown_as="model"),
    **dict.fromkeys(("serial", "serial number"), Field("serial", text)),
    "firmware version": Field("firmware", text),
    # /c0/p3 Capacity = 149.05 GB (312581808 Blocks)
    "capacity": Field("size_bytes", optional(has_value, vocabulary.capacity)),
    # /c0/p3 Spindle Speed = 7200 RPM
    "spindle speed": _spindle_speed,
    # /c0/p3 Temperature = 35 deg C
    "temperature": Field("temperature_celsius", optional(has_value, celsius)),
    "power on hours": Field("power_on_hours", optional(has_value, count)),
    "reallocated sectors": Field("errors.media", optional(has_value, count)),
    # /c0/p3 Link Speed = 3.0 Gbps
    "link speed": Field("link_gbps", optional(has_value, gbps)),
    # /c0/p3 Drive Type = SATA
    "drive type": Field("interface", vocabulary.interface),
}
BATTERY: Fields[Draft] = {
    # /c1/bbu BBU Status                = OK
    **dict.fromkeys(("bbu status", "status"), _battery_status),
    **dict.fromkeys(_COLUMNS, _battery_column),
    **dict.fromkeys(
        ("battery temperature value", "temperature value", "battery temperature value (deg c)"),
        Field("temperature_celsius", optional(has_value, celsius)),
    ),
    **dict.fromkeys(("battery voltage value", "voltage value"), Field("voltage_volts", optional(has_value, volts))),
    # /c1/bbu Battery Voltage Value (mV) = 3912
    "battery voltage value (mv)": Field("voltage_volts", optional(has_value, millivolts)),
}
