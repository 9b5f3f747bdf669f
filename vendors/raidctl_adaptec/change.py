"""Changes of a controller's cache by ``arcconf setcache``.

The module plans them and judges the tool's replies. Pure.

The settings and their commands are in :mod:`raidctl_adaptec.settings`. They live in the controller's own memory and
survive a reboot. Setting a value that is already set is an error for arcconf, so no such command is ever planned.

``con`` and ``coff`` switch the caching of a volume of a smartpqi controller; no available manual has them, so each plan
with them notes it. The number of a drive cache policy (``drivewritecachepolicy Configured 1``) has no meaning that
raidctl could verify, so that is not offered.

The order of steps: a split is set while a volume uses the cache, and no moment is less protected than both ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from raidctl.model import Controller, Tool
from raidctl.model.objects import by_id
from raidctl.request import Answer, RunAnswer
from raidctl.vendor.identity import controller_number
from raidctl.vendor.plan import Action, Desired, Flush, Plan, Refusal, Setting, ToolSetting
from raidctl.vendor.planner import Planner, divided
from raidctl.vendor.setting_values import RATES, value
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_adaptec.dialogue import LOCK, TIMEOUT
from raidctl_adaptec.grammar import FOUND, TRAILER
from raidctl_adaptec.settings import (
    OF_DRIVE,
    READ,
    SWITCH,
    WRITE,
    address,
    bypass_threshold,
    current_settings,
    smartpqi,
    volume_number,
)

__all__ = ["current_settings", "flushes", "judge", "plan"]

_ORDER = {
    ("nobatterywritecache", "disable"): -2,
    ("caching", "con"): -1,
    ("caching", "coff"): 1,
    ("nobatterywritecache", "enable"): 2,
}
"""The position of a step; all others in the middle."""
_WHOLE = "It acts on all volumes of the controller."
_READS_TOO = "Reads of the volume are no longer cached either: the controller switches both together."
_UNVERIFIED = "It is not verified that this arcconf supports con and coff; if not, it refuses and changes nothing."
_EVERY_DRIVE = "It acts on the write caches of all drives of the controller."
_THRESHOLDS = frozenset(map(str, range(16, 1041, 16)))
"""KiB; Microchip's documentation of maxView, "Enabling Cache Optimizations", names bounds and step."""


def plan(controller: Controller, requests: Sequence[Desired], tools: Sequence[Tool]) -> Plan:
    """The commands that lead from the current to the desired settings."""
    tool = reporting_tool(controller, tools)
    command = command_of(tool) if tool is not None else None
    return _Planner(controller, command, current_settings(controller), newer=smartpqi(controller)).plan(requests)


def flushes(controller: Controller, tools: Sequence[Tool]) -> list[Flush]:  # noqa: ARG001 - the signature of all
    """Report that there is no such command. Setting a volume to write-through writes its data out."""
    cache = controller.cache
    if controller.mode == "hba" or (cache is not None and cache.present is False):
        return [Flush(object_id=controller.id, why="It has no cache in use.", lack="cache")]
    return [
        Flush(
            object_id=controller.id,
            why="arcconf has no command that flushes the cache.",
            alternative="Setting a volume to write-through flushes it: `raidctl batch --write write-through "
            "VOLUME -- COMMAND` sets it while a command runs.",
        )
    ]


def judge(action: Action, answer: Answer) -> str | None:
    """The tool's objection. None if the exit code is 0 and the closing line reports success."""
    if not isinstance(answer, RunAnswer):
        return None
    lines = [line.strip() for line in f"{answer.text}\n{answer.error_text}".splitlines() if line.strip()]
    trailers = [match for line in lines if (match := TRAILER.match(line))]
    # Command completed successfully.
    if answer.code == 0 and trailers and all("success" in match[1].lower() for match in trailers):
        return None
    printed = " ".join(line for line in lines if not FOUND.match(line) and not TRAILER.match(line))[:200]
    return f"{action.argv[0]} ended with exit code {answer.code}{f' and printed: {printed}' if printed else ''}"


@dataclass
class _Planner(Planner):
    """A plan under construction."""

    newer: bool | None = field(kw_only=True)
    """Whether it is a smartpqi controller; None if unknown."""

    order = _ORDER
    ratio = "cacheratio"

    def add(self, desired: Desired) -> None:
        """Add what a request needs."""
        if self.fulfilled(desired):
            self.already.append(desired)
        elif self.command is None or controller_number(self.controller) is None:
            self.refuse(
                desired, "unknown", "arcconf's number for the controller is unknown, so it cannot be addressed."
            )
        elif self.controller.mode == "hba":
            self.refuse(desired, "unsupported", "The controller is in HBA mode: it caches nothing.")
        elif self.newer is None:
            reason = "The controller's driver is unknown: aacraid and smartpqi take different commands."
            self.refuse(desired, "unknown", reason)
        elif self.newer:
            self.of_smartpqi(desired)
        else:
            self.of_aacraid(desired)

    def conflicts(self, requests: Sequence[Desired]) -> Iterator[Refusal]:
        """Refuse two kinds of write-back on a smartpqi controller."""
        if self.newer:
            yield from divided(requests)

    def fulfilled(self, desired: Desired) -> bool:
        """Whether a request is fulfilled already."""
        if desired.setting == "bypass_threshold":
            return desired.value == str(bypass_threshold(self.controller))
        return desired.value == value(self.controller, desired.object_id, desired.setting)

    def of_aacraid(self, desired: Desired) -> None:
        """Each volume has its own write and read cache."""
        modes: Mapping[str, str] = _MODES.get(desired.setting, {})
        if desired.value not in modes:
            self.refuse(desired, "unsupported", *_AACRAID.get(desired.setting, _NO_SUCH))
        elif desired.setting == "drive_write_cache":
            self.drives(desired)
        elif desired.setting == "write_policy" and value(self.controller, desired.object_id, desired.setting) == "off":
            self.refuse(desired, "unsupported", "The volume has no write cache: the tool reports it as not supported.")
        else:
            name = "readcache" if desired.setting == "read_policy" else "writecache"
            affects = ("Reads of the volume are no longer cached.",) if modes[desired.value] == "roff" else ()
            self.set((desired.object_id, name), modes[desired.value], *affects)

    def drives(self, desired: Desired) -> None:
        """Set all drives at once, only if all have the same value. One command has to restore them."""
        setting = (self.controller.id, "deviceall")
        if setting not in self.current:
            reason = "The tool does not report one setting for all drives, so a command for all could not be undone."
            self.refuse(desired, "unknown", reason, "`raidctl cache drive DRIVE on|off` sets each drive separately.")
            return
        self.set(setting, SWITCH[desired.value], _EVERY_DRIVE)

    def of_smartpqi(self, desired: Desired) -> None:
        """Caching is on or off for a volume. Ratio, protection and threshold are the controller's."""
        controller = self.controller.id
        if desired.setting == "write_policy" and desired.value in WRITE:
            self.caching(desired)
        elif desired.setting == "cache_split":
            self.split(desired)
        elif desired.setting == "no_battery_write_cache" and desired.value in SWITCH:
            self.set((controller, "nobatterywritecache"), SWITCH[desired.value], _WHOLE)
        elif desired.setting == "bypass_threshold":
            self.threshold(desired)
        else:
            self.refuse(desired, "unsupported", *_SMARTPQI.get(desired.setting, _NO_SUCH))

    def threshold(self, desired: Desired) -> None:
        """16 to 1040 KiB in steps of 16."""
        if desired.value not in _THRESHOLDS:
            self.refuse(desired, "unsupported", "The threshold is 16 to 1040 KiB, a multiple of 16.")
            return
        text = "Larger writes bypass the cache, on all volumes without parity."
        self.set((self.controller.id, "writecachebypassthreshold"), desired.value, text)

    def caching(self, desired: Desired) -> None:
        """Write-through means caching off, unprotected write-back means the no-battery cache on."""
        caching, no_battery = (desired.object_id, "caching"), (self.controller.id, "nobatterywritecache")
        if desired.value == "write_through":
            self.set(caching, "coff", _READS_TOO, _UNVERIFIED)
            return
        why = self.cannot_cache(desired.object_id)
        if why is not None:
            self.refuse(desired, "unsupported", *why)
            return
        battery = "enable" if desired.value == "unprotected_write_back" else "disable"
        # first the safe direction, so that no moment is less protected than both ends
        if battery == "disable" and self.current.get(no_battery) == "enable":
            self.set(no_battery, "disable", _WHOLE)
        self.set(caching, "con", "Reads of the volume are cached as well.", _UNVERIFIED)
        if battery == "enable":
            self.set(no_battery, "enable", _WHOLE)

    def cannot_cache(self, volume_id: str) -> tuple[str, str | None] | None:
        """Why a volume cannot be cached, and what would help."""
        cache = self.controller.cache
        if cache is not None and cache.present is False:
            return "The controller has no cache.", None
        reported = {
            label.lower(): text.lower()
            for v in self.controller.volumes
            if v.id == volume_id
            for label, text in v.details.items()
        }
        # LD Acceleration Method                     : SSD I/O Bypass
        if any("bypass" in text for label, text in reported.items() if "acceleration" in label):
            why = "SSD I/O bypass skips the controller's cache and must be disabled for the array first."
            return why, "Disable SSD I/O bypass in maxView or in the controller's setup utility."
        return None

    def action(self, setting: ToolSetting, wanted: str) -> Action:
        """The command that sets a setting. It includes ``noprompt`` if the tool's help lists it."""
        number = controller_number(self.controller) or ""
        argv = (self.command or "", "setcache", number, *self.words(setting, wanted))
        return Action(argv=argv, timeout=TIMEOUT, lock=LOCK)

    def words(self, setting: ToolSetting, wanted: str) -> tuple[str, ...]:
        """The words after ``setcache N``."""
        object_id, name = setting
        if name == "cacheratio":
            return (name, *wanted.split("/"))
        if name == "deviceall":
            return (name, wanted, "noprompt")
        if object_id == self.controller.id:
            return (name, wanted)
        drive = by_id(self.controller.drives, object_id)
        if drive is not None:
            return ("device", *(address(drive) or ()), wanted, "noprompt")
        return ("logicaldrive", volume_number(object_id), wanted, "noprompt")


_MODES: dict[Setting, Mapping[str, str]] = {
    "write_policy": WRITE,
    "read_policy": READ,
    "drive_write_cache": SWITCH,
    "write_cache": OF_DRIVE,
}
"""The values of an aacraid controller's settings, with the command's words."""
_Why = tuple[str, str | None]
_NO_SUCH: _Why = ("The controllers have no such setting.", None)
_AGED: _Why = ("Controllers with the aacraid driver have no such setting.", None)
_ONLY_SHOWN: dict[Setting, _Why] = dict.fromkeys(
    RATES, ("raidctl only shows the rates of these controllers.", "See the help of arcconf setpriority.")
)
_NUMBERS: _Why = (
    "arcconf takes the drive cache policy as a number, and the meaning of each number is undocumented.",
    "See the help of arcconf setcache on that machine.",
)
_ON_OFF: _Why = (
    "Write-back is either on or off; a volume always has a cache.",
    "write-through leaves no unwritten data in the cache.",
)
_AACRAID: dict[Setting, _Why] = {
    **_ONLY_SHOWN,
    "write_policy": _ON_OFF,
    "read_policy": (
        "The read cache of a volume is either on, with read-ahead, or off.",
        "--read read-ahead switches it on, --read off switches it off.",
    ),
    "drive_write_cache": (
        "arcconf sets the write caches of all drives either on or off; there is no third value.",
        None,
    ),
    "cache_split": _AGED,
    "no_battery_write_cache": _AGED,
    "bypass_threshold": _AGED,
}
_SMARTPQI: dict[Setting, _Why] = {
    **_ONLY_SHOWN,
    "write_policy": _ON_OFF,
    "read_policy": (
        "The controllers have no read-ahead setting per volume.",
        "Set the share of the cache for reads instead: `raidctl cache split CONTROLLER 0/100`.",
    ),
    "drive_write_cache": _NUMBERS,
    "write_cache": _NUMBERS,
}
