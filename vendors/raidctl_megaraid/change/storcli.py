"""Changes with storcli, perccli and their second generation. Each command has one option.

===================  ==========  ==========================================  =========================
setting              object      command                                     generation
===================  ==========  ==========================================  =========================
``wrcache``          volume      ``/c0/v1 set wrcache=WT|WB|AWB``            both
``rdcache``          volume      ``/c0/v1 set rdcache=RA|NoRA``              both
``iopolicy``         volume      ``/c0/v1 set iopolicy=Direct|Cached``       up to version 7
``pdcache``          volume      ``/c0/v1 set pdcache=On|Off|Default``       version 8: not documented
``cacheflushint``    controller  ``/c0 set cacheflushint=4``                 version 8: not documented
``rebuildrate`` …    controller  ``/c0 set rebuildrate=60``                  up to version 7; see below
``alarm``            controller  ``/c0 set alarm=on|off``                    up to version 7
===================  ==========  ==========================================  =========================

The rate of expansions is ``reconrate`` in the help of 007.2707, and ``migraterate`` in that of versions about 007.04.
What version 8 lacks is in the capabilities of its controllers. ``nolog`` keeps a log file out of the working
directory; ``J`` (JSON) comes last, so that the output has a row for each property.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raidctl.json_decode import decode_text
from raidctl.model import Controller, Volume
from raidctl.model.objects import by_id
from raidctl.text import collapse
from raidctl.vendor.plan import Action, Desired, Setting, ToolSetting
from raidctl.vendor.planner import CannotError
from raidctl_megaraid.change.commands import (
    ALARM,
    FLUSH_TIMEOUT,
    PERCENT,
    RANGE,
    TIMEOUT,
    Assignment,
    alarm,
    of_drives,
    percent,
    rates,
    reported,
    seconds,
    volume_of,
)
from raidctl_megaraid.collect.tool_call import LOCK
from raidctl_megaraid.tools import OUTPUT_WORDS

_WRITE = {"write_through": "WT", "protected_write_back": "WB", "unprotected_write_back": "AWB"}
# ``adaptive`` is shown by old firmware; there is no word to set it
_READ = {"none": "NoRA", "read_ahead": "RA", "adaptive": "adaptive"}
_IO = {"direct": "Direct", "cached": "Cached"}
_DRIVES = {"disabled": "Off", "default": "Default", "enabled": "On"}
_ALARM = {"enabled": "on", "disabled": "off"}
_BLOCKED = "block ssd write disk cache change"

RATES: Mapping[Setting, str] = {
    "rebuild_rate": "rebuildrate", "check_rate": "ccrate", "patrol_read_rate": "prrate", "initialize_rate": "bgirate",
    "expand_rate": "reconrate",
}  # fmt: skip
_RENAMED = ("Older versions of the tool call this rate migraterate and reject the command; then nothing changes.",)


class StorCli:
    """The grammar of both generations."""

    risks: Mapping[str, Mapping[str, int]] = {
        "wrcache": {"WT": 0, "WB": 1, "AWB": 2},
        "rdcache": {"NoRA": 0, "RA": 0},
        "iopolicy": {"Direct": 0, "Cached": 1},
        "pdcache": {"Off": 0, "Default": 1, "On": 2},
        "cacheflushint": {str(number): number for number in range(256)},
        **dict.fromkeys(RATES.values(), PERCENT),
        ALARM: {"on": 0, "off": 0},
    }

    def current_settings(self, controller: Controller) -> dict[ToolSetting, str]:
        """The settings that can be changed.

        Each volume has ``wrcache`` …, and the controller ``cacheflushint``, rates and the alarm.
        """
        found = reported([pair for volume in controller.volumes for pair in _of_volume(volume)])
        interval = controller.cache.flush_interval_seconds if controller.cache is not None else None
        if interval is not None:
            found[controller.id, "cacheflushint"] = str(interval)
        found |= rates(controller, RATES)
        found |= alarm(controller, _ALARM)
        fixed = {_SETTINGS[name] for name, can in controller.capabilities.items() if name in _SETTINGS and not can.set}
        return {setting: value for setting, value in found.items() if setting[1] not in fixed}

    def assignments(
        self,
        controller: Controller,
        desired: Desired,
        current: Mapping[ToolSetting, str],  # noqa: ARG002 - MegaCli's way depends on it
    ) -> list[Assignment]:
        """The one assignment for a desired setting."""
        if desired.setting in RATES:
            affects = _RENAMED if desired.setting == "expand_rate" else ()
            return [Assignment((controller.id, RATES[desired.setting]), percent(desired), affects)]
        if desired.setting == "alarm":
            return [Assignment((controller.id, ALARM), _ALARM[desired.value])]
        if desired.setting == "flush_interval":
            return [Assignment((controller.id, "cacheflushint"), seconds(desired.value), RANGE)]
        volume = volume_of(controller, desired.object_id)
        if desired.setting == "write_policy":
            return [Assignment((volume.id, "wrcache"), _word(_WRITE, desired))]
        if desired.setting == "read_policy":
            return [Assignment((volume.id, "rdcache"), _word(_READ, desired))]
        if desired.setting == "io_policy":
            return [Assignment((volume.id, "iopolicy"), _word(_IO, desired))]
        _not_blocked(controller, volume)
        return [Assignment((volume.id, "pdcache"), _word(_DRIVES, desired), of_drives(controller, volume))]

    def action(self, command: str, number: str, setting: ToolSetting, value: str) -> Action:
        """``storcli64 /c0/v1 set wrcache=WB nolog J``."""
        _, _, volume = setting[0].partition("/")
        words = (
            command,
            f"/c{number}" + (f"/{volume}" if volume else ""),
            "set",
            f"{setting[1]}={value}",
            *OUTPUT_WORDS,
        )
        return Action(argv=words, timeout=TIMEOUT, lock=LOCK)

    def flush(self, command: str, number: str) -> Action:
        """``flushcache``: the controller's cache and those of its drives."""
        return Action(argv=(command, f"/c{number}", "flushcache", *OUTPUT_WORDS), timeout=FLUSH_TIMEOUT, lock=LOCK)


_SETTINGS = {
    "write_policy": "wrcache",
    "read_policy": "rdcache",
    "io_policy": "iopolicy",
    "drive_write_cache": "pdcache",
    "flush_interval": "cacheflushint",
}


def _of_volume(volume: Volume) -> Iterator[tuple[ToolSetting, str | None]]:
    cache = volume.cache
    if cache is None:
        return
    yield (volume.id, "wrcache"), _WRITE.get(cache.write_policy or "")
    yield (volume.id, "rdcache"), _READ.get(cache.read_policy or "")
    yield (volume.id, "iopolicy"), _IO.get(cache.io_policy or "")
    yield (volume.id, "pdcache"), _DRIVES.get(cache.drive_write_cache or "")


def _word(table: Mapping[str, str], desired: Desired) -> str:
    if desired.value == "adaptive":
        raise CannotError(
            "This tool supports read-ahead and none; it has no adaptive read-ahead.",
            alternative="The nearest value is read-ahead.",
        )
    if desired.value == "off" and desired.setting == "read_policy":
        raise CannotError("This tool cannot disable read caching.", alternative="The value none disables read-ahead.")
    if desired.value == "off":
        raise CannotError(
            "Every volume has a write policy; it cannot be off.", alternative="The nearest value is write-through."
        )
    if desired.value not in table:
        raise CannotError(f"The tool does not support the value {desired.value}.")
    return table[desired.value]


def _not_blocked(controller: Controller, volume: Volume) -> None:
    """``Block SSD Write Disk Cache Change = Yes``: the answer would be ``SSD Pd is present``."""
    blocked = any(
        label.lower().endswith(_BLOCKED) and value.strip().lower() == "yes"
        for label, value in controller.details.items()
    )
    array = by_id(controller.arrays, volume.array)
    drives = array.drives if array is not None else ()
    if blocked and any(drive.media == "ssd" for drive in controller.drives if drive.id in drives):
        raise CannotError(
            "The controller blocks changes to the write caches of SSDs (Block SSD Write Disk Cache Change)."
        )


# --- the tool's replies


def judge(text: str) -> str | None:
    """The tool's objection to a change. None if every row of its output is a success.

    The exit code means nothing: it is 0 on some failures, and a drive's error number on some successes. The reply to an
    unknown command is plain text, even if JSON was requested.
    """
    start, end = text.find("{"), text.rfind("}")
    if start == -1 or end < start:
        return _plain(text)
    try:
        answer = decode_text(text[start : end + 1], strict=False)
    except ValueError:
        return _plain(text)
    controllers = answer.get("Controllers") if isinstance(answer, dict) else None
    if not isinstance(controllers, list) or not controllers:
        return _plain(text)
    return next((fault for controller in controllers if (fault := _of_controller(controller))), None)


def _of_controller(controller: object) -> str | None:
    status = controller.get("Command Status") if isinstance(controller, dict) else None
    if not isinstance(status, dict):
        return "Its output has no status."
    rows = status.get("Detailed Status")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and (fault := _of_row(row)):
            return fault
    if str(status.get("Status", "")).strip().lower() != "success":
        description = str(status.get("Description") or "")
        return description if description not in ("", "None") else f"Status: {status.get('Status')}"
    return None


def _of_row(row: Mapping[str, object]) -> str | None:
    """``{"VD": 0, "Property": "wrCache", "Value": "WB", "Status": "Success", "ErrCd": 0, "ErrMsg": "-"}``."""
    code = str(row.get("ErrCd", "-")).strip()
    if str(row.get("Status", "")).strip().lower() == "success" and code in ("0", "-", "", "None"):
        return None
    printed = collapse(str(row.get("ErrMsg") or row.get("Status") or ""))[:200]
    return f"{printed or 'no reason'} (error {code})"


def _plain(text: str) -> str:
    """``Status = Failure`` and ``Description = syntax error, unexpected TOKEN_…``."""
    found = dict(line.split("=", 1) for line in text.splitlines() if "=" in line and "\x00" not in line)
    printed = next((value.strip() for label, value in found.items() if label.strip() == "Description"), "")
    if printed and printed != "None":
        return printed[:200]
    shown = collapse(text)[:200]
    return f"Its output could not be parsed: {shown}" if shown else "It printed nothing."
