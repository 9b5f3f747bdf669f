"""Simulated storcli and its second generation: replies to changes, and resulting settings.

As with the tools, a refusal may end with exit code 0, and an unknown command gives plain text although JSON was
requested. ``J`` requests JSON only as the last word; without it, the output is plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from raidctl.text import regex
from raidctl.vendor.simulator import Reply
from raidctl_megaraid.simulator.state import ControllerState, known, name, volumes
from raidctl_megaraid.simulator.storcli2_help import is_second_generation
from raidctl_megaraid.simulator.storcli_lists import encoded

_PATH = regex(r"/c(\d+)(?:/v(\d+|all))?", re.IGNORECASE)
_CHANGING = frozenset({"set", "flushcache", "flush"})


class Option(NamedTuple):
    """An option of ``set``."""

    values: tuple[str, ...]
    property: str
    """Its name in the output of version 7."""
    second: str | None
    """Its name in the output of version 8. None: version 8 does not have it."""


OPTIONS: dict[str, Option] = {
    "wrcache": Option(("WT", "WB", "AWB"), "wrCache", "Write Cache Policy"),
    "rdcache": Option(("RA", "NoRA"), "rdCache", "Read Cache Policy"),
    "iopolicy": Option(("Direct", "Cached"), "IoPolicy", None),
    "pdcache": Option(("On", "Off", "Default"), "PdCac", None),
}
INTERVAL = "cacheflushint"
RATES = {"rebuildrate": "Rebuild Rate", "ccrate": "Check Consistency Rate", "prrate": "Patrol Read Rate",
         "bgirate": "BGI Rate", "reconrate": "Reconstruction Rate"}  # fmt: skip
"""Names of the controller's rates in the commands and the policies table."""


def change(argv: Sequence[str], state: Mapping[str, str]) -> Reply | None:
    """``/c0/v1 set wrcache=WB nolog J`` and ``/c0 flushcache nolog J``; None for a command that only reads."""
    words = list(argv[2:])
    json_asked = words[-1:] in (["J"], ["j"])
    if json_asked:
        words.pop()
    if words[-1:] == ["nolog"]:
        words.pop()
    if not words or words[0].lower() not in _CHANGING:
        return None
    reply = _change(argv[1], words, state)
    return reply if json_asked else reply._replace(out=_in_text(reply.out))


def _change(path: str, words: Sequence[str], state: Mapping[str, str]) -> Reply:
    match = _PATH.fullmatch(path)
    if match is None:
        return _syntax(ControllerState("", state), "unexpected TOKEN_UNKNOWN")
    if not known(match[1], state):
        return Reply(0, _answer(ControllerState(match[1], state), "Failure", f"Controller {match[1]} not found"), state)
    controller = ControllerState(match[1], state)
    if words[0].lower() != "set":
        return _flush(controller, match[2], words[1:])
    if match[2] is None:
        return _set_controller(controller, words[1:])
    return _set_volumes(controller, match[2], words[1:])


def _flush(controller: ControllerState, volume: str | None, rest: Sequence[str]) -> Reply:
    if volume is not None or rest or is_second_generation(controller):
        return _syntax(controller, "unexpected TOKEN_FLUSH_CACHE")
    if controller.get("preserved") == "Yes":
        row = {"Ctrl": int(controller.number), "Status": "Failed", "ErrCd": 84, "ErrMsg": "LD cache pinned"}
        return Reply(84, _answer(controller, "Failure", "Flush Cache Failed", [row]), controller.state)
    return Reply(0, _answer(controller, "Success", "Flush Cache Operation Success"), controller.state)


def _set_controller(controller: ControllerState, words: Sequence[str]) -> Reply:
    option, _, value = words[0].partition("=") if len(words) == 1 else ("", "", "")
    if option.lower() in RATES and not is_second_generation(controller):
        return _set_rate(controller, option.lower(), value)
    if option.lower() == "alarm" and not is_second_generation(controller):
        return _set_alarm(controller, value)
    if option.lower() != INTERVAL or is_second_generation(controller) or not value.isdecimal():
        return _syntax(controller, "unexpected TOKEN_UNKNOWN")
    if int(value) > 255 or controller.get(INTERVAL) is None:
        row = {"Ctrl": int(controller.number), "Status": "Failed", "ErrCd": 3, "ErrMsg": "Invalid parameter"}
        return Reply(3, _answer(controller, "Failure", "None", [row]), controller.state)
    shown = {"Controller Properties": [{"Ctrl_Prop": "Cache Flush Interval", "Value": f"{int(value)} sec"}]}
    after = dict(controller.state) | {name(controller.number, INTERVAL): str(int(value))}
    return Reply(0, _answer(controller, "Success", "None", data=shown), after)


def _set_rate(controller: ControllerState, option: str, value: str) -> Reply:
    if not value.isdecimal() or int(value) > 100 or controller.get(option) is None:
        row = {"Ctrl": int(controller.number), "Status": "Failed", "ErrCd": 3, "ErrMsg": "Invalid parameter"}
        return Reply(3, _answer(controller, "Failure", "None", [row]), controller.state)
    shown = {"Controller Properties": [{"Ctrl_Prop": RATES[option], "Value": f"{int(value)}%"}]}
    after = dict(controller.state) | {name(controller.number, option): str(int(value))}
    return Reply(0, _answer(controller, "Success", "None", data=shown), after)


def _set_alarm(controller: ControllerState, value: str) -> Reply:
    shown_as = {"on": "On", "off": "Disable", "silence": controller.get("alarm")}.get(value)
    if shown_as is None:
        return _syntax(controller, "unexpected TOKEN_UNKNOWN")
    if controller.get("alarm") in (None, "Absent", "Missing"):
        row = {"Ctrl": int(controller.number), "Status": "Failed", "ErrCd": 34, "ErrMsg": "alarm not present"}
        return Reply(34, _answer(controller, "Failure", "None", [row]), controller.state)
    shown = {"Controller Properties": [{"Ctrl_Prop": "Alarm", "Value": value.upper()}]}
    after = dict(controller.state) | {name(controller.number, "alarm"): shown_as}
    return Reply(0, _answer(controller, "Success", "None", data=shown), after)


def _set_volumes(controller: ControllerState, volume: str, words: Sequence[str]) -> Reply:
    wanted: list[tuple[str, str]] = []
    for word in words:
        option, _, value = word.partition("=")
        known_option = OPTIONS.get(option.lower())
        if known_option is None or (is_second_generation(controller) and known_option.second is None):
            return _syntax(controller, "unexpected TOKEN_UNKNOWN")
        spelt = next((right for right in known_option.values if right.lower() == value.lower()), None)
        if spelt is None:
            return _syntax(controller, "unexpected TOKEN_UNKNOWN")
        wanted.append((option.lower(), spelt))
    if not wanted or (is_second_generation(controller) and len(wanted) > 1):
        return _syntax(controller, "unexpected TOKEN_WRITE_CACHE, expecting $end")
    after = dict(controller.state)
    there = volumes(controller.number, controller.state)
    rows: list[dict[str, Any]] = []
    for number in there if volume.lower() == "all" else [volume]:
        for option, value in wanted:
            fault = _refused(controller, number, option) if number in there else (255, "Invalid VD number")
            if fault is None:
                after[name(controller.number, option, number)] = value
            rows.append(_row(controller, number, option, value, fault))
    failed = any(row["Status"] != "Success" for row in rows)
    return Reply(0, _answer(controller, "Failure" if failed else "Success", "None", rows), after)


def _refused(controller: ControllerState, volume: str, option: str) -> tuple[int, str] | None:
    """The firmware's error number and message for a setting that it refuses."""
    if controller.get(f"supports {option}") == "No" or controller.get(option, volume) is None:
        return 255, "Un-supported Command"
    if option == "pdcache" and controller.get("block ssd") == "Yes" and controller.get("media", volume) == "SSD":
        return 255, "SSD Pd is present"
    return None


def _row(
    controller: ControllerState, volume: str, option: str, value: str, fault: tuple[int, str] | None
) -> dict[str, Any]:
    second = is_second_generation(controller)
    row: dict[str, Any] = {"VD": int(volume)}
    if fault is None or fault[1] != "Invalid VD number":
        row |= {"Property": OPTIONS[option].second if second else OPTIONS[option].property, "Value": value}
    row["Status"] = "Success" if fault is None else "Failed"
    if second:
        row["ErrType"] = "-" if fault is None else "CLI"
    row["ErrCd"] = (("-" if second else 0) if fault is None else fault[0]) or 0
    row["ErrMsg"] = "-" if fault is None else fault[1]
    return row


def _answer(
    controller: ControllerState,
    status: str,
    description: str,
    rows: Sequence[Mapping[str, Any]] = (),
    data: Mapping[str, Any] | None = None,
) -> str:
    head: dict[str, Any] = {}
    if controller.get("cli") is not None:
        head = {"CLI Version": controller.get("cli"), "Operating system": controller.get("os") or "Linux"}
        head["Controller"] = controller.number if is_second_generation(controller) else int(controller.number)
    head |= {"Status": status, "Description": description}
    if rows:
        head["Detailed Status"] = list(rows)
    whole: dict[str, Any] = {"Command Status": head}
    if data is not None:
        whole["Response Data"] = data
    return encoded(whole)


def _in_text(answer: str) -> str:
    """The answer as it is printed without ``J``."""
    if not answer.startswith("{"):
        return answer
    head = json.loads(answer)["Controllers"][0]["Command Status"]
    rows = head.pop("Detailed Status", [])
    lines = [f"{label} = {value}" for label, value in head.items()]
    for row in rows:
        lines += ["", "  ".join(row), "  ".join(map(str, row.values()))]
    return "\n".join([*lines, "", ""])


def _syntax(controller: ControllerState, text: str) -> Reply:
    """In plain text, whatever was requested."""
    printed = (
        f"CLI Version = {controller.get('cli') or '007'}\nOperating system = {controller.get('os') or 'Linux'}\n"
        f"Status = Failure\nDescription = syntax error, {text}\n\n"
    )
    return Reply(1, printed, controller.state)
