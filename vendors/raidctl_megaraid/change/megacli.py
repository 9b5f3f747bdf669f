"""Changes with MegaCli.

=======================  ==========  ========================================================
setting                  object      command
=======================  ==========  ========================================================
``WritePolicy``          volume      ``-LDSetProp WT|WB|ForcedWB -L0 -a0``
``BadBBU``               volume      ``-LDSetProp NoCachedBadBBU|CachedBadBBU -L0 -a0``
``ReadPolicy``           volume      ``-LDSetProp NORA|RA|ADRA -L0 -a0``
``IoPolicy``             volume      ``-LDSetProp Direct|Cached -L0 -a0``
``DskCache``             volume      ``-LDSetProp -DisDskCache|-EnDskCache -L0 -a0``
``CacheFlushInterval``   controller  ``-AdpSetProp CacheFlushInterval -4 -a0``
``RebuildRate`` …        controller  ``-AdpSetProp RebuildRate -60 -a0``
``alarm``                controller  ``-AdpSetProp AlarmEnbl|AlarmDsbl -a0``
=======================  ==========  ========================================================

Write-back has two words in this dialect: the write policy, and whether it continues with a bad battery. The drives' own
default of their caches can be read and not set. ``-NoLog`` keeps ``MegaSAS.log`` out of the working directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from raidctl.model import Controller, Volume
from raidctl.text import collapse, regex
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
from raidctl_megaraid.infer import BAD_BBU
from raidctl_megaraid.megacli.failure import in_words

READ = {"none": "NORA", "read_ahead": "RA", "adaptive": "ADRA"}
_ADAPTIVE = ("Adaptive read-ahead is set or restored with ADRA, which newer versions of MegaCli may reject.",)
_IO = {"direct": "Direct", "cached": "Cached"}
_DRIVES = {"disabled": "-DisDskCache", "enabled": "-EnDskCache", "default": "Disk's Default"}
_ALARM = {"enabled": "AlarmEnbl", "disabled": "AlarmDsbl"}
_BATTERY = {"No": "NoCachedBadBBU", "Yes": "CachedBadBBU"}

RATES: Mapping[Setting, str] = {
    "rebuild_rate": "RebuildRate", "check_rate": "CCRate", "patrol_read_rate": "PatrolReadRate",
    "initialize_rate": "BgiRate", "expand_rate": "ReconRate",
}  # fmt: skip


class MegaCli:
    """The grammar of MegaCli, under all of its names."""

    risks: Mapping[str, Mapping[str, int]] = {
        "WritePolicy": {"WT": 0, "WB": 1, "ForcedWB": 2},
        "BadBBU": {"NoCachedBadBBU": 0, "CachedBadBBU": 1},
        "ReadPolicy": {"NORA": 0, "RA": 0, "ADRA": 0},
        "IoPolicy": {"Direct": 0, "Cached": 1},
        "DskCache": {"-DisDskCache": 0, "-EnDskCache": 2},
        "CacheFlushInterval": {str(number): number for number in range(256)},
        **dict.fromkeys(RATES.values(), PERCENT),
        ALARM: {"AlarmEnbl": 0, "AlarmDsbl": 0},
    }

    def current_settings(self, controller: Controller) -> dict[ToolSetting, str]:
        """``WritePolicy`` … of each volume, ``CacheFlushInterval`` of the controller."""
        found = reported([pair for volume in controller.volumes for pair in _of_volume(volume)])
        interval = controller.cache.flush_interval_seconds if controller.cache is not None else None
        if interval is not None:
            found[controller.id, "CacheFlushInterval"] = str(interval)
        found |= rates(controller, RATES)
        found |= alarm(controller, _ALARM)
        return found

    def assignments(
        self, controller: Controller, desired: Desired, current: Mapping[ToolSetting, str]
    ) -> list[Assignment]:
        """The assignments for a desired setting: a write policy may take two."""
        if desired.setting in RATES:
            return [Assignment((controller.id, RATES[desired.setting]), percent(desired))]
        if desired.setting == "alarm":
            return [Assignment((controller.id, ALARM), _ALARM[desired.value])]
        if desired.setting == "flush_interval":
            return [Assignment((controller.id, "CacheFlushInterval"), seconds(desired.value), RANGE)]
        volume = volume_of(controller, desired.object_id)
        _one_number(volume)
        if desired.setting == "write_policy":
            return _write(volume, desired.value, current)
        if desired.setting == "drive_write_cache":
            if desired.value == "default":
                raise CannotError(
                    "MegaCli can enable or disable the drives' write caches, but not restore their default."
                )
            return [Assignment((volume.id, "DskCache"), _DRIVES[desired.value], of_drives(controller, volume))]
        name, table = ("ReadPolicy", READ) if desired.setting == "read_policy" else ("IoPolicy", _IO)
        if desired.value not in table:
            raise CannotError(f"MegaCli does not support the value {desired.value}.")
        adaptive = "ADRA" in (table[desired.value], current.get((volume.id, name)))
        return [Assignment((volume.id, name), table[desired.value], _ADAPTIVE if adaptive else ())]

    def action(self, command: str, number: str, setting: ToolSetting, value: str) -> Action:
        """``MegaCli -LDSetProp WB -L0 -a0 -NoLog``."""
        _, _, volume = setting[0].partition("/v")
        if setting[1] == "CacheFlushInterval" or setting[1] in RATES.values():
            words: tuple[str, ...] = ("-AdpSetProp", setting[1], f"-{value}")
        elif setting[1] == ALARM:
            words = ("-AdpSetProp", value)
        else:
            words = ("-LDSetProp", value, f"-L{volume}")
        return Action(argv=(command, *words, f"-a{number}", "-NoLog"), timeout=TIMEOUT, lock=LOCK)

    def flush(self, command: str, number: str) -> Action:
        """``-AdpCacheFlush``: the controller's cache."""
        return Action(argv=(command, "-AdpCacheFlush", f"-a{number}", "-NoLog"), timeout=FLUSH_TIMEOUT, lock=LOCK)


def _of_volume(volume: Volume) -> Iterator[tuple[ToolSetting, str | None]]:
    cache = volume.cache
    if cache is None:
        return
    # Default Cache Policy: WriteBack, ReadAheadNone, Direct, No Write Cache if Bad BBU
    battery = _BATTERY.get(volume.details.get(BAD_BBU, ""))
    forced = "WB" if battery == "CachedBadBBU" else "ForcedWB" if battery else None
    write = {"write_through": "WT", "protected_write_back": "WB", "unprotected_write_back": forced}
    yield (volume.id, "WritePolicy"), write.get(cache.write_policy or "")
    yield (volume.id, "BadBBU"), battery
    yield (volume.id, "ReadPolicy"), READ.get(cache.read_policy or "")
    yield (volume.id, "IoPolicy"), _IO.get(cache.io_policy or "")
    yield (volume.id, "DskCache"), _DRIVES.get(cache.drive_write_cache or "")


def _one_number(volume: Volume) -> None:
    """Refuse a volume whose number differs from its target, as commands would be ambiguous."""
    # Virtual Drive: 0 (Target Id: 3)
    if "Virtual Drive" in volume.details:
        raise CannotError(
            f"MegaCli lists the volume as number {volume.details['Virtual Drive']} and shows a different target: "
            "it is unclear which of the two its commands use.",
            kind="unknown",
            alternative="Use storcli or perccli, which use one number per volume.",
        )


def _write(volume: Volume, value: str, current: Mapping[ToolSetting, str]) -> list[Assignment]:
    policy, battery = (volume.id, "WritePolicy"), (volume.id, "BadBBU")
    if value == "write_through":
        return [Assignment(policy, "WT")]
    if value == "protected_write_back":
        return [Assignment(policy, "WB"), Assignment(battery, "NoCachedBadBBU")]
    if value == "unprotected_write_back":
        forced = current.get(policy) == "ForcedWB"
        return [Assignment(policy, "ForcedWB" if forced else "WB"), Assignment(battery, "CachedBadBBU")]
    raise CannotError(
        "Every volume has a write policy; it cannot be off.", alternative="The nearest value is write-through."
    )


# --- the tool's replies

# Exit Code: 0x00
EXIT_CODE = regex(r"(?m)^\s*Exit Code:\s*0x([0-9a-f]{1,8})\s*$", re.IGNORECASE)
# Set Write Policy to WriteBack on Adapter 0, VD 0 (target id: 0) success
_DONE = regex(r"\bsuccess(?:ful|fully)?\b", re.IGNORECASE)
_NOT_DONE = regex(r"\bfail|\berror\b|\bnot supported\b|\binvalid\b|\bwrong\b|does ?n.t exist|not exist|not present")
# Battery is not present or is bad. So policy Change to WB will not come into effect immediately
_WARNING = regex(r"\bbattery\b|come into effect", re.IGNORECASE)


def judge(text: str) -> str | None:
    """The tool's objection to a change. None if it reports success and ends with ``Exit Code: 0x00``.

    Without permission it prints that last line alone, so it is not enough. A warning that write-back is set and waits
    for its battery may accompany a success; the active policy is read afterwards.
    """
    ends = EXIT_CODE.findall(text)
    lines = [collapse(line) for line in text.splitlines() if line.strip()]
    printed = [line for line in lines if not EXIT_CODE.match(line)]
    bad = next((line for line in printed if _NOT_DONE.search(line.lower()) and not _WARNING.search(line)), None)
    if bad is not None:
        return bad[:200]
    if not ends:
        return f"It ended without an exit code: {' '.join(printed)[:200]}" if printed else "It printed nothing."
    code = int(ends[-1], 16)
    if code:
        return in_words(code, " ".join(printed)[:200])
    if not any(_DONE.search(line) for line in printed):
        return f"It does not report success: {' '.join(printed)[:200] or 'nothing but its exit code'}"
    return None
