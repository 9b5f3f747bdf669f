"""The settings in arcconf's ``getconfig``, for the simulator.

They are found line by line, and printed with other values. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from raidctl.text import regex
from raidctl.vendor.simulator import Place

OF_MODE: Mapping[str, str] = {
    "wt": "writecache", "wb": "writecache", "wbb": "writecache",
    "ron": "readcache", "roff": "readcache",
    "con": "caching", "coff": "caching",
}  # fmt: skip
"""The setting of a volume for each word of the command."""

_I = re.IGNORECASE
_AREA = regex(r"\s*(controller|logical (?:device|drive)|array|physical device|maxcache) information\s*", _I)
_VOLUME = regex(r"\s*Logical (?:device|drive) number (\d+)\s*", _I)
_DRIVE = regex(r"\s*Device #\d+\s*", _I)
# Reported Channel,Device(T:L)             : 0,3(3:0)
_ADDRESS = regex(r"(\d{1,5}),(\d{1,5})\(")
_BACKUP = regex(r"\s*(?:controller )?(?:battery|zmm|cache backup unit|green backup) information\s*", _I)
_RULE = regex(r"\s*-{5,}\s*")

_OF_CONTROLLER = {
    "global physical device write cache policy": "deviceall",
    "read cache percentage": "cacheratio/read",
    "write cache percentage": "cacheratio/write",
    "no-battery write cache": "nobatterywritecache",
    "wait for cache room": "waitforcacheroom",
    "write cache bypass threshold size": "writecachebypassthreshold",
    "cache status": "cache",
}
_OF_BACKUP = {"status": "battery", "overall backup unit status": "battery", "backup power status": "battery"}
_OF_VOLUME = {
    "write-cache setting": "writecache",
    "write-cache status": "writestatus",
    "read-cache setting": "readcache",
    "read-cache status": "readstatus",
    "caching": "caching",
    "ld acceleration method": "acceleration",
}
_FOLLOWS = frozenset({"writestatus", "readstatus", "acceleration"})
"""What follows from the settings."""
_READ_ONLY = frozenset({"battery", "cache"})
"""Values that no command changes; the user of the simulation sets them."""
_GOOD = frozenset({"zmm optimal", "optimal", "ok", "ready", "charged", "fully charged"})


def is_setting(name: str) -> bool:
    """Whether a name is a setting, not a status derived from settings."""
    return name.rpartition("/")[2] not in _FOLLOWS


def good(battery: str | None) -> bool:
    """Whether a battery or ZMM with this status protects the cache."""
    return battery is not None and battery.lower() in _GOOD


class ConfigPlace(Place):
    """The object of a ``getconfig`` that a line is about."""

    def __init__(self, controller: str) -> None:
        """Begin above all areas of a controller, ``controller 1``."""
        self._controller = controller
        self._area = self._object = ""
        self._backup = False
        self._smartpqi = False

    def read(self, line: str, label: str, value: str) -> str | None:
        """Follow a line."""
        if not label:
            self._title(line)
        elif label == "driver name":
            self._smartpqi = value.lower() == "smartpqi"
        elif label.startswith("reported channel") and (found := _ADDRESS.search(line)):
            self._object = f"device {found[1]},{found[2]}"
        return self._name(label)

    def _name(self, label: str) -> str | None:
        if self._area == "controller":
            setting = (_OF_BACKUP if self._backup else _OF_CONTROLLER).get(label)
            return setting and f"{self._controller}/{setting}"
        if self._area.startswith("logical") and self._object:
            setting = _OF_VOLUME.get(label)
            return setting and f"{self._controller}/{self._object}/{setting}"
        # the drives' caches of a smartpqi controller are not set one by one
        if self._area == "physical device" and self._object and not self._smartpqi and label == "write cache":
            return f"{self._controller}/{self._object}/writecache"
        return None

    def _title(self, line: str) -> None:
        """A line without a value: a title, a heading, a rule."""
        if match := _AREA.fullmatch(line):
            self._area, self._object, self._backup = match[1].lower(), "", False
        elif match := _VOLUME.fullmatch(line):
            self._object = f"ld {int(match[1])}"
        elif _DRIVE.fullmatch(line):
            self._object = ""
        elif line.strip() and not _RULE.fullmatch(line):
            self._backup = _BACKUP.fullmatch(line) is not None


def plain(name: str, value: str) -> str | None:
    """A printed value as the commands spell it. None if it means that there is no such setting."""
    setting, word = name.rpartition("/")[2], value.lower()
    if setting in _READ_ONLY:
        return value
    if setting in ("read", "write", "writecachebypassthreshold"):
        figure = word.partition(" ")[0]
        return figure if figure.isdecimal() else None
    on = word.startswith(("enabled", "on"))
    if not on and not word.startswith(("disabled", "off")):
        return None
    if setting == "writecache" and "/ld " in name and on and "when protected" in word:
        return "wbb"
    return _WORDS.get(setting, ("enable", "disable"))[not on]


_WORDS = {"writecache": ("wb", "wt"), "readcache": ("ron", "roff"), "caching": ("con", "coff")}


def spelt(name: str, value: str, like: str) -> str:
    """A value in the words that the answer printed before."""
    setting = name.rpartition("/")[2]
    if setting in _READ_ONLY:
        return value
    if setting in ("read", "write"):
        return f"{value} percent"
    if setting == "writecachebypassthreshold":
        return f"{value} KB"
    if setting == "writecache":
        long = "(" in like
        if value == "wbb":
            return "Enabled (write-back) when protected by battery/ZMM" if long else "On when protected by battery/ZMM"
        word = "Enabled" if value == "wb" else "Disabled"
        return f"{word} ({'write-back' if value == 'wb' else 'write-through'})" if long else word
    return "Enabled" if value in ("enable", "ron", "con") else "Disabled"
