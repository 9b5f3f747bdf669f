"""Locate LEDs: ``mvcli locate -o pd -i 0 -a on``, and ``off``. Pure.

Only drives whose ``Locate LED status`` is reported and supported, which those of the M.2 controllers are not. The
command's output is undocumented: ``info -o pd -i 0`` is read afterwards.
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
from raidctl_marvell.dialogue import LOCK, TIMEOUT

__all__ = ["SHAPES", "judge", "lights", "lit"]

_NUMBER = r"\d{1,4}"
SHAPES: tuple[Shape, ...] = (
    ("locate", "-o", "pd", "-i", _NUMBER, "-a", "on|off"),
    ("info", "-o", "pd", "-i", _NUMBER),
)
_DRIVE = regex(r"marvell:0/p(\d{1,4})", re.ASCII)
_REFUSED = regex(r"(?i)\b(?:error|fail\w*|invalid|not support\w*|no adapter|unknown|usage)\b")
# Locate LED status:   Not Support
_STATE = regex(r"(?im)^\s*Locate LED status *: *(?P<state>on|off)\b")


def lights(
    controller: Controller,  # noqa: ARG001 - the signature of all
    drives: Sequence[Drive],
    tools: Sequence[Tool],
    seconds: float,  # noqa: ARG001 - as above; the tool has no limit
) -> Dialogue[list[Light | NoLight]]:
    """The LED of each drive."""
    return lights_without_query(drives, lambda drive: _light(drive, tools))


def _light(drive: Drive, tools: Sequence[Tool]) -> Light | NoLight:
    number = _DRIVE.fullmatch(drive.id)
    tool = next((one for one in tools if one.name == "mvcli"), None)
    if number is None or tool is None:
        return NoLight(drive.id, "no tool is known that switches its LED")
    if drive.details.get("Locate LED status", "Not Support").lower().startswith("not"):
        return NoLight(drive.id, "the tool reports no locate LED")
    command = command_of(tool)
    words = (command, "locate", "-o", "pd", "-i", number[1], "-a")
    return Light(
        object_id=drive.id,
        on=Action(argv=(*words, "on"), timeout=TIMEOUT, lock=LOCK),
        off=Action(argv=(*words, "off"), timeout=TIMEOUT, lock=LOCK),
        look=Run((command, "info", "-o", "pd", "-i", number[1]), timeout=TIMEOUT, lock=LOCK),
    )


def judge(action: Action, answer: Answer) -> str | None:  # noqa: ARG001 - the signature of all
    """The tool's objection: words of refusal, or an exit code other than 0."""
    if not isinstance(answer, RunAnswer):
        return None
    output = message_of(answer)
    if answer.code == 0 and not _REFUSED.search(output):
        return None
    return output[-200:] or f"exit code {answer.code}"


def lit(answer: Answer) -> bool | None:
    """Whether the LED is on. None unless the tool prints ``on`` or ``off``."""
    return lit_by(answer, _STATE)
