"""Simulated MegaCli: its outputs with other settings, and its replies to changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from raidctl.text import collapse, regex
from raidctl.vendor.simulator import Reply, State
from raidctl_megaraid.simulator.megacli_deeds import WRONG
from raidctl_megaraid.simulator.megacli_drives import VOLUME
from raidctl_megaraid.simulator.state import ControllerState, flag, known, name, volumes

Visit = Callable[[str, str | None, str, str], str]
"""A function that returns the value to print. It takes the controller, the volume, a label in lower case and the
value."""

# Adapter #0          BBU status for Adapter: 0         Adapter 0 -- Virtual Drive Information:
_ADAPTER = regex(r"(?:BBU .* for )?Adapter\s*:?\s*#?\s*(\d+)\b", re.IGNORECASE)
_PAIR = regex(r"(?P<head>\s*(?P<label>[^:]+?)\s*:\s*)(?P<value>\S.*?)?(?P<tail>\s*)")
_INTERVAL = regex(r"(\d+)s")
_PERCENT = regex(r"(\d+) ?%")

_RATES = {
    "rebuild rate": "rebuildrate", "check consistency rate": "ccrate", "patrol read rate": "prrate",
    "pr rate": "prrate", "bgi rate": "bgirate", "reconstruction rate": "reconrate",
}  # fmt: skip
_SET_RATES = {
    "rebuildrate": ("rebuildrate", "rebuild rate"), "ccrate": ("ccrate", "check consistency rate"),
    "patrolreadrate": ("prrate", "patrol read rate"), "bgirate": ("bgirate", "BGI rate"),
    "reconrate": ("reconrate", "reconstruction rate"),
}  # fmt: skip
_WRITE = {"writeback": "WB", "writethrough": "WT", "forcedwriteback": "AWB"}
_WRITE_SHOWN = {"WB": "WriteBack", "WT": "WriteThrough", "AWB": "ForcedWriteBack"}
_READ = {"readaheadnone": "NoRA", "readahead": "RA", "readadaptive": "adaptive"}
_READ_SHOWN = {"NoRA": "ReadAheadNone", "RA": "ReadAhead", "adaptive": "ReadAdaptive"}
_IO = {"direct": "Direct", "cached": "Cached"}
_DISK = {"disabled": "Off", "enabled": "On", "disk's default": "Default"}
_DISK_SHOWN = {"Off": "Disabled", "On": "Enabled", "Default": "Disk's Default"}
_BATTERY = {"No": "No Write Cache if Bad BBU", "Yes": "Write Cache OK if Bad BBU"}
_DEFAULT, _CURRENT = "default cache policy", "current cache policy"


class _Pair(NamedTuple):
    """A line with a label and a value, below the title of a controller."""

    controller: str
    volume: str | None
    head: str
    label: str
    value: str
    tail: str


def initial(text: str) -> State:
    """The settings that an answer reports."""
    return dict(_recorded(text))


@lru_cache(maxsize=64)
def _recorded(text: str) -> Mapping[str, str]:
    found: State = {}

    def visit(controller: str, volume: str | None, label: str, value: str) -> str:
        for setting, reported in _reported(label, value, volume).items():
            found.setdefault(name(controller, setting, volume), reported)
        return value

    _walk(text, visit)
    return found


def render(text: str, state: Mapping[str, str]) -> str:
    """The answer with the settings as they are now."""
    recorded = _recorded(text)

    def visit(number: str, volume: str | None, label: str, value: str) -> str:
        now, before = ControllerState(number, state), ControllerState(number, recorded)
        return _shown(now, before, volume, label, value)

    return _walk(text, visit)


def _reported(label: str, value: str, volume: str | None) -> dict[str, str]:
    if volume is not None:
        if label == _DEFAULT:
            return _policy(value)
        known_word = _DISK.get(value.lower()) if label == "disk cache policy" else None
        return {"pdcache": known_word} if known_word is not None else {}
    if label == "cache flush interval" and (match := _INTERVAL.fullmatch(value)):
        return {"cacheflushint": match[1]}
    if label in _RATES and (match := _PERCENT.fullmatch(value)):
        return {_RATES[label]: match[1]}
    if label == "relative state of charge" and (match := _PERCENT.fullmatch(value)):
        return {"charge": match[1]}
    if label in ("battery state", "any offline vd cache preserved"):
        return {"battery" if label.startswith("battery") else "preserved": value}
    return {}


def _policy(value: str) -> dict[str, str]:
    """``WriteBack, ReadAheadNone, Direct, No Write Cache if Bad BBU``."""
    found: dict[str, str] = {}
    for part in value.split(","):
        word = collapse(part).lower()
        for setting, table in (("wrcache", _WRITE), ("rdcache", _READ), ("iopolicy", _IO)):
            if word in table:
                found[setting] = table[word]
        if word.endswith("if bad bbu"):
            found["badbbu"] = "No" if word.startswith("no ") else "Yes"
    return found


def _shown(now: ControllerState, before: ControllerState, volume: str | None, label: str, value: str) -> str:
    if volume is not None:
        if label in (_DEFAULT, _CURRENT):
            return _policy_shown(now, volume, value, current=label == _CURRENT)
        if label == "disk cache policy" and value.lower() in _DISK:
            return _DISK_SHOWN.get(now.get("pdcache", volume) or "", value)
        return value
    reported = _reported(label, value, None)
    if "cacheflushint" in reported:
        return f"{now.get('cacheflushint') or reported['cacheflushint']}s"
    rate = next((setting for setting in reported if setting in _RATES.values()), None)
    if rate is not None:
        return value.replace(reported[rate], now.get(rate) or reported[rate], 1)
    if "charge" in reported:
        return value.replace(reported["charge"], now.get("charge") or reported["charge"])
    if reported:
        return now.get(next(iter(reported))) or value
    # values that depend on the battery's state, if that differs from the recorded one
    battery = now.get("battery")
    if battery is None or battery == before.get("battery"):
        return value
    return flag(label, battery) or value


def _policy_shown(now: ControllerState, volume: str, value: str, *, current: bool) -> str:
    """The line with other words; unchanged if the words are the same."""
    write = now.active(volume) if current else now.get("wrcache", volume)
    wanted = {
        "wrcache": write,
        "rdcache": now.get("rdcache", volume),
        "iopolicy": now.get("iopolicy", volume),
        "badbbu": now.get("badbbu", volume),
    }
    if wanted == _policy(value) or None in wanted.values():
        return value
    words = (
        _WRITE_SHOWN[wanted["wrcache"] or ""],
        _READ_SHOWN[wanted["rdcache"] or ""],
        wanted["iopolicy"] or "",
        _BATTERY[wanted["badbbu"] or ""],
    )
    return ", ".join(words)


def _walk(text: str, visit: Visit) -> str:
    """Go through an answer line by line. Each pair is passed to ``visit``, and printed with its result.

    :func:`raidctl.vendor.simulator.walk` replaces one setting per line; a line here has up to four of them
    (``Default Cache Policy``).
    """
    return "\n".join(
        one if isinstance(one, str)
        else f"{one.head}{visit(one.controller, one.volume, one.label, one.value)}{one.tail}"
        for one in _lines(text)
    )  # fmt: skip


@lru_cache(maxsize=64)
def _lines(text: str) -> Sequence[str | _Pair]:
    """The lines of an answer; a simulated machine prints each recorded one many times."""
    controller: str | None = None
    volume: str | None = None
    lines: list[str | _Pair] = []
    for line in text.split("\n"):
        if match := _ADAPTER.match(line):
            controller, volume = match[1], None
        elif match := VOLUME.match(line):
            volume = match[1]
        elif controller is not None and (match := _PAIR.fullmatch(line)) and match["value"]:
            label = collapse(match["label"]).lower()
            lines.append(_Pair(controller, volume, match["head"], label, match["value"], match["tail"]))
            continue
        lines.append(line)
    return lines


# --- changes

_TOP = "\n" + " " * 37 + "\n"
_OF_VOLUME: dict[str, tuple[str, str, str]] = {
    "wt": ("wrcache", "WT", "Write Policy to WriteThrough"),
    "wb": ("wrcache", "WB", "Write Policy to WriteBack"),
    "forcedwb": ("wrcache", "AWB", "Write Policy to ForcedWriteBack"),
    "ra": ("rdcache", "RA", "Read Policy to ReadAhead"),
    "nora": ("rdcache", "NoRA", "Read Policy to NoReadAhead"),
    "adra": ("rdcache", "adaptive", "Read Policy to Adaptive ReadAhead"),
    "direct": ("iopolicy", "Direct", "Cache Policy to Direct"),
    "cached": ("iopolicy", "Cached", "Cache Policy to Cached"),
    "endskcache": ("pdcache", "On", "Disk Cache Policy to Enabled"),
    "disdskcache": ("pdcache", "Off", "Disk Cache Policy to Disabled"),
    "cachedbadbbu": ("badbbu", "Yes", "Write Cache OK if bad BBU"),
    "nocachedbadbbu": ("badbbu", "No", "No Write Cache if bad BBU"),
}


def change(argv: Sequence[str], state: Mapping[str, str]) -> Reply | None:
    """``-LDSetProp WB -L0 -a0 -NoLog``, ``-AdpSetProp CacheFlushInterval -4 -a0``, ``-AdpCacheFlush -a0``."""
    words = [word.lower().removeprefix("-") for word in argv[1:]]
    words = [word for word in words if word not in ("nolog", "silent")]
    if not words or words[0] not in ("ldsetprop", "adpsetprop", "adpcacheflush"):
        return None
    adapter = words[-1][1:]
    if not words[-1].startswith("a") or len(words) < 2:
        return _answer(WRONG + words[-1], 1, state)
    if not known(adapter, state):
        return _answer("User specified controller is not present.\nFailed to get CpController object.", 1, state)
    controller = ControllerState(adapter, state)
    if words[0] == "adpcacheflush" and len(words) > 2:
        return _answer(WRONG + words[1], 1, state)
    if words[0] == "adpcacheflush":
        if controller.get("preserved") == "Yes":
            return _answer(f"Adapter {adapter}: Cache Flush Failed.", 0x54, state)
        return _answer(f"Cache Flush is successfully done on adapter {adapter}.", 0, state)
    if words[0] == "adpsetprop":
        return _set_controller(controller, words[1:-1])
    return _set_volume(controller, words[1:-1])


def _set_controller(controller: ControllerState, words: Sequence[str]) -> Reply:
    if len(words) == 2 and words[0] in _SET_RATES and words[1].isdecimal():
        return _set_rate(controller, words[0], int(words[1]))
    if len(words) != 2 or words[0] != "cacheflushinterval" or not words[1].isdecimal():
        return _answer(WRONG + (words[0] if words else ""), 1, controller.state)
    if int(words[1]) > 255:
        return _answer(f"Adapter {controller.number}: Failed to Set Adapter Properties.", 1, controller.state)
    after = dict(controller.state) | {name(controller.number, "cacheflushint"): str(int(words[1]))}
    return _answer(f"Adapter {controller.number}: Set Cache Flush Interval to {int(words[1])}s success.", 0, after)


def _set_rate(controller: ControllerState, word: str, percent: int) -> Reply:
    setting, text = _SET_RATES[word]
    if percent > 100 or controller.get(setting) is None:
        return _answer(f"Adapter {controller.number}: Failed to Set Adapter Properties.", 1, controller.state)
    after = dict(controller.state) | {name(controller.number, setting): str(percent)}
    return _answer(f"Adapter {controller.number}: Set {text} to {percent}% success.", 0, after)


def _set_volume(controller: ControllerState, words: Sequence[str]) -> Reply:
    words = [words[0], *(word for word in words[1:] if word != "immediate")] if words else words
    if len(words) != 2 or words[0] not in _OF_VOLUME or not words[1].startswith("l"):
        return _answer(WRONG + (words[0] if words else ""), 1, controller.state)
    setting, value, text = _OF_VOLUME[words[0]]
    there = volumes(controller.number, controller.state)
    asked = there if words[1] == "lall" else [words[1][1:]]
    after = dict(controller.state)
    lines = []
    for volume in asked:
        if volume not in there or controller.get(setting, volume) is None:
            return _answer(
                f"Adapter {controller.number}: Virtual Drive {volume} Does not Exist.", 0x0C, controller.state
            )
        after[name(controller.number, setting, volume)] = value
        lines.append(f"Set {text} on Adapter {controller.number}, VD {volume} (target id: {volume}) success")
        if ControllerState(controller.number, after).active(volume) != value and value == "WB":
            lines.append(
                "Battery is not present or is bad. So policy Change to WB will not come into effect immediately"
            )
    return _answer("\n".join(lines), 0, after)


def _answer(text: str, code: int, state: Mapping[str, str]) -> Reply:
    return Reply(code, f"{_TOP}{text}\n\nExit Code: 0x{code:02x}\n", state)
