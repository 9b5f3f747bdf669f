"""Areca events: ``event info``. Pure.

The list has no severities. Columns: date and time, the device in 20 characters, what happened, elapsed time, errors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Tool
from raidctl.request import Dialogue, Run, RunAnswer
from raidctl.text import collapse, regex
from raidctl.units import parse_local_time
from raidctl.vendor.events import Event, EventLog, no_log, not_read, oldest, read_log
from raidctl.vendor.tools import command_of
from raidctl_areca.dialogue import LOCK, TIMEOUT
from raidctl_areca.grammar import trailer
from raidctl_areca.messages import error_problem
from raidctl_areca.tables import place_of

KERNEL: tuple[re.Pattern[str], ...] = (
    # arcmsr0: wait 'abort all outstanding command' timeout
    regex(r"arcmsr ?\d{0,3}: ", re.ASCII),
)
# Date-Time            Device           Event Type            Elapsed Time Errors
_HEAD = regex(r"Date-Time\s+Device\s+Event Type\b.*")
# 2011-08-11 17:25:54  Enc#1 Slot#5     Time Out Error
_ROW = regex(r"(\d{4}-\d\d-\d\d) +(\d\d:\d\d:\d\d) +(\S.*)", re.ASCII)
# 2011-03-22 11:09:41  ARC-1680-VOL#00  Complete Rebuild     012:34:56        0
_PARTS = regex(r" {2,}")


def log(controller: Controller, tools: Sequence[Tool]) -> Dialogue[EventLog]:
    """The log of the tool's default controller. That of another one is reported as not read."""
    if not tools or controller.id != "areca:1":
        why = "Its events cannot be read: the tool reaches only its default controller."
        return not_read(controller.id, controller.id, why, "cli64 set curctrl=N, then: event info")
    request = Run((command_of(tools[0]), "event", "info"), timeout=TIMEOUT, lock=LOCK)
    return (yield from read_log(controller, request, read_events))


def read_events(controller: Controller, command: str, answer: RunAnswer) -> EventLog:
    """Read the list; the tool's last line shows whether it is complete."""
    found: list[Event] = []
    unparsed: list[str] = []
    end = None
    for row in answer.text.splitlines():
        line = row.strip()
        closing = trailer(line)
        if closing is not None:
            end = closing
        elif match := _ROW.fullmatch(line):
            found.append(_event(match, controller))
        elif line and set(line) != {"="} and not _HEAD.fullmatch(line):
            unparsed.append(line)
    if end is not None and not end.success:
        return EventLog(controller=controller.id, command=command, problems=(error_problem(end, command),))
    if end is None and not found:
        return no_log(controller.id, command, answer)
    cut = not_read(controller.id, command, "The list is cut off: its last line is missing.")
    return EventLog(
        controller=controller.id, command=command, events=tuple(found), unparsed=tuple(unparsed),
        begins=oldest(found), problems=cut.problems if end is None else (),
    )  # fmt: skip


def _event(match: re.Match[str], controller: Controller) -> Event:
    parts = _PARTS.split(match[3])
    device, text = parts[0], " ".join(parts[1:2]) or parts[0]
    details = {"Device": device} if len(parts) > 1 else {}
    details |= dict(zip(("Elapsed Time", "Errors"), parts[2:4], strict=False))
    return Event(
        at=parse_local_time(f"{match[1]} {match[2]}", "%Y-%m-%d %H:%M:%S"),
        controller=controller.id,
        object_id=_object(device, controller),
        text=collapse(f"{device}: {text}" if len(parts) > 1 else text),
        details=details,
    )


def _object(device: str, controller: Controller) -> str | None:
    """A volume by its name, a drive by its enclosure and slot. None if there is no such object, or several."""
    named = [volume.id for volume in controller.volumes if volume.name == device]
    # Enc#1 Slot#5
    place = re.fullmatch(r"Enc ?#(\d{1,2}) Slot ?#?(\d{1,3})", device, re.ASCII)
    if place is not None:
        wanted = f"{controller.id}/{place_of(place[1], place[2])}"
        named += [drive.id for drive in controller.drives if drive.id == wanted]
    return named[0] if len(named) == 1 else None
