"""The alarm of MegaRAID controllers: ``/c0 set alarm=silence``, ``-AdpSetProp AlarmSilence``. Pure.

On and off are settings, see :mod:`raidctl_megaraid.change`.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Controller, Tool
from raidctl.request import Dialogue, ask_all
from raidctl.vendor.locating import Shape
from raidctl.vendor.plan import Action
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_megaraid.change import judge, tool_number
from raidctl_megaraid.change.commands import TIMEOUT
from raidctl_megaraid.collect.tool_call import LOCK
from raidctl_megaraid.tools import KINDS, SECOND_GENERATION

__all__ = ["SHAPES", "judge", "silence"]

SHAPES: tuple[Shape, ...] = (
    (r"/c\d{1,3}", "set", "alarm=silence", "nolog", "J"),
    ("-AdpSetProp", "AlarmSilence", r"-a\d{1,3}", "-NoLog"),
)


def silence(controller: Controller, tools: Sequence[Tool]) -> Dialogue[Action | str]:
    """The command of the tool that reported the controller."""
    yield from ask_all([])  # nothing has to be asked
    tool = reporting_tool(controller, tools)
    kind = KINDS.get(tool.name) if tool is not None else None
    number = tool_number(controller)
    if controller.alarm is not None and controller.alarm.present is False:
        return "The controller has no alarm."
    if tool is None or kind is None or number is None:
        return "The tool that reported the controller, or the controller's number there, is unknown."
    if kind in SECOND_GENERATION:
        return "raidctl has no command of this tool for the alarm."
    command = command_of(tool)
    if kind == "megacli":
        return Action(
            argv=(command, "-AdpSetProp", "AlarmSilence", f"-a{number}", "-NoLog"), timeout=TIMEOUT, lock=LOCK
        )
    return Action(argv=(command, f"/c{number}", "set", "alarm=silence", "nolog", "J"), timeout=TIMEOUT, lock=LOCK)
