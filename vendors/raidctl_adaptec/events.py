"""Adaptec events: ``getlogs 1 event tabular``. Pure.

No manual shows an event of this log; its other logs are blocks of ``label ..... value`` below a line that names the
block, and XML without the word ``tabular``. Both are read in this general form: a label is interpreted only if it is a
plain word for time, severity, number or text, and everything is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone

from raidctl.model import Controller, Tool
from raidctl.request import Dialogue, Run, RunAnswer
from raidctl.text import regex
from raidctl.units import parse_local_time
from raidctl.vendor.events import Event, EventLog, Level, no_log, not_read, oldest, read_log
from raidctl.vendor.identity import controller_number
from raidctl.vendor.tools import command_of
from raidctl_adaptec.dialogue import LOCK, TIMEOUT

KERNEL: tuple[re.Pattern[str], ...] = (
    # aacraid: Host adapter abort request.
    regex(r"aacraid: ", re.ASCII),
)
#    controllerID ............................ 0
_PAIR = regex(r"([A-Za-z][\w /#-]{0,60}?)\s*\.{3,}\s*(.*)", re.ASCII)
_NAME = regex(r"[A-Za-z][\w -]{0,40}", re.ASCII)
_XML_ENTRY = regex(r"<([A-Za-z][\w-]{0,40})((?:\s+[\w:-]{1,60}\s*=\s*\"[^\"<]*\")*)\s*/?>", re.ASCII)
_XML_PAIR = regex(r"([\w:-]{1,60})\s*=\s*\"([^\"<]*)\"", re.ASCII)
# Controllers found: 1 / Command completed successfully.
_AROUND = regex(r"Controllers found: \d+|Command completed successfully\.?|</?[\w?][^>]*>", re.ASCII)
_DONE = "command completed successfully"
_TIMES = ("time", "timestamp", "date", "eventtime", "datetime")
_TEXTS = ("description", "message", "text", "eventdescription", "eventmessage", "event")
_NUMBERS = ("sequence", "sequencenumber", "eventnumber", "number", "index", "id")
_SEVERITIES = ("severity", "level", "class", "priority")
_CODES = ("code", "eventcode", "eventtype", "type")
_LEVELS: Mapping[str, Level] = {
    "debug": "debug", "info": "info", "information": "info", "informational": "info", "warning": "warning",
    "error": "critical", "critical": "critical", "fatal": "fatal",
}  # fmt: skip


def log(controller: Controller, tools: Sequence[Tool]) -> Dialogue[EventLog]:
    """The log of one controller."""
    number = controller_number(controller)
    if not tools or number is None:
        why = "Its events cannot be read: the tool, or the controller's number there, is unknown."
        return not_read(controller.id, controller.id, why, "Install arcconf.")
    argv = (command_of(tools[0]), "getlogs", number, "event", "tabular")
    return (yield from read_log(controller, Run(argv, timeout=TIMEOUT, lock=LOCK), read_events))


def read_events(controller: Controller, command: str, answer: RunAnswer) -> EventLog:
    """Read the blocks. One with neither a text nor a time is not an event."""
    unparsed: list[str] = []
    blocks = list(_xml(answer.text) if "<" in answer.text else _tabular(answer.text, unparsed))
    found: list[Event] = []
    head = True
    for name, pairs in blocks:
        if head and name.lower().endswith("log"):
            head = False  # the log itself: controllerID, type, time, version, tableFull
            continue
        found.append(_event(name, pairs, controller))
    if _DONE not in answer.text.lower():
        return no_log(controller.id, command, answer)
    return EventLog(
        controller=controller.id, command=command, events=tuple(found), unparsed=tuple(unparsed),
        begins=oldest(found),
    )  # fmt: skip


def _tabular(text: str, unparsed: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The blocks: a line with a name, then lines ``label ..... value``."""
    name, pairs = "", dict[str, str]()
    for row in text.splitlines():
        line = row.strip()
        match = _PAIR.fullmatch(line)
        if match is not None and name:
            pairs[match[1]] = match[2]
        elif not line or _AROUND.fullmatch(line):
            continue
        elif _NAME.fullmatch(line) and match is None:
            if pairs:
                yield name, pairs
            name, pairs = line, {}
        else:
            unparsed.append(line)
    if pairs:
        yield name, pairs


def _xml(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    for match in _XML_ENTRY.finditer(text):
        pairs = dict(_XML_PAIR.findall(match[2]))
        if pairs:
            yield match[1], pairs


def _event(name: str, pairs: Mapping[str, str], controller: Controller) -> Event:
    plain = {label.lower().replace(" ", "").replace("_", ""): value for label, value in pairs.items()}
    text = _first(plain, _TEXTS) or f"{name}: {', '.join(f'{label} {value}' for label, value in pairs.items())}"
    number = _first(plain, _NUMBERS) or ""
    return Event(
        at=_at(_first(plain, _TIMES) or ""), controller=controller.id,
        number=int(number) if re.fullmatch(r"\d{1,10}", number, re.ASCII) else None,
        level=_LEVELS.get((_first(plain, _SEVERITIES) or "").lower()), code=_first(plain, _CODES), text=text,
        details=dict(pairs),
    )  # fmt: skip


def _first(pairs: Mapping[str, str], labels: Sequence[str]) -> str | None:
    return next((pairs[label] for label in labels if pairs.get(label)), None)


def _at(text: str) -> str | None:
    """Seconds since 1970 or a date; None for anything else."""
    if re.fullmatch(r"\d{9,10}", text, re.ASCII):
        return datetime.fromtimestamp(int(text), timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return parse_local_time(text, "%Y-%m-%d %H:%M:%S", "%a %b %d %H:%M:%S %Y", "%m/%d/%Y %H:%M:%S")
