"""3ware locate LEDs: ``/c0/p5 set identify=on``. Pure.

Only a supported enclosure has them; ``/c0/p5 show identify`` shows whether one is on (CLI guide 10.2, pages 101, 116).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Drive, Tool
from raidctl.request import Answer, Dialogue, Run, RunAnswer
from raidctl.text import regex
from raidctl.vendor.locating import Light, NoLight, Shape, lights_without_query, lit_by, message_of
from raidctl.vendor.plan import Action
from raidctl.vendor.tools import command_of
from raidctl_threeware.dialogue import LOCK, TIMEOUT
from raidctl_threeware.vocabulary import PORT_ID

__all__ = ["SHAPES", "judge", "lights", "lit"]

_PATH = r"/c\d{1,3}/p\d{1,3}"
SHAPES: tuple[Shape, ...] = (
    (_PATH, "set", "identify=(?:on|off)"),
    (_PATH, "show", "identify"),
)
# Setting Port Identify on /c0/p5 to [on] ... Done.
_DONE = regex(r"Setting Port Identify on (?P<path>\S+) to \[(?P<to>on|off)\]\s*\.\.\.\s*Done", re.IGNORECASE)
# /c0/p5 Identify Status = On
_STATE = regex(r"(?im)^.*\bidentify\b.*?[=:]\s*\[?(?P<state>on|off)\b")


def lights(
    controller: Controller,  # noqa: ARG001 - the signature of all
    drives: Sequence[Drive],
    tools: Sequence[Tool],
    seconds: float,  # noqa: ARG001 - as above; the tool has no limit
) -> Dialogue[list[Light | NoLight]]:
    """The LED of each drive."""
    return lights_without_query(drives, lambda drive: _light(drive, tools))


def _light(drive: Drive, tools: Sequence[Tool]) -> Light | NoLight:
    port = PORT_ID.fullmatch(drive.id)
    if not tools or port is None:
        return NoLight(drive.id, "the tool or the drive's port is unknown")
    words = (command_of(tools[0]), f"/c{port[1]}/p{port[2]}")
    return Light(
        object_id=drive.id,
        on=Action(argv=(*words, "set", "identify=on"), timeout=TIMEOUT, lock=LOCK),
        off=Action(argv=(*words, "set", "identify=off"), timeout=TIMEOUT, lock=LOCK),
        look=Run((*words, "show", "identify"), timeout=TIMEOUT, lock=LOCK),
    )


def judge(action: Action, answer: Answer) -> str | None:
    """The tool's objection. None if it names this port, this state and ``Done``."""
    if not isinstance(answer, RunAnswer):
        return None
    message = message_of(answer)
    done = _DONE.search(message)
    if done and done["path"] == action.argv[1] and action.argv[-1] == f"identify={done['to'].lower()}":
        return None
    return message[:200] or f"{action.argv[0]} printed nothing"


def lit(answer: Answer) -> bool | None:
    """Whether the LED is on."""
    return lit_by(answer, _STATE)
