"""A Smart Array that can be changed: what its tools print with other settings, and what they say to changes. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from posixpath import basename

from raidctl.simulation import Reply, State
from raidctl_smartarray.tools import TOOLS

_NAMES = frozenset(spec.name for spec in TOOLS)
_CARD = re.compile(r".* in Slot (?P<slot>\w+)\b")
_ARRAY = re.compile(r"\s*Array: (?P<name>\w+)\s*$")
_VOLUME = re.compile(r"\s*Logical Drive: (?P<name>\d+)\s*$")
_UNASSIGNED = re.compile(r"\s*(?:Unassigned|HBA Drives)\s*$")
_SETTING = re.compile(r"(?P<head>\s*(?P<label>[^:]+):\s*)(?P<value>\S.*?)(?P<tail>\s*)$")
# Array Type: Data       HPE SSD Smart Path: disable      (two pairs run into one line)
_SECOND = re.compile(r"(?P<head>.*\S {3,}(?P<label>HPE? SSD Smart Path):\s*)(?P<value>\w+)(?P<tail>\s*)$")
_RATIO = re.compile(r"(\d+)% Read / (\d+)% Write")

_OF_CARD = {
    "accelerator ratio": "cacheratio",
    "cache ratio": "cacheratio",
    "drive write cache": "drivewritecache",
    "configured drive write cache policy": "drivewritecache",
    "no-battery write cache": "nobatterywritecache",
    "battery/capacitor status": "battery",
    "cache status": "cache",
    "write cache bypass threshold size": "writecachebypassthreshold",
}
_OF_VOLUME = {"array accelerator": "arrayaccelerator", "caching": "arrayaccelerator"}
_OF_ARRAY = {"hp ssd smart path": "ssdsmartpath", "hpe ssd smart path": "ssdsmartpath"}
_NOUNS = frozenset({"cache", "battery", "usage"})
"""Settings that no command changes; they are set by whoever plays with the simulation."""

Visit = Callable[[str, str], str]
"""Takes a setting's name and its value, returns the value to print."""


def initial(argv: tuple[str, ...], text: str) -> State:
    """The settings of all cards in a ``ctrl all show config detail``."""
    found: State = {}
    if _ours(argv):
        _walk(text, lambda name, value: found.setdefault(name, _plain(name, value)) and value)
        card = ""
        for line in text.split("\n"):
            card = f"slot={match['slot']}" if (match := _CARD.match(line)) else card
            if "Configured Drive Write Cache Policy" in line and "Unconfigured" not in line:
                found[f"{card}/usage"] = "needed"
    return found


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """The answer with other settings, each in the words that this version of the tool uses for it."""
    if not _ours(argv):
        return text
    return _walk(text, lambda name, value: _spelt(name, state[name], value) if name in state else value)


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``ctrl slot=1 [ld 1|array A] modify name=value [forced]``."""
    if not _ours(argv) or "modify" not in argv:
        return None
    words = list(argv[1:])
    if words[:1] not in (["ctrl"], ["controller"]) or len(words) < 4 or not words[1].startswith("slot="):
        return Reply(1, "\nError: Syntax error\n\n", state)
    place = words[1]
    at = words.index("modify")
    target, settings = words[2:at], [word for word in words[at + 1 :] if word != "forced"]
    prefix = place
    if target[:1] in (["ld"], ["logicaldrive"]) and len(target) == 2:
        prefix = f"{place}/ld {target[1]}"
    elif target[:1] == ["array"] and len(target) == 2:
        prefix = f"{place}/array {target[1]}"
    if not any(name.startswith(f"{place}/") for name in state):
        return Reply(1, f'\nError: The controller identified by "{place}" was not detected.\n\n', state)
    if prefix != place and not any(name.startswith(f"{prefix}/") for name in state):
        return Reply(1, "\nError: The specified device was not found.\n\n", state)
    return _modify(prefix, settings, state)


def _modify(prefix: str, settings: list[str], state: Mapping[str, str]) -> Reply:
    after = dict(state)
    usages = [setting for setting in settings if setting.startswith("usage=")]
    for setting in settings:
        name, _, value = setting.partition("=")
        if name == "usage":
            continue
        if _SHORT.get(name, name) == "drivewritecache" and (f"{prefix}/usage" in state) != bool(usages):
            said = "usage must be specified" if f"{prefix}/usage" in state else '"usage" is not a valid option'
            return Reply(1, f"\nError: {said}.\n\n", state)
        key = f"{prefix}/{_SHORT.get(name, name)}"
        if key not in after or key.rpartition("/")[2] in _NOUNS:
            return Reply(1, f'\nError: "{name}" is not a valid option for the target.\n\n', state)
        fault = _refused(key, value, after)
        if fault:
            return Reply(1, f"\nError: {fault}\n\n", state)
        after[key] = value
    return Reply(0, "\n", after)


_SHORT = {
    "aa": "arrayaccelerator",
    "caching": "arrayaccelerator",
    "nbwc": "nobatterywritecache",
    "dwc": "drivewritecache",
}


def _refused(key: str, value: str, state: Mapping[str, str]) -> str | None:
    knob = key.rpartition("/")[2]
    if knob == "cacheratio":
        match = re.fullmatch(r"(\d+)/(\d+)", value)
        if not match or int(match[1]) + int(match[2]) != 100 or int(match[1]) % 5:
            return f'"cacheratio={value}" is not a valid value for the cache ratio.'
        return None
    if knob == "writecachebypassthreshold":
        return None if value.isdecimal() and 16 <= int(value) <= 1040 else f'"{knob}={value}" is not a valid value.'
    if value not in ("enable", "disable", "default"):
        return f'"{knob}={value}" is not a valid value.'
    card = key.partition("/")[0]
    paths = [name for name in state if name.startswith(f"{card}/array ") and name.endswith("/ssdsmartpath")]
    if knob == "arrayaccelerator" and value == "enable" and any(state[name] == "enable" for name in paths):
        return "This operation is not supported with the current configuration. SSD Smart Path is enabled."
    return None


def _ours(argv: tuple[str, ...]) -> bool:
    return bool(argv) and basename(argv[0]) in _NAMES


def _walk(text: str, visit: Visit) -> str:
    """Go through an answer line by line; each setting is handed over and printed as it comes back."""
    card, place = "", ""
    lines = []
    for line in text.split("\n"):
        if match := _CARD.fullmatch(line) or _CARD.match(line):
            card = place = f"slot={match['slot']}"
        elif match := _ARRAY.match(line):
            place = f"{card}/array {match['name']}"
        elif match := _VOLUME.match(line):
            place = f"{card}/ld {match['name']}"
        elif _UNASSIGNED.match(line):
            place = ""
        elif card and place and (match := _SECOND.match(line) or _SETTING.match(line)):
            names = _OF_VOLUME if "/ld " in place else _OF_ARRAY if "/array " in place else _OF_CARD
            knob = names.get(match["label"].strip().lower())
            if knob is not None:
                line = f"{match['head']}{visit(f'{place}/{knob}', match['value'])}{match['tail']}"  # noqa: PLW2901
        lines.append(line)
    return "\n".join(lines)


def _plain(name: str, value: str) -> str:
    """A printed value as the commands spell it."""
    if name.endswith("/cacheratio") and (match := _RATIO.search(value)):
        return f"{match[1]}/{match[2]}"
    if name.rpartition("/")[2] in _NOUNS:
        return value
    if name.endswith("/writecachebypassthreshold"):
        return value.partition(" ")[0]
    return {"enabled": "enable", "disabled": "disable"}.get(value.lower(), value.lower())


def _spelt(name: str, value: str, like: str) -> str:
    """A value in the words in which the answer has printed this setting before."""
    if name.endswith("/cacheratio"):
        read, _, write = value.partition("/")
        return f"{read}% Read / {write}% Write"
    if name.rpartition("/")[2] in _NOUNS:
        return value
    if name.endswith("/writecachebypassthreshold"):
        return f"{value} {like.partition(' ')[2]}"
    said = f"{value}d" if like.lower().endswith("ed") and value != "default" else value
    return said.capitalize() if like[:1].isupper() else said
