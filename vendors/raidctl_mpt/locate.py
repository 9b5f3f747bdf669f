"""Locate LEDs: ``sas3ircu 0 LOCATE 1:4 ON``, and ``OFF``. Pure.

SAS-2 and SAS-3 Integrated RAID Solution User Guides, command LOCATE. No command shows whether an LED is on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Drive, Tool
from raidctl.request import Answer, Dialogue, RunAnswer
from raidctl.text import regex
from raidctl.vendor.locating import Light, NoLight, Shape, lights_without_query, message_of, never_shown
from raidctl.vendor.plan import Action
from raidctl.vendor.tools import command_of
from raidctl_mpt.dialogue import LOCK, TIMEOUT

__all__ = ["SHAPES", "judge", "lights", "lit"]

lit = never_shown

SHAPES: tuple[Shape, ...] = ((r"\d{1,3}", "LOCATE", r"\d{1,5}:\d{1,5}", "ON|OFF"),)
_PLACE = regex(r"mpt:(sas[23])-(\d{1,3})/(\d{1,5}:\d{1,5})", re.ASCII)
# SAS3IRCU: Command LOCATE Completed Successfully.
_DONE = regex(r"Command LOCATE Completed Successfully", re.IGNORECASE)


def lights(
    controller: Controller,  # noqa: ARG001 - the signature of all
    drives: Sequence[Drive],
    tools: Sequence[Tool],
    seconds: float,  # noqa: ARG001 - as above; the tools have no limit
) -> Dialogue[list[Light | NoLight]]:
    """The LED of each drive."""
    return lights_without_query(drives, lambda drive: _light(drive, tools))


def _light(drive: Drive, tools: Sequence[Tool]) -> Light | NoLight:
    place = _PLACE.fullmatch(drive.id)
    tool = next((one for one in tools if place is not None and one.name == f"{place[1]}ircu"), None)
    if place is None or tool is None or place[3] == "0:0":
        return NoLight(drive.id, "the tool or the drive's slot is unknown")
    words = (command_of(tool), place[2], "LOCATE", place[3])
    return Light(
        object_id=drive.id,
        on=Action(argv=(*words, "ON"), timeout=TIMEOUT, lock=LOCK),
        off=Action(argv=(*words, "OFF"), timeout=TIMEOUT, lock=LOCK),
    )


def judge(action: Action, answer: Answer) -> str | None:
    """The tool's objection. None if it reports that the command LOCATE has completed."""
    if not isinstance(answer, RunAnswer):
        return None
    output = message_of(answer)
    if _DONE.search(output):
        return None
    return output[-200:] or f"{action.argv[0]} printed nothing"
