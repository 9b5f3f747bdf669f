"""3ware events: ``/c0 show alarms``. Pure.

They are called alarms, events or AENs (asynchronous event notifications). Form and severities: tw_cli(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from raidctl.model import Controller, Tool
from raidctl.request import Dialogue, Run, RunAnswer
from raidctl.text import regex
from raidctl.units import parse_local_time
from raidctl.vendor.events import Event, EventLog, Level, no_log, not_read, oldest, read_log
from raidctl.vendor.identity import controller_number
from raidctl.vendor.tools import command_of
from raidctl_threeware.dialogue import LOCK, TIMEOUT

KERNEL: tuple[re.Pattern[str], ...] = (
    # 3w-9xxx: scsi0: AEN: ERROR (0x04:0x0009): Drive timeout detected:port=3.
    regex(r"3w-(?:9xxx|sas|xxxx): ", re.ASCII),
)
# Ctl  Date                        Severity  Alarm Message
_HEAD = regex(r"Ctl\s+Date\s+Severity\s+(?:Alarm|AEN) Message")
# c0   [Tue Jul  8 18:20:05 2008]  INFO      Verify started: unit=0
_ROW = regex(r"c(\d{1,3})\s+\[([^\]]{10,40})\]\s+([A-Z]{4,12})\s+(\S.*)", re.ASCII)
_LEVELS: Mapping[str, Level] = {"INFO": "info", "WARNING": "warning", "ERROR": "critical", "DEBUG": "debug"}
_TIMES = ("%a %b %d %H:%M:%S %Y", "%a %b %d %Y %H:%M:%S")
_PORT, _UNIT = regex(r"\bport=(\d{1,3})\b", re.ASCII), regex(r"\bunit=(\d{1,3})\b", re.ASCII)


def log(controller: Controller, tools: Sequence[Tool]) -> Dialogue[EventLog]:
    """The log of one controller."""
    number = controller_number(controller)
    if not tools or number is None:
        why = "Its events cannot be read: the tool, or the controller's number there, is unknown."
        return not_read(controller.id, controller.id, why, "Install tw_cli.")
    request = Run((command_of(tools[0]), f"/c{number}", "show", "alarms"), timeout=TIMEOUT, lock=LOCK)
    return (yield from read_log(controller, request, read_events))


def read_events(controller: Controller, command: str, answer: RunAnswer) -> EventLog:
    """Read the table; without its heading, the output is not one."""
    found: list[Event] = []
    unparsed: list[str] = []
    headed = False
    for row in answer.text.splitlines():
        line = row.strip()
        if _HEAD.fullmatch(line):
            headed = True
        elif match := _ROW.fullmatch(line):
            found.append(_event(match, controller))
        elif line and set(line) != {"-"}:
            unparsed.append(line)
    if not headed:
        return no_log(controller.id, command, answer)
    return EventLog(
        controller=controller.id, command=command, events=tuple(found), unparsed=tuple(unparsed), begins=oldest(found)
    )


def _event(match: re.Match[str], controller: Controller) -> Event:
    known = {drive.id for drive in controller.drives} | {volume.id for volume in controller.volumes}
    known |= {array.id for array in controller.arrays}
    return Event(
        at=parse_local_time(match[2], *_TIMES),
        controller=controller.id,
        level=_LEVELS.get(match[3]),
        object_id=next((name for name in _names(match[4], controller.id) if name in known), None),
        text=match[4],
    )


def _names(text: str, controller: str) -> Iterator[str]:
    if match := _PORT.search(text):
        yield f"{controller}/p{match[1]}"
    if match := _UNIT.search(text):
        yield f"{controller}/v{match[1]}"
        yield f"{controller}/u{match[1]}"  # a unit that is not a volume, or was carved into several
