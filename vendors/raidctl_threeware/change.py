"""Rates of 3ware controllers: ``/c6 set rebuildrate=3`` and ``verifyrate=3``. Pure.

The levels are 1 to 5 (CLI guide 10.2, pages 63 and 64): with rebuild rate 5 a rebuild is fastest, with 1 other I/O is.
Nothing else is set on these controllers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from raidctl.model import Controller, Tool
from raidctl.request import Answer, RunAnswer
from raidctl.text import collapse, regex
from raidctl.vendor.identity import controller_number
from raidctl.vendor.plan import Action, Desired, Flush, Plan, Setting, ToolSetting
from raidctl.vendor.planner import CannotError, Planner
from raidctl.vendor.setting_values import ENDLESS, endless, value
from raidctl.vendor.tools import command_of
from raidctl_threeware.capability import SUPPORT
from raidctl_threeware.dialogue import LOCK, TIMEOUT

RATES: Mapping[Setting, str] = {"rebuild_rate": "rebuildrate", "check_rate": "verifyrate"}
NO_NUMBER = "The tool, or the controller's number there, is unknown."
LEVELS = ("1", "2", "3", "4", "5")
# Setting Rebuild Rate on /c6 to [3] ... Done.
_DONE = regex(r"\bdone\b", re.IGNORECASE)
_NOT_DONE = regex(r"\berror\b|\bfail|\binvalid\b|\bnot supported\b", re.IGNORECASE)


def current_settings(controller: Controller) -> dict[ToolSetting, str]:
    """The rates that the tool reports."""
    found = {word: value(controller, controller.id, setting) for setting, word in RATES.items()}
    return {(controller.id, word): rate for word, rate in found.items() if rate in LEVELS}


def plan(controller: Controller, requests: Sequence[Desired], tools: Sequence[Tool]) -> Plan:
    """The commands that lead from the current to the desired rates."""
    command = command_of(tools[0]) if tools else None
    return _Planner(controller, command, current_settings(controller)).plan(requests)


def flushes(controller: Controller, tools: Sequence[Tool]) -> list[Flush]:  # noqa: ARG001 - the signature of all
    """None: raidctl does not flush these caches."""
    return [Flush(object_id=controller.id, why=SUPPORT["flush"].why)]


def judge(action: Action, answer: Answer) -> str | None:
    """The tool's objection; None if it ends with ``Done``."""
    if not isinstance(answer, RunAnswer):
        return None
    printed = collapse(f"{answer.text} {answer.error_text}")
    if _DONE.search(printed) and not _NOT_DONE.search(printed):
        return None
    return printed[:200] or f"{action.argv[0]} printed nothing"


class _Planner(Planner):
    """A plan under construction."""

    def add(self, desired: Desired) -> None:
        """Add the command for a rate; everything else is refused."""
        word = RATES.get(desired.setting)
        if word is None or desired.object_id != self.controller.id:
            can = SUPPORT.get(desired.setting)
            raise CannotError((can.why if can is not None else None) or "The tool has no command for it.")
        if endless(desired.setting, desired.value):
            raise CannotError(ENDLESS)
        if desired.value not in LEVELS:
            raise CannotError(f"The controller's rates are levels, 1 to 5, not {desired.value}.")
        if self.command is None or controller_number(self.controller) is None:
            raise CannotError(NO_NUMBER, "unknown")
        self.set((self.controller.id, word), desired.value)

    def action(self, setting: ToolSetting, wanted: str) -> Action:
        """``tw_cli /c6 set rebuildrate=3``."""
        argv = (self.command or "", f"/c{controller_number(self.controller)}", "set", f"{setting[1]}={wanted}")
        return Action(argv=argv, timeout=TIMEOUT, lock=LOCK)
