"""Changes of a MegaRAID's settings, with the commands of the tool that reported the controller. Pure.

The settings are kept in the controller's own memory and survive a reboot; their commands are in :mod:`.storcli` and
:mod:`.megacli`. Steps that make data safer come first, those that make it less safe last, and undoing goes backwards:
at no moment is a change less safe than the less safe of its two ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from raidctl.model import Controller, Tool, Volume
from raidctl.model.objects import by_id
from raidctl.request import Answer, RunAnswer
from raidctl.text import collapse, regex
from raidctl.vendor.plan import Action, Desired, Flush, Plan, Refusal, Step, ToolSetting
from raidctl.vendor.planner import CannotError, Planner
from raidctl.vendor.setting_values import RATES, value
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_megaraid.change import megacli, mfi_flush, storcli
from raidctl_megaraid.change.commands import CACHED, Assignment, Grammar
from raidctl_megaraid.tools import KINDS, SECOND_GENERATION

_STORCLI, _MEGACLI = storcli.StorCli(), megacli.MegaCli()
_NUMBER = regex(r"megaraid:(\d+)(?:-\d+)?", re.ASCII)
"""The tool's number of the controller. A second one of that number, of another tool, is ``megaraid:0-2``."""
_PRESERVED = (
    "A flush does not write the preserved cache of an offline volume: reconnect the volume's drives and import "
    "the foreign configuration."
)


def current_settings(controller: Controller) -> dict[ToolSetting, str]:
    """The settings that the commands can change, as the tool spells them. Empty if the tool is unknown."""
    grammar = _grammar(controller.told_by)
    return grammar.current_settings(controller) if grammar is not None else {}


def plan(controller: Controller, requests: Sequence[Desired], tools: Sequence[Tool]) -> Plan:
    """The commands that lead from the current to the desired settings."""
    route = _route(controller, tools)
    if route is None:
        return _plan_without_tool(controller, requests)
    current = route.grammar.current_settings(controller)
    return _Planner(controller, route.command, current, route=route, desired=requests).plan(requests)


def flushes(controller: Controller, tools: Sequence[Tool]) -> list[Flush]:
    """The command that flushes the controller's cache, or why there is none."""
    cache, can = controller.cache, controller.capabilities.get("flush")
    if controller.mode == "hba" or (cache is not None and cache.present is False):
        return [Flush(object_id=controller.id, why="It has no cache in use.", lack="cache")]
    if can is not None and not can.set:
        return [Flush(object_id=controller.id, why=can.why, alternative=_THROUGH)]
    left = _PRESERVED if cache is not None and cache.preserved_data else None
    own = mfi_flush.flush(controller, tools)
    if own is not None:
        return [Flush(object_id=controller.id, action=own, alternative=left)]
    route = _route(controller, tools)
    if route is None:
        return [Flush(object_id=controller.id, why=_TOOL_UNKNOWN)]
    return [Flush(object_id=controller.id, action=route.grammar.flush(route.command, route.number), alternative=left)]


_TOOL_UNKNOWN = "The tool that reported this controller, or the controller's number there, is unknown."
_THROUGH = (
    "A volume in write-through has no unwritten data: `raidctl batch --write write-through VOLUME -- COMMAND` sets it "
    "while a command runs."
)


def judge(action: Action, answer: Answer) -> str | None:
    """The tool's objection to a change, in its own words. Its output decides, never its exit code."""
    if not isinstance(answer, RunAnswer):
        return None
    if mfi_flush.is_flush(action):
        return mfi_flush.judge(answer.text)
    # /c0/v1 … of storcli, -LDSetProp … of MegaCli; a tool's name may be anything
    path = action.argv[1] if len(action.argv) > 1 else ""
    read = storcli.judge if path.startswith("/") else megacli.judge
    fault = read(answer.text)
    if fault is not None and not answer.text.strip() and answer.error_text.strip():
        return collapse(answer.error_text)[:200]
    return fault


def _grammar(name: str | None) -> Grammar | None:
    kind = KINDS.get(name or "")
    return None if kind is None else _MEGACLI if kind == "megacli" else _STORCLI


class _Route(NamedTuple):
    """The tool for a controller, and the controller's number there."""

    grammar: Grammar
    command: str
    number: str


def tool_number(controller: Controller) -> str | None:
    """The tool's own number of a controller. None if its id has another form.

    ``megaraid:0-2`` has number 0: each tool numbers the controllers that it sees.
    """
    number = _NUMBER.fullmatch(controller.id)
    return None if number is None else number[1]


def _route(controller: Controller, tools: Sequence[Tool]) -> _Route | None:
    """The tool that reported the controller, and the controller's number there."""
    tool = reporting_tool(controller, tools)
    grammar = _grammar(tool.name) if tool is not None else None
    number = tool_number(controller)
    if tool is None or grammar is None or number is None:
        return None
    return _Route(grammar, command_of(tool), number)


def _plan_without_tool(controller: Controller, requests: Sequence[Desired]) -> Plan:
    already = tuple(
        desired for desired in requests if value(controller, desired.object_id, desired.setting) == desired.value
    )
    refused = [_refusal(controller, desired) for desired in requests if desired not in already]
    return Plan(desired=tuple(requests), already=already, refusals=tuple(refused))


def _refusal(controller: Controller, desired: Desired) -> Refusal:
    """Explain why no tool can set it."""
    if desired.setting in _LACKS:
        return Refusal(
            desired=desired,
            kind="unsupported",
            reason=_LACKS[desired.setting][0],
            alternative=_LACKS[desired.setting][1],
        )
    can = controller.capabilities.get(desired.setting)
    if can is not None and not can.set and can.why is not None:
        return Refusal(desired=desired, kind="unsupported", reason=can.why)
    return Refusal(desired=desired, kind="unknown", reason=_TOOL_UNKNOWN)


@dataclass
class _Planner(Planner):
    """A plan under construction."""

    route: _Route = field(kw_only=True)
    desired: Sequence[Desired] = field(kw_only=True)

    def add(self, desired: Desired) -> None:
        """Add what a desired setting needs."""
        active = value(self.controller, desired.object_id, desired.setting) == desired.value
        if active and not self.cached(desired):
            self.already.append(desired)
            return
        self.require_possible(desired)
        for one in self.assignments(desired):
            self.set(one.setting, one.value, *one.affects)

    def require_possible(self, desired: Desired) -> None:
        """Check that controller, tool and raidctl can fulfil such a request.

        Raises:
            CannotError: They cannot.
        """
        if desired.setting in RATES:
            if KINDS.get(self.controller.told_by or "") in SECOND_GENERATION:
                raise CannotError("raidctl has no command of this tool that sets the rate.")
            return
        if desired.setting == "alarm":
            _require_alarm(self.controller)
            return
        if desired.setting in _LACKS:
            raise CannotError(_LACKS[desired.setting][0], alternative=_LACKS[desired.setting][1])
        can = self.controller.capabilities.get(desired.setting)
        if can is None:
            raise CannotError("The controllers have no such setting.")
        if not can.set:
            raise CannotError(can.why or "The tool has no command for it.")

    def assignments(self, desired: Desired) -> list[Assignment]:
        """The assignments for a desired setting. Write-through is safe with direct I/O only, so it sets both."""
        assignments = self.route.grammar.assignments(self.controller, desired, self.current)
        if (desired.setting, desired.value) == ("io_policy", "cached"):
            return [Assignment(one.setting, one.value, (f"{CACHED}.",)) for one in assignments]
        if not self.cached(desired):
            return assignments
        direct = Desired(object_id=desired.object_id, setting="io_policy", value="direct")
        affects = (f"{CACHED}, so write-through also sets direct I/O: reads are no longer cached.",)
        more = [
            Assignment(one.setting, one.value, affects)
            for one in self.route.grammar.assignments(self.controller, direct, {})
        ]
        return [*assignments, *more]

    def cached(self, desired: Desired) -> bool:
        """Whether a future write-through volume has cached I/O that stays unchanged."""
        if (desired.setting, desired.value) != ("write_policy", "write_through"):
            return False
        volume = self.volume(desired.object_id)
        if volume is None or volume.cache is None or volume.cache.io_policy != "cached":
            return False
        can = self.controller.capabilities.get("io_policy")
        asked = Desired(object_id=desired.object_id, setting="io_policy", value="cached")
        return can is not None and can.set and asked not in self.desired

    def volume(self, object_id: str) -> Volume | None:
        """A volume of the controller by its id."""
        return by_id(self.controller.volumes, object_id)

    def restorable(self, name: str, before: str) -> bool:
        """Whether the tool has a word for a value."""
        return before in self.route.grammar.risks[name]

    def action(self, setting: ToolSetting, wanted: str) -> Action:
        """The command that sets a setting."""
        return self.route.grammar.action(self.route.command, self.route.number, setting, wanted)

    def position(self, step: Step) -> int:
        """Rank a step by safety: steps that make data safer come first."""
        risks = self.route.grammar.risks[step.setting]
        before, after = risks[step.before], risks[step.after]
        return (after > before) - (after < before)


def _require_alarm(controller: Controller) -> None:
    """Check that the alarm can be switched.

    Raises:
        CannotError: There is none, or the tool has no command for it.
    """
    if controller.alarm is not None and controller.alarm.present is False:
        raise CannotError("The controller has no alarm.")
    if KINDS.get(controller.told_by or "") in SECOND_GENERATION:
        raise CannotError("raidctl has no command of this tool for the alarm.")


_LACKS: dict[str, tuple[str, str | None]] = {
    "no_battery_write_cache": (
        "The controller has no separate setting for this: it is part of each volume's write policy.",
        "`raidctl cache set CONTROLLER --write unprotected-write-back`, or `protected-write-back`.",
    ),
    "write_cache": (
        "The controller sets the write caches of a volume's drives together.",
        "`raidctl cache set VOLUME --drive-cache off`, `on` or `default`.",
    ),
    "bypass_threshold": (
        "raidctl does not change the request size from which I/O bypasses the cache (cbsize, cbmode).",
        "The tool shows it as Cachebypass size and Cachebypass Mode.",
    ),
}
