"""MegaRAID event logs: storcli's and perccli's ``show events``, MegaCli's ``-AdpEventLog``. Pure.

Both print the same blocks; the classes are those of the firmware interface (MFI_EVT_CLASS: -2 debug … 3 fatal, 4 dead).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from raidctl.model import Controller, Tool
from raidctl.request import Dialogue, Run, RunAnswer
from raidctl.text import collapse, regex
from raidctl.units import parse_local_time
from raidctl.vendor.events import NEWEST, Event, EventLog, Level, no_log, not_read, read_log
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_megaraid.change import tool_number
from raidctl_megaraid.collect.tool_call import LOCK
from raidctl_megaraid.tools import KINDS

# megasas: Found FW in FAULT state, will reset adapter scsi0.
KERNEL: tuple[re.Pattern[str], ...] = (regex(r"megasas: "),)
"""Further kernel lines of the family, of older drivers. The core finds those that begin with the driver's name."""
TIMEOUT = 300.0
_LEVELS: Mapping[int, Level] = {
    -2: "debug", -1: "progress", 0: "info", 1: "warning", 2: "critical", 3: "fatal", 4: "fatal",
}  # fmt: skip
# seqNum: 0x00001283
_BEGIN = regex(r"seqNum\s*:\s*(0x[0-9a-fA-F]{1,8}|\d{1,10})", re.ASCII)
# Event Description: State change on PD 05(e0x06/s1) from OFFLINE(10) to ONLINE(18)
_DRIVE = regex(r"\bPD [0-9a-fA-F]{1,4}\(e(0x[0-9a-fA-F]{1,4}|\d{1,5})/s(\d{1,3})\)", re.ASCII)
_BARE = regex(r"\bPD [0-9a-fA-F]{1,4}\((?:-|c\S{1,8})?/?s(\d{1,3})\)", re.ASCII)
# Event Description: VD 00/0 is now OPTIMAL
_VOLUME = regex(r"\bVD ([0-9a-fA-F]{1,4})/\d{1,4}\b", re.ASCII)
_TIMES = ("%a %b %d %H:%M:%S %Y", "%m/%d/%Y, %H:%M:%S", "%Y-%m-%dT%H:%M:%S")
# lines around the events: the tools' banners and closing lines
_AROUND = regex(
    r"CLI Version =|Operating system =|Controller =|Status = Success|Description = None|Events = |Controller Properties"
    r"|[=-]{4,}$|Ctrl Status +Method|\d+ Success |Adapter[ #:]|Success in AdpEventLog|Exit Code: 0x0+$|Linux \d",
    re.ASCII,
)
_ACCEPTED = regex(r"(?m)^\s*(?:Status = Success|Exit Code: 0x0+|Success in AdpEventLog.*)\s*$", re.ASCII)
_REFUSED = regex(r"(?m)^\s*(?:Status = Failure|Exit Code: 0x0*[1-9a-fA-F]\w*)\s*$", re.ASCII)


def log(controller: Controller, tools: Sequence[Tool]) -> Dialogue[EventLog]:
    """The log of one controller, by the tool that reported it."""
    tool = reporting_tool(controller, tools)
    number = tool_number(controller)
    if tool is None or number is None:
        why = "Its event log cannot be read: no tool that reads it has reported the controller."
        return not_read(controller.id, controller.id, why, "Install storcli, perccli or MegaCli.")
    if tool.name.startswith(("storcli2", "perccli2", "raidctl-mfi")):
        why = f"Its event log was not read: the form of {tool.name}'s event list is unknown."
        return not_read(controller.id, controller.id, why, None)
    request = Run((command_of(tool), *_words(KINDS.get(tool.name), number)), timeout=TIMEOUT, lock=LOCK)
    return (yield from read_log(controller, request, read_events))


def _words(kind: str | None, number: str) -> tuple[str, ...]:
    if kind == "megacli":
        return ("-AdpEventLog", "-GetLatest", str(NEWEST), "-f", "/dev/stdout", f"-a{number}", "-NoLog")
    return (f"/c{number}", "show", "events", f"type=latest={NEWEST}", "file=/dev/stdout", "nolog")


def read_events(controller: Controller, command: str, answer: RunAnswer) -> EventLog:
    """Read what a tool printed."""
    head, blocks = _blocks(answer.text)
    unparsed = [line for line in head if line and not _AROUND.match(line)]
    found: list[Event] = []
    for block in blocks:
        event = _event(block, controller, unparsed)
        if event is not None:
            found.append(event)
    refused = _REFUSED.search(answer.text)
    accepted = _ACCEPTED.search(answer.text) and not refused
    if refused or not (accepted or found):
        return no_log(controller.id, command, answer)
    cut = not_read(controller.id, command, "The list has no end: it may be cut off.")
    limited = len(blocks) >= NEWEST
    first = min(found, key=lambda event: event.number or 0, default=None)
    return EventLog(
        controller=controller.id, command=command, events=tuple(found), unparsed=tuple(unparsed),
        clock=_clock(controller), limited=limited, begins=first.at if first else None,
        problems=() if accepted else cut.problems,
    )  # fmt: skip


def _blocks(text: str) -> tuple[list[str], list[list[str]]]:
    """The lines before the first event, and those of each event."""
    head: list[str] = []
    blocks: list[list[str]] = []
    for row in text.splitlines():
        line = row.strip()
        if _BEGIN.fullmatch(line):
            blocks.append([line])
        else:
            (blocks[-1] if blocks else head).append(line)
    return head, blocks


def _event(block: Sequence[str], controller: Controller, unparsed: list[str]) -> Event | None:
    """One event. None, with all its lines unparsed, if its description is missing."""
    begin = _BEGIN.fullmatch(block[0])
    values: dict[str, str] = {}
    details: dict[str, str] = {}
    rest: list[str] = []
    data = False
    for line in filter(None, block[1:]):
        label, colon, value = (part.strip() for part in line.partition(":"))
        if data and _AROUND.match(line):
            continue
        if label == "Event Data" and not value:
            data = True
        elif data and colon:
            details[label] = value
        elif data and line.lower() == "none":
            continue
        elif data and details:  # the bytes of a command, over several lines
            last = next(reversed(details))
            details[last] = f"{details[last]} {line}".strip()
        elif colon and label in _LABELS:
            values[label] = value
        elif not _AROUND.match(line):
            rest.append(line)
    text = collapse(values.get("Event Description", ""))
    if not text or begin is None:
        unparsed += [line for line in block if line]
        return None
    unparsed += rest
    if seconds := values.get("Seconds since last reboot"):
        details["Seconds since last reboot"] = seconds
    return Event(
        at=parse_local_time(values.get("Time", ""), *_TIMES), controller=controller.id, number=_whole(begin[1]),
        level=_level(values), code=values.get("Code") or None,
        object_id=_object(text, controller), text=text, details=details,
    )  # fmt: skip


_LABELS = frozenset({"Time", "Seconds since last reboot", "Code", "Class", "Locale", "Event Description"})


def _level(values: Mapping[str, str]) -> Level | None:
    # Class: 0
    word = values.get("Class", "")
    return _LEVELS.get(int(word)) if re.fullmatch(r"-?\d", word, re.ASCII) else None


def _whole(text: str) -> int:
    """``0x00001283``, ``1283``; also ``00001283``."""
    return int(text, 16) if text.lower().startswith("0x") else int(text)


def _object(text: str, controller: Controller) -> str | None:
    """The drive or volume that a description names. None if there is none with this place or number."""
    names = list(_names(text, controller.id))
    known = {drive.id for drive in controller.drives} | {volume.id for volume in controller.volumes}
    return next((name for name in names if name in known), None)


def _names(text: str, controller: str) -> Iterator[str]:
    if match := _DRIVE.search(text):
        yield f"{controller}/{_whole(match[1])}:{match[2]}"
    elif match := _BARE.search(text):
        yield f"{controller}/:{match[1]}"
    if match := _VOLUME.search(text):
        yield f"{controller}/v{int(match[1], 16)}"


def _clock(controller: Controller) -> str | None:
    """The controller's clock, as shown by its tool."""
    # Current Controller Date/Time = 05/06/2026, 07:08:01
    for label, value in controller.details.items():
        if label.lower().endswith("current controller date/time"):
            return parse_local_time(value, *_TIMES)
        # Current Time                     : 7:8:4 5/6, 2026
        match = _OLD_CLOCK.fullmatch(value) if label.lower().endswith("current time") else None
        if match is not None:
            hour, minute, second, month, day, year = map(int, match.groups())
            try:
                return datetime(year, month, day, hour, minute, second).isoformat()  # noqa: DTZ001 - as above
            except ValueError:
                return None
    return None


_OLD_CLOCK = regex(r"(\d{1,2}):(\d{1,2}):(\d{1,2}) (\d{1,2})/(\d{1,2}), (\d{4})", re.ASCII)
