"""Where an attribute (``/c0 Label = value``) belongs: object, label in lower case, field and how it is read.

Sources of the labels: tw_cli(8) of 2011, "Controller Object Messages", "Logical Disk Object Messages", "BBU Object
Messages"; those of drives beyond Status, Model, Serial, Firmware Version and Capacity are in the source of raidinfo
(raid_3ware.py). The battery's temperature value is unverified. What is not in these tables is kept in the tool's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.model import Media
from raidctl.text import figure
from raidctl.units import parse_celsius, parse_gbps
from raidctl_threeware import vocabulary

Parse = Callable[[str], object]


def text(value: str) -> str | None:
    """A value as printed; None if it has no meaning."""
    return value if vocabulary.has_value(value) else None


def count(value: str) -> int | None:
    """A plain number."""
    if not vocabulary.has_value(value):
        return None
    return int(figure(re.compile(r"\d{1,12}", re.ASCII), value)[0])


def celsius(value: str) -> int | None:
    """``35 deg C``, ``35C(95F)``, ``24~C(75~F)``."""
    if not vocabulary.has_value(value):
        return None
    return parse_celsius(re.sub(r"\(.*\)$|deg\.?|~", "", vocabulary.plausible(value)))


def volts(value: str) -> float | None:
    """``3.9 V``, ``3912 mV``."""
    if not vocabulary.has_value(value):
        return None
    match = figure(re.compile(r"(\d{1,6}(?:\.\d{1,3})?) ?(m?)V(?:olts?)?", re.ASCII | re.IGNORECASE), value)
    return round(float(match[1]) / (1000 if match[2] else 1), 3)


def millivolts(value: str) -> float | None:
    """``3912`` of a label that names the unit."""
    return volts(f"{value} mV") if value.isdecimal() else volts(value)


def driver(value: str) -> str | None:
    """The kernel module of ``2.26.02.014``: each of the three counts its versions (TW_DRIVER_VERSION of its source)."""
    series = re.match(r"(1\.02|1\.26|2\.26|3\.26)\.", value, re.ASCII)
    return {"1": "3w-xxxx", "2": "3w-9xxx", "3": "3w-sas"}[series[1][0]] if series is not None else None


def gbps(value: str) -> float | None:
    """``3.0 Gbps``, ``6.0 Gb/s``."""
    return parse_gbps(vocabulary.plausible(value)) if vocabulary.has_value(value) else None


def rpm(value: str) -> int | None:
    """``7200 RPM``; None for a solid state drive."""
    if not vocabulary.has_value(value) or "ssd" in value.lower() or "solid" in value.lower():
        return None
    return int(figure(re.compile(r"(\d{3,6})(?: ?RPM)?", re.ASCII | re.IGNORECASE), value)[1])


def spins(value: str) -> Media | None:
    """``hdd`` if a speed is printed, ``ssd`` if the tool prints that instead."""
    if "ssd" in value.lower() or "solid" in value.lower():
        return "ssd"
    return "hdd" if re.match(r"[1-9]\d{3}", value) else None


def _size(value: str) -> int | None:
    return vocabulary.size(value) if vocabulary.has_value(value) else None


def _capacity(value: str) -> int | None:
    return vocabulary.capacity(value) if vocabulary.has_value(value) else None


CARD: dict[str, tuple[str, Parse]] = {
    "model": ("model", text),
    "serial number": ("serial", text),
    "firmware version": ("firmware", text),
    # /c0 Available Memory = 112MB: "the size of the memory installed on the controller" (/cx show memory), though it
    # is less than what is soldered on: the only figure that the tool has
    "available memory": ("cache.size_bytes", _size),
}
UNIT: dict[str, tuple[str, Parse]] = {
    "name": ("name", text),
    "serial number": ("unique_id", text),
}
DRIVE: dict[str, tuple[str, Parse]] = {
    "serial": ("serial", text),
    "serial number": ("serial", text),
    "firmware version": ("firmware", text),
    "capacity": ("size_bytes", _capacity),
    "spindle speed": ("rpm", rpm),
    "temperature": ("temperature_celsius", celsius),
    "power on hours": ("power_on_hours", count),
    "reallocated sectors": ("errors.media", count),
    "link speed": ("link_gbps", gbps),
    "drive type": ("interface", vocabulary.interface),
}
BATTERY: dict[str, tuple[str, Parse]] = {
    "battery temperature value": ("temperature_celsius", celsius),
    "temperature value": ("temperature_celsius", celsius),
    "battery temperature value (deg c)": ("temperature_celsius", celsius),
    "battery voltage value": ("voltage_volts", volts),
    "voltage value": ("voltage_volts", volts),
    "battery voltage value (mv)": ("voltage_volts", millivolts),
}
