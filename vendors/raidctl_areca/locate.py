"""Areca locate LEDs: ``disk identify drv=9``, and ``drv=0`` to stop. Pure.

The tool counts drives by their place in its list, so the list is read first. A controller that wants its password first
refuses, with a code that :mod:`raidctl_areca.messages` explains: raidctl never enters it. No command shows whether an
LED is on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Output
from raidctl.model import Controller, Drive, Tool
from raidctl.request import Answer, Dialogue, Run, RunAnswer, ask
from raidctl.vendor.locating import Light, NoLight, Shape
from raidctl.vendor.plan import Action
from raidctl.vendor.tools import command_of
from raidctl_areca.dialogue import LOCK, TIMEOUT
from raidctl_areca.draft import Controllers
from raidctl_areca.grammar import trailer
from raidctl_areca.messages import error_problem
from raidctl_areca.reader import Reader

__all__ = ["SHAPES", "judge", "lights", "lit"]

SHAPES: tuple[Shape, ...] = (("disk", "info"), ("disk", "identify", r"drv=\d{1,4}"))
_FIRST = re.compile(r"areca:1/(\S{1,20})", re.ASCII)


def lights(
    controller: Controller,
    drives: Sequence[Drive],
    tools: Sequence[Tool],
    seconds: float,  # noqa: ARG001 - the signature of all; the tool has no limit
) -> Dialogue[list[Light | NoLight]]:
    """The LED of each drive of the tool's current controller."""
    if not tools or controller.id != "areca:1":
        return [NoLight(drive.id, "the tool speaks to its default controller only") for drive in drives]
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
        on=Action(argv=(command, "disk", "identify", f"drv={number}"), timeout=TIMEOUT, lock=LOCK),
        off=Action(argv=(command, "disk", "identify", "drv=0"), timeout=TIMEOUT, lock=LOCK),
    )


def judge(action: Action, answer: Answer) -> str | None:
    """The tool's objection; None only if it ends with ``GuiErrMsg<0x00>``."""
    if not isinstance(answer, RunAnswer):
        return None
    lines = f"{answer.text}\n{answer.error_text}".splitlines()
    ends = [found for line in lines if (found := trailer(line)) is not None]
    if ends and ends[-1].success:
        return None
    if ends:
        return error_problem(ends[-1], str(action)).message
    said = " ".join(" ".join(lines).split())[:200]
    return said or f"{action.argv[0]} printed nothing"


def lit(answer: Answer) -> bool | None:  # noqa: ARG001 - the signature of all
    """Unknown: no command shows it."""
    return None
