"""A simulated Smart Array that can be changed.

Its tools print the changed settings, and reply to changes. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import basename

from raidctl.text import regex
from raidctl.vendor.simulator import Place, Reply, State, settings, walk
from raidctl_smartarray import simulator_bays, simulator_locate, simulator_outputs
from raidctl_smartarray.simulator_bays import advance, fail, insert, pull
from raidctl_smartarray.simulator_headings import ARRAY, CONTROLLER, UNASSIGNED, VOLUME
from raidctl_smartarray.tools import NAMES

__all__ = ["advance", "change", "fail", "initial", "insert", "leds", "pull", "render"]

# Array Type: Data       HPE SSD Smart Path: disable      (two pairs run into one line)
_SECOND = regex(r"(?P<head>.*\S {3,}(?P<label>HPE? SSD Smart Path):\s*)(?P<value>\w+)(?P<tail>\s*)")
_RATIO = regex(r"(\d+)% Read / (\d+)% Write")

_OF_CONTROLLER = {
    "accelerator ratio": "cacheratio",
    "cache ratio": "cacheratio",
    "drive write cache": "drivewritecache",
    "configured drive write cache policy": "drivewritecache",
    "no-battery write cache": "nobatterywritecache",
    "battery/capacitor status": "battery",
    "battery status": "battery",
    "capacitor status": "battery",
    "cache status": "cache",
    "write cache bypass threshold size": "writecachebypassthreshold",
    "rebuild priority": "rebuildpriority",
    "expand priority": "expandpriority",
}
_OF_VOLUME = {"array accelerator": "arrayaccelerator", "caching": "arrayaccelerator"}
_OF_ARRAY = {"hp ssd smart path": "ssdsmartpath", "hpe ssd smart path": "ssdsmartpath"}
_READ_ONLY = frozenset({"cache", "battery", "usage", "array"})
"""Values that no command changes; the user of the simulation sets them."""
_VALUES: dict[str, tuple[str, ...]] = {
    "arrayaccelerator": ("enable", "disable"),
    "ssdsmartpath": ("enable", "disable"),
    "nobatterywritecache": ("enable", "disable", "default"),
    "rebuildpriority": ("low", "medium", "mediumhigh", "high"),
    "expandpriority": ("low", "medium", "high"),
    "drivewritecache": ("enable", "disable", "default", "unchanged"),
}
_USAGES = ("configured", "unconfigured", "hba")
_NO_RATIO = "permanently disabled"
"""The state of a cache that shows no split."""


class _Place(Place):
    """The controller, array or volume that a line is about."""

    pairs = (_SECOND, *Place.pairs)

    def __init__(self) -> None:
        """Begin outside of any section."""
        self.controller = self.place = ""

    def read(self, line: str, label: str, value: str) -> str | None:  # noqa: ARG002 - the signature of the base
        """Follow a line."""
        if match := CONTROLLER.match(line):
            self.controller = self.place = f"slot={match['slot']}"
        elif match := ARRAY.match(line):
            self.place = f"{self.controller}/array {match['name']}"
        elif match := VOLUME.match(line):
            self.place = f"{self.controller}/ld {match['name']}"
        elif UNASSIGNED.match(line):
            self.place = ""
        elif self.controller and self.place:
            names = _OF_VOLUME if "/ld " in self.place else _OF_ARRAY if "/array " in self.place else _OF_CONTROLLER
            return f"{self.place}/{names[label]}" if label in names else None
        return None


def initial(argv: tuple[str, ...], text: str) -> State:
    """The settings of all controllers in a ``ctrl all show config detail``."""
    found: State = {}
    if _ours(argv):
        found = settings(text, _Place(), _plain)
        controller = array = ""
        for line in text.split("\n"):
            controller = f"slot={match['slot']}" if (match := CONTROLLER.match(line)) else controller
            array = match["name"] if (match := ARRAY.match(line)) else array
            if "Configured Drive Write Cache Policy" in line and "Unconfigured" not in line:
                found[f"{controller}/usage"] = "needed"
            if match := VOLUME.match(line):
                found[f"{controller}/ld {match['name']}/array"] = array
        found |= simulator_bays.initial(text)
    return found


def leds(argv: tuple[str, ...], text: str) -> State:
    """The locate LEDs of all drives in a ``ctrl all show config detail``."""
    return simulator_locate.leds(text) if _ours(argv) else {}


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """Return the output with other settings, in this tool version's words.

    A split is not shown while no volume uses the cache, or while it is permanently disabled.
    """
    if not _ours(argv):
        return text

    def show(name: str, value: str) -> str | None:
        if name.endswith("/cacheratio") and not _uses_cache(name.partition("/")[0], state):
            return None
        return _spelt(name, state[name], value) if name in state else value

    return simulator_outputs.render(walk(text, _Place(), show), state)


def _uses_cache(controller: str, state: Mapping[str, str]) -> bool:
    """Whether any volume of a controller uses the cache."""
    if state.get(f"{controller}/cache", "").lower() == _NO_RATIO:
        return False
    caching = [
        value for name, value in state.items() if name.startswith(f"{controller}/ld ") and name.endswith("accelerator")
    ]
    return "enable" in caching or not caching


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``ctrl slot=1 [ld 1|array A] modify name=value [usage=configured] [forced]``."""
    if not _ours(argv):
        return None
    words = list(argv[1:])
    reply = simulator_locate.change(basename(argv[0]), words, state) or simulator_bays.change(words, state)
    if reply is not None or "modify" not in words:
        return reply
    if words[:1] not in (["ctrl"], ["controller"]) or len(words) < 4 or not words[1].startswith("slot="):
        return _error(f'Syntax error at "{words[0]}"', state)
    place, at = words[1], words.index("modify")
    if not any(name.startswith(f"{place}/") for name in state):
        return _error(f'The controller identified by "{place}" was not detected.', state)
    target, settings = words[2:at], words[at + 1 :]
    kind = {"ld": "ld", "logicaldrive": "ld", "array": "array"}.get(target[0]) if target else ""
    if kind is None or len(target) not in (0, 2):
        return _error(f'Syntax error at "{target[0]}"', state)
    prefix = f"{place}/{kind} {target[1]}" if target else place
    if not any(name.startswith(f"{prefix}/") for name in state):
        return _error("The specified device was not found.", state)
    return _modify(prefix, settings, state)


def _error(text: str, state: Mapping[str, str]) -> Reply:
    return Reply(1, f"\nError: {text}\n\n", state)


def _modify(prefix: str, settings: list[str], state: Mapping[str, str]) -> Reply:
    """Set one setting and those that depend on it. ``forced`` comes last."""
    if settings[-1:] == ["forced"]:
        settings = settings[:-1]
    first, *rest = settings or [""]
    name, equals, value = first.partition("=")
    setting = _SHORT.get(name, name)
    key = f"{prefix}/{setting}"
    if not equals:
        return _error(f'Syntax error at "{first}"', state)
    if key not in state or setting in _READ_ONLY:
        return _error(f'"{name}" is not a valid option for the target.', state)
    usages = [
        word.removeprefix("usage=") for word in rest if setting == "drivewritecache" and word.startswith("usage=")
    ]
    if len(usages) != len(rest) or len(usages) > 1 or any(usage not in _USAGES for usage in usages):
        return _error(f'Syntax error at "{rest[-1]}"', state)
    if setting == "drivewritecache" and (f"{prefix}/usage" in state) != bool(usages):
        message = 'Parameter "usage" must be specified.'
        return _error(message if not usages else f'Syntax error at "{rest[-1]}"', state)
    fault = _refused(key, value, state)
    if fault:
        return _error(fault, state)
    # drives of another use have a separate setting, which is not simulated
    mine = not usages or usages == ["configured"]
    return Reply(0, "\n", {**state, key: _kept(setting, value)} if mine else state)


def _kept(setting: str, value: str) -> str:
    """Return a setting's value after a command. For a default, it is the firmware's."""
    if value == "default":
        return {"nobatterywritecache": "disable", "writecachebypassthreshold": "1040"}.get(setting, value)
    return "/".join(str(int(part)) for part in value.split("/")) if setting == "cacheratio" else value


_SHORT = {
    "aa": "arrayaccelerator",
    "caching": "arrayaccelerator",
    "nbwc": "nobatterywritecache",
    "dwc": "drivewritecache",
}


def _refused(key: str, value: str, state: Mapping[str, str]) -> str | None:
    controller, setting = key.partition("/")[0], key.rpartition("/")[2]
    wrong = f'"{setting}={value}" is not a valid value.'
    if setting == "cacheratio":
        match = re.fullmatch(r"(\d{1,3})/(\d{1,3})", value)
        if not match or int(match[1]) + int(match[2]) != 100 or int(match[1]) % 5:
            return wrong
        return None if _uses_cache(controller, state) else f"{_UNSUPPORTED} No logical drive uses the cache."
    if setting == "writecachebypassthreshold":
        fits = value.isdecimal() and 16 <= int(value) <= 1040 and not int(value) % 16
        return None if fits or value == "default" else wrong
    if value not in _VALUES.get(setting, ()):
        return wrong
    return _smart_path(key, value, state)


def _smart_path(key: str, value: str, state: Mapping[str, str]) -> str | None:
    """Refuse caching and SSD Smart Path together. They exclude each other, for all volumes of an array."""
    place, _, setting = key.rpartition("/")
    controller = key.partition("/")[0]
    path = f"{controller}/array {state.get(f'{place}/array')}/ssdsmartpath"
    if (setting, value) == ("arrayaccelerator", "enable") and state.get(path) == "enable":
        return f"{_UNSUPPORTED} SSD Smart Path is enabled."
    if setting == "ssdsmartpath" and value == "enable":
        mine = [
            name for name, reported in state.items() if name.endswith("/array") and reported == place.rpartition(" ")[2]
        ]
        places = [name.rpartition("/")[0] for name in mine if name.startswith(f"{controller}/ld ")]
        if any(state.get(f"{volume}/arrayaccelerator") == "enable" for volume in places):
            return f"{_UNSUPPORTED} Caching is enabled on a logical drive of the array."
    return None


_UNSUPPORTED = "This operation is not supported with the current configuration."


def _ours(argv: tuple[str, ...]) -> bool:
    return bool(argv) and basename(argv[0]) in NAMES


def _plain(name: str, value: str) -> str:
    """A printed value as the commands spell it."""
    if name.endswith("/cacheratio") and (match := _RATIO.search(value)):
        return f"{match[1]}/{match[2]}"
    if name.rpartition("/")[2] in _READ_ONLY:
        return value
    if name.endswith("/writecachebypassthreshold"):
        return value.partition(" ")[0]
    return {"enabled": "enable", "disabled": "disable"}.get(value.lower(), value.lower())


def _spelt(name: str, value: str, like: str) -> str:
    """Return a setting's value in the form that the output had before."""
    if name.endswith("/cacheratio"):
        read, _, write = value.partition("/")
        return f"{read}% Read / {write}% Write"
    if name.rpartition("/")[2] in _READ_ONLY:
        return value
    if name.endswith("/writecachebypassthreshold"):
        return f"{value} {like.partition(' ')[2]}"
    word = f"{value}d" if like.lower().endswith("ed") and value in ("enable", "disable") else value
    return word.capitalize() if like[:1].isupper() else word
