"""Smart Array cache settings and the commands that set them. Pure.

=====================  ==========  =====================================================================
setting                object      command
=====================  ==========  =====================================================================
``arrayaccelerator``   volume      ``ctrl slot=1 ld 1 modify arrayaccelerator=enable``
``ssdsmartpath``       array       ``ctrl slot=1 array A modify ssdsmartpath=disable``
``cacheratio``         controller  ``ctrl slot=1 modify cacheratio=25/75``
``nobatterywritecache``  controller  ``ctrl slot=1 modify nobatterywritecache=disable``
``drivewritecache``    controller  ``ctrl slot=1 modify drivewritecache=disable``; on Gen10 and later, which keep
                                   one for each use of the drives, with ``usage=configured``
``rebuildpriority``    controller  ``ctrl slot=1 modify rebuildpriority=low|medium|mediumhigh|high``
``expandpriority``     controller  ``ctrl slot=1 modify expandpriority=high``
``writecachebypassthreshold``  controller  ``ctrl slot=1 modify writecachebypassthreshold=1040`` (KiB)
=====================  ==========  =====================================================================

The settings live in the controller's own memory and survive a reboot. The order of steps: what the controller refuses
before another step comes after it (Smart Path off, then caching on; a split while a volume uses the cache), and no
moment is less protected than both ends. Undoing goes backwards and keeps both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidctl.model import Controller, Tool, Volume
from raidctl.model.objects import by_id
from raidctl.request import Answer, RunAnswer
from raidctl.text import listing, regex
from raidctl.vendor.plan import Action, Desired, Flush, Plan, Refusal, Setting, ToolSetting
from raidctl.vendor.planner import CannotError, Planner, divided
from raidctl.vendor.setting_values import value
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_smartarray.dialogue import ENVIRONMENT, LOCK, TIMEOUT
from raidctl_smartarray.tools import NAMES
from raidctl_smartarray.vocabulary import normalized

_SMART_PATH = frozenset({"smart path", "ssd smart path", "hp ssd smart path", "hpe ssd smart path"})
_METHOD = frozenset({"ld acceleration method", "acceleration method"})
# Write Cache Bypass Threshold Size: 1040 KiB
_THRESHOLD = frozenset({"write cache bypass threshold size", "write cache bypass threshold"})
_KIB = regex(r"(\d+) *K(?:i?B)?", re.IGNORECASE)
_QUESTION = regex(r"\(y/n\)|\bcontinue\?", re.IGNORECASE)
# Configured Drive Write Cache Policy: Disable
_BY_USAGE = frozenset({"configured drive write cache policy"})
# Drive Write Cache: Disabled
_DRIVES = _BY_USAGE | {"drive write cache", "physical drive write cache", "physical drive write cache state"}
NO_SLOT = "The tool does not report the controller's slot, so it cannot be addressed."
_ON_OFF = {"enabled": "enable", "disabled": "disable"}
_SWITCH = {**_ON_OFF, "default": "default"}
_ORDER = {
    ("nobatterywritecache", "disable"): -3,
    ("ssdsmartpath", "disable"): -2,
    ("arrayaccelerator", "enable"): -1,
    ("arrayaccelerator", "disable"): 1,
    ("nobatterywritecache", "enable"): 2,
}
"""The position of a step. All others go in the middle, where a volume uses the cache if one does before or
afterwards."""
RATES: Mapping[Setting, str] = {"rebuild_rate": "rebuildpriority", "expand_rate": "expandpriority"}
_PRIORITIES = {word: word for word in ("low", "medium", "mediumhigh", "high")}
_WHOLE = "Applies to all volumes of the controller."
_EVERY_DRIVE = "Applies to the write caches of all drives of the controller."
_CONFIGURED = "Applies to the write caches of all drives in the controller's arrays."
_READS_TOO = "Reads of the volume are no longer cached either: the controller has one setting for both."


def current_settings(controller: Controller) -> dict[ToolSetting, str]:
    """Current values of the settings that the commands can change."""
    found: dict[ToolSetting, str] = {}
    cache = controller.cache
    if cache is not None and cache.read_percent is not None and cache.write_percent is not None:
        found[controller.id, "cacheratio"] = f"{cache.read_percent}/{cache.write_percent}"
    if cache is not None and cache.no_battery_write_cache is not None:
        found[controller.id, "nobatterywritecache"] = "enable" if cache.no_battery_write_cache else "disable"
    threshold = _detail(controller, _THRESHOLD)
    if threshold is not None and (match := _KIB.fullmatch(threshold)):
        found[controller.id, "writecachebypassthreshold"] = match[1]
    for setting, word in RATES.items():
        rate = value(controller, controller.id, setting)
        if rate in _PRIORITIES:
            found[controller.id, word] = rate
    for volume in controller.volumes:
        if volume.cache is None:
            continue
        if volume.cache.drive_write_cache is not None:
            found[controller.id, "drivewritecache"] = _drives(controller, volume.cache.drive_write_cache)
        if volume.cache.write_policy is not None:
            found[volume.id, "arrayaccelerator"] = (
                "disable" if volume.cache.write_policy == "write_through" else "enable"
            )
    for array in controller.arrays:
        for label, text in array.details.items():
            if normalized(label) in _SMART_PATH and normalized(text) in ("enable", "disable", "enabled", "disabled"):
                found[array.id, "ssdsmartpath"] = normalized(text).removesuffix("d")
    return found


def _drives(controller: Controller, reported: str) -> str:
    """The policy of the drives' caches as the command spells it.

    ``Unchanged`` is not a default, and has a separate word.
    """
    return "unchanged" if normalized(_detail(controller, _DRIVES) or "") == "unchanged" else _SWITCH[reported]


def _detail(controller: Controller, labels: frozenset[str]) -> str | None:
    """The value that the tool printed under one of these labels."""
    return next((text for label, text in controller.details.items() if normalized(label) in labels), None)


def plan(controller: Controller, requests: Sequence[Desired], tools: Sequence[Tool]) -> Plan:
    """The commands that lead from the current to the desired settings."""
    return _Planner(controller, command(controller, tools), current_settings(controller)).plan(requests)


def flushes(controller: Controller, tools: Sequence[Tool]) -> list[Flush]:
    """The flush, for which there is no command. Disabling a volume's caching writes its data out."""
    cache = controller.cache
    if controller.mode == "hba" or (cache is not None and cache.present is False):
        return [Flush(object_id=controller.id, why="No cache is in use.", lack="cache")]
    tool = tools[0].name if tools else "The tool"
    return [
        Flush(
            object_id=controller.id,
            why=f"{tool} has no command that flushes the cache.",
            alternative="Disabling a volume's caching writes its data back: `raidctl batch --write write-through "
            "VOLUME -- COMMAND` does so while COMMAND runs.",
        )
    ]


def judge(action: Action, answer: Answer) -> str | None:
    """The tool's objection to a change; None if it was made. On success it prints nothing.

    An objection follows ``Error:``; a warning may precede a change that it makes nevertheless. Any other output,
    including an unanswered question, is not a success.
    """
    if not isinstance(answer, RunAnswer):
        return None
    lines = [line.strip() for line in f"{answer.text}\n{answer.error_text}".splitlines() if line.strip()]
    for line in lines:
        # Error: This operation is not supported with the current configuration. …
        if line.lower().startswith("error"):
            return line
    printed = " ".join(lines)[:200]
    if answer.code not in (0, None):
        return f"{action.argv[0]} ended with exit code {answer.code}{f': {printed}' if printed else ''}"
    # Continue? (y/n)
    if lines and (not lines[0].lower().startswith("warning") or _QUESTION.search(printed)):
        return f"{action.argv[0]} prints nothing after a successful change, but printed: {printed}"
    return None


def command(controller: Controller, tools: Sequence[Tool]) -> str | None:
    """The tool that reported the controller."""
    tool = reporting_tool(controller, [tool for tool in tools if tool.name in NAMES])
    return command_of(tool) if tool is not None else None


@dataclass
class _Planner(Planner):
    """A plan under construction."""

    order = _ORDER
    ratio = "cacheratio"

    def add(self, desired: Desired) -> None:
        """Add the steps for one desired setting."""
        if value(self.controller, desired.object_id, desired.setting) == desired.value:
            self.already.append(desired)
        elif self.controller.slot is None or self.command is None:
            self.refuse(desired, "unknown", NO_SLOT)
        elif desired.setting == "write_policy":
            self.write_policy(desired)
        elif desired.setting == "cache_split":
            self.split(desired)
        elif desired.setting == "no_battery_write_cache":
            self.switch(desired, "nobatterywritecache", _ON_OFF, _WHOLE)
        elif desired.setting == "drive_write_cache":
            by_usage = _detail(self.controller, _BY_USAGE) is not None
            self.switch(desired, "drivewritecache", _SWITCH, _CONFIGURED if by_usage else _EVERY_DRIVE)
        elif desired.setting in RATES:
            self.switch(desired, RATES[desired.setting], _PRIORITIES, "Applies to all arrays of the controller.")
        elif desired.setting == "bypass_threshold":
            self.bypass(desired)
        else:
            reason, nearest = _LACKS.get(desired.setting, ("The controllers have no such setting.", None))
            self.refuse(desired, "unsupported", reason, nearest)

    def conflicts(self, requests: Sequence[Desired]) -> Iterator[Refusal]:
        """Refuse two kinds of write-back, and a split without a caching volume.

        If no volume would use the cache, the tool stops showing the split.
        """
        yield from divided(requests)
        values = {**self.current, **self.changed}
        cached = any(setting == "arrayaccelerator" and value == "enable" for (_, setting), value in values.items())
        for desired in requests if (self.controller.id, "cacheratio") in self.changed and not cached else ():
            if desired.setting == "cache_split":
                reason = "No volume would use the cache; the tool then shows no split, so it could not be verified."
                yield Refusal(
                    desired=desired, kind="unsupported", reason=reason, alternative="Omit one of the two settings."
                )

    def switch(self, desired: Desired, setting: str, words: Mapping[str, str], affects: str) -> None:
        """A switch of the whole controller."""
        if desired.value not in words:
            self.refuse(
                desired, "unsupported", f"The controllers support {listing(list(words), 'and')}, not {desired.value}."
            )
        else:
            self.set((self.controller.id, setting), words[desired.value], affects)

    def bypass(self, desired: Desired) -> None:
        """Plan the size from which requests bypass the cache.

        The size is 16 to 1040 KiB in steps of 16. Requests of this size and more bypass the cache.
        """
        size = int(desired.value) if desired.value.isdecimal() and len(desired.value) < 6 else 0
        if not 16 <= size <= 1040 or size % 16:
            self.refuse(desired, "unsupported", "The threshold must be 16 to 1040 KiB, in steps of 16.")
        elif self.current.get((self.controller.id, "writecachebypassthreshold")) == desired.value:
            self.already.append(desired)
        else:
            affects = "Requests of this size or larger bypass the cache, on all volumes of the controller."
            self.set((self.controller.id, "writecachebypassthreshold"), str(size), affects)

    def write_policy(self, desired: Desired) -> None:
        """Write-through means the accelerator off, unprotected write-back means the no-battery cache on."""
        volume = by_id(self.controller.volumes, desired.object_id)
        if volume is None:
            raise CannotError("The controllers have a write policy for volumes only.")
        if desired.value == "off":
            self.refuse(
                desired,
                "unsupported",
                "The controllers only support caching on or off.",
                "Use write-through: caching off.",
            )
            return
        if desired.value == "write_through":
            self.set((volume.id, "arrayaccelerator"), "disable", _READS_TOO)
            return
        if self.mode_has_no_cache(desired) or self.bypassed(desired, volume):
            return
        self.free_of_smart_path(volume)
        battery = "enable" if desired.value == "unprotected_write_back" else "disable"
        no_battery = (self.controller.id, "nobatterywritecache")
        # first the safe direction, so that no moment is less protected than both ends
        if battery == "disable" and self.current.get(no_battery) == "enable":
            self.set(no_battery, "disable", _WHOLE)
        self.set((volume.id, "arrayaccelerator"), "enable", "Reads of the volume are cached as well.")
        if battery == "enable":
            self.set(no_battery, "enable", _WHOLE)

    def mode_has_no_cache(self, desired: Desired) -> bool:
        """Refuse settings that need a cache if there is none."""
        cache = self.controller.cache
        if self.controller.mode == "hba":
            self.refuse(desired, "unsupported", "The controller is in HBA mode: it caches nothing.")
        elif cache is not None and cache.present is False:
            self.refuse(desired, "unsupported", "The controller has no cache board.")
        else:
            return False
        return True

    def bypassed(self, desired: Desired, volume: Volume) -> bool:
        """Refuse a volume on SSD Smart Path whose setting is unknown.

        The setting is the array's, and could not be restored if it is unknown.
        """
        # LD Acceleration Method: HPE SSD Smart Path
        reported = next((text for label, text in volume.details.items() if normalized(label) in _METHOD), "")
        if normalized(reported) not in _SMART_PATH or (volume.array, "ssdsmartpath") in self.current:
            return False
        reason = "SSD Smart Path bypasses the cache; its setting is not reported, so it could not be restored."
        self.refuse(desired, "unknown", reason)
        return True

    def free_of_smart_path(self, volume: Volume) -> None:
        """Disable SSD Smart Path first, for the whole array. It bypasses the cache."""
        if volume.array is not None and self.current.get((volume.array, "ssdsmartpath")) == "enable":
            text = "SSD Smart Path is disabled for all volumes of the array."
            self.set((volume.array, "ssdsmartpath"), "disable", text)

    def action(self, setting: ToolSetting, wanted: str) -> Action:
        """The command that changes a setting. A version without ``forced`` rejects it and changes nothing."""
        tail = setting[0].removeprefix(self.controller.id).removeprefix("/")
        target = () if not tail else ("ld", tail[1:]) if setting[1] == "arrayaccelerator" else ("array", tail)
        words = (
            self.command or "",
            "ctrl",
            f"slot={self.controller.slot}",
            *target,
            "modify",
            f"{setting[1]}={wanted}",
        )
        if setting[1] == "drivewritecache" and _detail(self.controller, _BY_USAGE) is not None:
            words = (*words, "usage=configured")
        return Action(argv=(*words, "forced"), timeout=TIMEOUT, lock=LOCK, environment=ENVIRONMENT)


_LACKS: dict[str, tuple[str, str | None]] = {
    "read_policy": (
        "The controllers have no read-ahead setting per volume.",
        "Set the read share of the cache: `raidctl cache split CONTROLLER 0/100`.",
    ),
    "io_policy": ("The controllers do not distinguish direct and cached I/O.", None),
    "flush_interval": ("The controllers neither show nor set a flush interval.", None),
}
