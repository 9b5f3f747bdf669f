"""MegaRAID locate LEDs: ``/c0/e252/s3 start locate`` and ``-PdLocate -start``. Pure.

No tool of the family reports whether an LED is on; MegaCli only reports that the firmware was sent the command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Drive, Tool
from raidctl.request import Dialogue
from raidctl.text import regex
from raidctl.vendor.locating import Light, NoLight, Shape, lights_without_query, never_shown
from raidctl.vendor.plan import Action
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_megaraid.change import judge, tool_number
from raidctl_megaraid.change.commands import TIMEOUT
from raidctl_megaraid.collect.tool_call import LOCK
from raidctl_megaraid.tools import KINDS

__all__ = ["SHAPES", "judge", "lights", "lit"]

lit = never_shown

SHAPES: tuple[Shape, ...] = (
    (r"/c\d{1,3}(?:/e\d{1,5})?/s\d{1,5}", "(?:start|stop)", "locate", "nolog", "J"),
    ("-PdLocate", "-(?:start|stop)", r"-physdrv\[\d{0,5}:\d{1,5}\]", r"-a\d{1,3}", "-NoLog"),
)
_PLACE = regex(r"(\d{0,5}):(\d{1,5})", re.ASCII)
# Supported PD Operations :
#   Deny Locate = Yes
_DENIED = "pd operations: deny locate"


def lights(
    controller: Controller,
    drives: Sequence[Drive],
    tools: Sequence[Tool],
    seconds: float,  # noqa: ARG001 - the signature of all; no tool of the family has a limit
) -> Dialogue[list[Light | NoLight]]:
    """The LED of each drive, by the tool that reported the controller."""
    tool = reporting_tool(controller, tools)
    kind = KINDS.get(tool.name) if tool is not None else None
    number = tool_number(controller)
    if tool is None or kind is None or number is None:
        return lights_without_query(drives, lambda drive: NoLight(drive.id, _no_tool(controller)))
    command = command_of(tool)
    return lights_without_query(drives, lambda drive: _light(drive, controller, command, kind, number))


def _no_tool(controller: Controller) -> str:
    if controller.told_by == "raidctl-mfi":
        return "raidctl does not switch LEDs through raidctl-mfi, which never confirms it; storcli or perccli can"
    return "the tool that reported the controller, or the controller's number there, is unknown"


def _light(drive: Drive, controller: Controller, command: str, kind: str, number: str) -> Light | NoLight:
    place = _PLACE.fullmatch(drive.id.rpartition("/")[2])
    if place is None:
        return NoLight(drive.id, "the tool does not report its enclosure and slot")
    if any(_is_refusal(label, text) for label, text in controller.details.items()):
        return NoLight(drive.id, "the controller does not permit it (Deny Locate = Yes)")
    enclosure, slot = place[1], place[2]
    if kind == "megacli":
        target = (f"-physdrv[{enclosure}:{slot}]", f"-a{number}", "-NoLog")
        return _switched(drive, (command, "-PdLocate", "-start", *target), (command, "-PdLocate", "-stop", *target))
    path = f"/c{number}/e{enclosure}/s{slot}" if enclosure else f"/c{number}/s{slot}"
    tail = ("locate", "nolog", "J")
    return _switched(drive, (command, path, "start", *tail), (command, path, "stop", *tail))


def _is_refusal(label: str, text: str) -> bool:
    return label.lower().endswith(_DENIED) and text.strip().lower() == "yes"


def _switched(drive: Drive, on: tuple[str, ...], off: tuple[str, ...]) -> Light:
    start, stop = (Action(argv=argv, timeout=TIMEOUT, lock=LOCK) for argv in (on, off))
    return Light(object_id=drive.id, on=start, off=stop)
