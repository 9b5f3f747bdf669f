"""Adaptec locate LEDs: ``arcconf IDENTIFY 1 DEVICE 0 3 TIME 600``. Pure.

The tool's help text decides: only versions with ``TIME`` are used, as others blink until somebody presses a key. No
command shows whether an LED is on; ``STOP`` fails if none is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Drive, Tool
from raidctl.request import Answer, Dialogue, Run, RunAnswer, ask
from raidctl.text import regex
from raidctl.vendor.identity import controller_number
from raidctl.vendor.locating import Light, NoLight, Shape, never_shown
from raidctl.vendor.plan import Action
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_adaptec import change
from raidctl_adaptec.dialogue import LOCK, TIMEOUT
from raidctl_adaptec.settings import address

__all__ = ["SHAPES", "judge", "lights", "lit"]

lit = never_shown

_DEVICE: Shape = ("IDENTIFY", r"\d{1,3}", "DEVICE", r"\d{1,3}", r"\d{1,4}")
SHAPES: tuple[Shape, ...] = (
    ("IDENTIFY",),
    (*_DEVICE, "TIME", r"\d{1,6}"),
    (*_DEVICE, "STOP"),
)
# Usage: IDENTIFY <Controller#> DEVICE <Channel# ID#> [TIME <BlinkTime>] [STOP] [nologs]
_USAGE = regex(r"(?im)\bIDENTIFY\b.*?<Controller", re.DOTALL)
_TIME = regex(r"\bTIME\s*<", re.IGNORECASE)
_STOP = regex(r"\[\s*STOP\s*\]|\bSTOP\b", re.IGNORECASE)
# None of the LEDs are blinking.
_NONE_BLINKS = regex(r"none of the leds? (?:are|is) blinking", re.IGNORECASE)


def lights(
    controller: Controller, drives: Sequence[Drive], tools: Sequence[Tool], seconds: float
) -> Dialogue[list[Light | NoLight]]:
    """The LED of each drive, if the help text lists the commands."""
    tool = reporting_tool(controller, tools)
    number = controller_number(controller)
    if tool is None or number is None:
        return [NoLight(drive.id, "arcconf's number for the controller is unknown") for drive in drives]
    command = command_of(tool)
    answer = yield from ask(Run((command, "IDENTIFY"), timeout=TIMEOUT, lock=LOCK))
    why = _unknown_grammar(answer)
    if why is not None:
        return [NoLight(drive.id, why) for drive in drives]
    return [_light(drive, command, number, seconds) for drive in drives]


def _unknown_grammar(answer: RunAnswer) -> str | None:
    """Why the words of this version are unknown or cannot be used. None if they can be used."""
    text = f"{answer.text}\n{answer.error_text}"
    if not answer.fine or not _USAGE.search(text):
        return "the help text of arcconf identify could not be read"
    if not _TIME.search(text) or not _STOP.search(text):
        return "this version of arcconf has no time limit for blinking: it would wait for a key"
    return None


def _light(drive: Drive, command: str, number: str, seconds: float) -> Light | NoLight:
    place = address(drive)
    if place is None:
        return NoLight(drive.id, "arcconf does not report its channel and device number")
    words = (command, "IDENTIFY", number, "DEVICE", *place)
    limit = int(seconds)
    return Light(
        object_id=drive.id,
        on=Action(argv=(*words, "TIME", str(limit)), timeout=TIMEOUT, lock=LOCK),
        off=Action(argv=(*words, "STOP"), timeout=TIMEOUT, lock=LOCK),
        limit_seconds=limit,
    )


def judge(action: Action, answer: Answer) -> str | None:
    """As for changes. Stopping an LED that does not blink is not a failure."""
    if not isinstance(answer, RunAnswer):
        return None
    none_blinks = _NONE_BLINKS.search(f"{answer.text}\n{answer.error_text}") is not None
    return None if none_blinks and action.argv[-1] == "STOP" else change.judge(action, answer)
