"""Areca locate LEDs: ``disk identify drv=9``, and ``drv=0`` to stop. Pure.

The tool counts drives by their place in its list, so the list is read first. A controller that requires its password
refuses at first, with a code that :mod:`raidctl_areca.messages` explains. Where the password is known to raidctl, it is
entered first, in one session: ``set password=…``, ``disk identify drv=9``, ``exit``. No command shows whether an LED is
on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Output
from raidctl.model import Controller, Drive, Tool
from raidctl.request import Answer, Dialogue, Run, RunAnswer, ask
from raidctl.text import collapse, regex
from raidctl.vendor.locating import Light, NoLight, Shape, never_shown
from raidctl.vendor.plan import Action, Session
from raidctl.vendor.tools import command_of
from raidctl_areca.dialogue import LOCK, TIMEOUT
from raidctl_areca.draft import Controllers
from raidctl_areca.grammar import trailer
from raidctl_areca.messages import error_problem
from raidctl_areca.reader import Reader

__all__ = ["SESSION", "SHAPES", "judge", "lights", "lit"]

lit = never_shown

SHAPES: tuple[Shape, ...] = (("disk", "info"), ("disk", "identify", r"drv=\d{1,4}"))
SESSION = Session(name="areca", enter="set password={}", leave="exit")
# CLI> GuiErrMsg<0x00>: Success.
_PROMPTS = regex(r"(?:\s*(?:CLI|Areca)\s?>)*\s*", re.ASCII)
_FIRST = regex(r"areca:1/(\S{1,20})", re.ASCII)


def lights(
    controller: Controller,
    drives: Sequence[Drive],
    tools: Sequence[Tool],
    seconds: float,  # noqa: ARG001 - the signature of all; the tool has no limit
) -> Dialogue[list[Light | NoLight]]:
    """The LED of each drive of the tool's current controller."""
    if not tools or controller.id != "areca:1":
        return [NoLight(drive.id, "the tool reaches only its default controller") for drive in drives]
    command = command_of(tools[0])
    listed = Run((command, "disk", "info"), timeout=TIMEOUT, lock=LOCK)
    answer = yield from ask(listed)
    controllers = Controllers()
    if answer.fine:
        Reader(Output.of_text(" ".join(listed.argv), answer.text), controllers).read()
    numbers = {place: number for one in controllers.controllers.values() for number, place in one.numbers.items()}
    return [_light(drive, command, numbers) for drive in drives]


def _light(drive: Drive, command: str, numbers: dict[str, str]) -> Light | NoLight:
    place = _FIRST.fullmatch(drive.id)
    number = numbers.get(place[1]) if place is not None else None
    if number is None or number == "0":
        return NoLight(drive.id, "the tool's number for the drive is unknown")
    return Light(
        object_id=drive.id,
        on=Action(argv=(command, "disk", "identify", f"drv={number}"), timeout=TIMEOUT, lock=LOCK, session=SESSION),
        off=Action(argv=(command, "disk", "identify", "drv=0"), timeout=TIMEOUT, lock=LOCK, session=SESSION),
    )


def judge(action: Action, answer: Answer) -> str | None:
    """The tool's objection.

    None only if each of its answers, including that to the password, is ``GuiErrMsg<0x00>``.
    """
    if not isinstance(answer, RunAnswer):
        return None
    lines = f"{answer.text}\n{answer.error_text}".splitlines()
    bare = [_PROMPTS.sub("", line, count=1) for line in lines]
    ends = [found for line in bare if (found := trailer(line)) is not None]
    refused = next((end for end in ends if not end.success), None)
    if refused is not None:
        return error_problem(refused, str(action)).message
    if ends:
        return None
    message = collapse(" ".join(lines))[:200]
    return message or f"{action.argv[0]} printed nothing"
