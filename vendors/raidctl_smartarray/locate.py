"""Smart Array locate LEDs: ``ctrl slot=1 pd 1I:1:4 modify led=on``. Pure.

No tool of the family reports whether an LED is on. With ``duration``, which newer versions list in their help, the
controller switches it off itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Drive, Tool
from raidctl.request import Dialogue, Run, ask
from raidctl.text import regex
from raidctl.vendor.locating import Light, NoLight, Shape, never_shown
from raidctl.vendor.plan import Action
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_smartarray.change import judge
from raidctl_smartarray.dialogue import ENVIRONMENT, LOCK, TIMEOUT

__all__ = ["SHAPES", "judge", "lights", "lit"]

lit = never_shown

_ADDRESS = r"(?:\d{1,3}[IE]?:)?\d{1,3}:\d{1,3}"
_SLOT = r"\w{1,8}"
_TARGET: Shape = ("ctrl", rf"slot={_SLOT}", "pd", _ADDRESS, "modify")
SHAPES: tuple[Shape, ...] = (
    ("help", "led"),
    (*_TARGET, "led=(?:on|off)"),
    (*_TARGET, "led=on", r"duration=\d{1,6}"),
)
# <target> modify led=on|off [duration=<seconds>]
_DURATION = regex(r"\bduration=", re.IGNORECASE)


def lights(
    controller: Controller, drives: Sequence[Drive], tools: Sequence[Tool], seconds: float
) -> Dialogue[list[Light | NoLight]]:
    """The LED of each drive. The help text shows whether this version has ``duration``."""
    tool = reporting_tool(controller, tools)
    if tool is None or controller.slot is None or not re.fullmatch(_SLOT, controller.slot):
        why = "the tool that reported the controller, or the controller's slot, is unknown"
        return [NoLight(drive.id, why) for drive in drives]
    command = command_of(tool)
    answer = yield from ask(Run((command, "help", "led"), timeout=TIMEOUT, lock=LOCK, environment=ENVIRONMENT))
    limit = seconds if answer.fine and _DURATION.search(answer.text) else None
    return [_light(drive, (command, "ctrl", f"slot={controller.slot}"), limit) for drive in drives]


def _light(drive: Drive, controller: tuple[str, ...], limit: float | None) -> Light | NoLight:
    address = drive.id.rpartition("/")[2]
    if not re.fullmatch(_ADDRESS, address):
        return NoLight(drive.id, "the tool does not report its port, box and bay")
    words = (*controller, "pd", address, "modify")
    duration = () if limit is None else (f"duration={int(limit)}",)
    return Light(
        object_id=drive.id,
        on=_action((*words, "led=on", *duration)),
        off=_action((*words, "led=off")),
        limit_seconds=limit,
    )


def _action(argv: tuple[str, ...]) -> Action:
    return Action(argv=argv, timeout=TIMEOUT, lock=LOCK, environment=ENVIRONMENT)
