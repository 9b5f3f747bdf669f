"""The forms of the lines: titles, headings of objects, reports.

The comments above the expressions are the tool's own lines. Indentation is ignored: pasted outputs have often lost it.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from raidctl.text import collapse, regex
from raidctl.vendor.forms import Forms, first_form, forms

Area = Literal[
    "controller", "logical", "array", "physical", "connector", "maxcache", "task", "version", "list", "expander",
    "phy log", "phy device", "log",
]  # fmt: skip

RULE = regex(r"[-=_*]{5,}")
# Controllers found: 1
FOUND = regex(r"Controllers? found\s*:\s*(\d{1,3})", re.IGNORECASE)
# Command completed successfully.
# Command aborted.
TRAILER = regex(r"Command (completed successfully|aborted|failed)\b\.?", re.IGNORECASE)
#   | ARCCONF |  Version 9.10 (B17444)
BANNER = regex(r"\|\s*(?:ARCCONF|UCLI)\s*\|\s*(.*)")
BANNER_VERSION = regex(r"Version\s+(\S+(?: \(\w+\))?)", re.IGNORECASE)
#  GETCONFIG     | prints controller information
USAGE = regex(r"[A-Z]{4,30}\s*\|\s+\S.*")

_TITLES: Forms[Area] = forms(
    ("controller", "controller information", r"controller information"),
    ("logical", " information", r"logical (?:device|drive) information"),
    ("array", "array information", r"array information"),
    ("physical", " information", r"physical (?:device|drive) information"),
    ("connector", "connector", r"connectors? information"),
    # maxCache 3.0 information
    ("maxcache", " information", r"max ?(?:cache|iq)(?: [\d.]+)? information"),
    # Physical Device Information:
    ("phy device", " information:", r"physical device information:"),
    ("phy log", " error log:", r"controller phy error log:"),
    ("log", "log", r"(?:controller|device|event|dead ?drive|stats?) ?log(?: information)?"),
)
_EXPANDERS = regex(r"expander list for controller (\d{1,3}):", re.IGNORECASE)

Kind = Literal["logical", "array", "maxcache", "channel", "device", "connector", "item", "expander", "version", "task"]


class Heading(NamedTuple):
    """A line that opens the section of an object."""

    kind: Kind
    name: str


_HEADINGS: Forms[Kind] = forms(
    # Logical device number 0
    ("logical", "logical ", r"logical (?:device|drive) (?:number|#) ?(\d{1,5})"),
    # Array Number 0
    ("array", "array ", r"array (?:number|#) ?(\d{1,5})"),
    # maxCache device number 100
    ("maxcache", "max", r"max ?(?:cache|iq) (?:device|array) (?:number|#) ?(\d{1,5})"),
    ("channel", "channel #", r"channel #(\d{1,5}):?"),
    ("device", "device #", r"device #(\d{1,5})"),
    ("connector", "connector #", r"connector #(\d{1,5})"),
    # Phy #0
    # Lane #0
    ("item", " #", r"((?:phy|lane|port|sensor) #\d{1,5})"),
    ("expander", "expander", r"expander ?# ?(\d{1,5})"),
    # Controller #1
    ("version", "controller #", r"controller #(\d{1,3})"),
    # Logical device Task:
    ("task", " task", r"((?:logical|physical|controller|array)(?: (?:device|drive))?) tasks?:?"),
)
# Device is an Enclosure Services Device
DEVICE_IS = regex(r"device is an? (.{1,60})", re.IGNORECASE)
# Status of Enclosure services device
_STATUS_OF = regex(r"status of (?:the )?enclosure.{0,40}", re.IGNORECASE)
# Life-time Temperature Recorded
HALF_LABEL = regex(r"life-?time .{0,40} recorded", re.IGNORECASE)
# Cache Backup Unit
BACKUP = regex(r"(?:controller )?(?:cache backup unit|battery|zmm)(?: information)?", re.IGNORECASE)
_COLUMNS = r"(?:device id|segment|logical id|controller id)\s*:\s*"
RowKind = Literal["list", "columns", "counter", "dotted", "initiator"]
ROWS: Forms[RowKind] = forms(
    #   Controller 1:             : Optimal, Slot 8, HBA, MSCC Adaptec HBA 1100-16i, 8A246320899, 50000D1704B53280
    ("list", "controller ", r"Controller (\d{1,3})\s*:\s*:\s*(\S.*)"),
    #    Device ID : Availability (SizeMB, Protocol, Type, Connector ID, Location) Serial Number
    ("columns", "availability", rf"{_COLUMNS}availability\b.*"),
    ("columns", "status", rf"{_COLUMNS}status\b.*"),
    ("columns", "(sizemb", r".*\(sizemb, protocol, type.*"),
    # ID      Size     Value  Description
    ("columns", "description", r"ID\s+Size\s+Value\s+Description"),
    # 0x000a  4            6  Register device to host FISes sent due to a COMRESET
    ("counter", "0x", r"0x[0-9a-f]{4}\s+\d{1,2}\s+(?P<value>\d{1,20})\s+(?P<label>\S.*)"),
    #       controllerID ..................... 0
    ("dotted", " ...", r"(?P<label>\w{2,40}) \.{3,} (?P<value>.*)"),
    # Initiator at SCSI ID 7
    ("initiator", "initiator at", r"(?P<label>initiator at scsi id) (?P<value>\d{1,3})"),
    flags=re.IGNORECASE,
)
#   0,6 0,7
MORE_PLACES = regex(r"\d{1,5},\d{1,5}(?: \d{1,5},\d{1,5})*")
#   Write-cache setting                      : Enabled (write-back)
#   when protected by battery/ZMM
REST_OF_POLICY = regex(
    r"(?:\(write-(?:back|through)\) ?)?(?:when )?(?:protected )?(?:by )?(?:battery(?:/ZMM)?)?|through\)|back\)",
    re.IGNORECASE,
)

RunNote = Literal["empty", "unsupported", "none", "number", "error"]
_PARTS = (
    "logical|physical|arrays?|max ?cache|expanders?|enclosures?|connectors?|devices?|drives?|events?|entries|tasks?"
)
RUN_NOTES: Forms[RunNote] = forms(
    # No controllers found.
    (
        "none",
        "no ",
        r"no (?:supported |raid )?(?:controllers?|adapters?) (?:were |was )?(?:found|detected|installed).*",
    ),
    # Invalid controller number.
    ("number", " controller ", r"(?:error: )?(?:invalid|unknown) controller (?:number|id).*"),
    # The requested feature is not supported on this controller.
    ("unsupported", "not supported ", r".{0,60}(?:is )?not supported (?:on|by|in|for) .{0,60}"),
    # No logical devices configured
    # No physical drives attached
    ("empty", "no ", rf"no (?:{_PARTS}|hard)\b.{{0,80}}"),
    ("empty", "log is empty", r".{0,40}\blog is empty.{0,20}"),
    ("error", "error", r"error\s*:.*"),
    ("error", "fatal", r"fatal\s*:.*"),
    ("error", "warning", r"warning\s*:.*"),
    ("error", "permission", r".*\bpermission denied.*"),
    ("error", "must be ", r".*\bmust be (?:run as )?root.*"),
    ("error", "super", r".*\bsuper ?user.*"),
)
_BEGINNINGS = (
    # the run, its banner and messages
    "command ", "|", "no ", "error", "invalid", "unknown", "fatal", "warning",
    # rows
    "controller ", "device id", "segment", "logical id", "id", "0x", "initiator",
)  # fmt: skip
_WORDS = (
    "arcconf", "found", "|", "not supported ", "log is empty", "permission", "must be ", "super", "(sizemb", " ...",
)  # fmt: skip
"""Texts in commands, lines about the run, and rows that do not begin with one of these words."""


def ordinary(text: str) -> bool:
    """Whether a line is neither a command, nor about the run, nor a row. Most lines are pairs."""
    low = text.lower()
    return not (low.startswith(_BEGINNINGS) or any(map(low.__contains__, _WORDS)))


def title(text: str) -> Area | None:
    """The area that a title opens: ``Logical device information``."""
    low = collapse(text.lower())
    if len(low) > 60 or not low[:1].isalpha():
        return None
    found = first_form(_TITLES, low)
    return found[0] if found is not None else None


def found_controllers(text: str) -> re.Match[str] | None:
    """``Controllers found: 1`` somewhere in a line."""
    return FOUND.search(text) if "found" in text.lower() else None


Row = tuple[RowKind, re.Match[str]]


def row(text: str) -> Row | None:
    """A row of a list, or the titles of its columns."""
    return first_form(ROWS, text, text.lower())


def expanders_of(text: str) -> str | None:
    """The controller of ``Expander List for Controller 1:``."""
    match = _EXPANDERS.fullmatch(text) if text.endswith(":") else None
    return match[1] if match else None


def heading(text: str) -> Heading | None:
    """The object whose section a line opens."""
    if len(text) > 60:
        return None
    low = collapse(text.lower())
    found = first_form(_HEADINGS, low)
    if found is None:
        return None
    kind, match = found
    return Heading(kind, match[1] if kind in ("item", "task") else str(int(match[1])))


def subtitle(text: str) -> bool:
    """Whether a line without a colon is the title of a part.

    If the rules around a title are lost, its words identify it.
    """
    low = text.lower()
    return len(low) < 80 and (
        low.endswith((" information", " properties", " settings", " counters", " data"))
        or _STATUS_OF.fullmatch(low) is not None
    )


def run_note(text: str) -> RunNote | None:
    """The kind of a message about the run or a missing part."""
    low = text.lower()
    found = first_form(RUN_NOTES, low) if len(low) <= 200 else None
    return found[0] if found is not None else None


_NUMBERED = regex(
    r"(?:getconfig(?:json)?|getstatus|getversion|expanderlist|phyerrorlog|getlogs|getsmartstats|getperform)"
    r"[ _-]+(\d{1,2})(?![\d.])",
    re.IGNORECASE,
)


_COMMAND = regex(r"\barcconf(?:\.exe|64)?[\"']?\s{1,4}get\w{3,12}\b", re.IGNORECASE)


def command_of(text: str) -> str | None:
    """The controller of a command line between outputs: ``root@host:~# arcconf getstatus 2``. None for another line."""
    if len(text) >= 300 or "arcconf" not in text.lower() or not _COMMAND.search(text):
        return None
    return number_of_command(text)


def plain(text: str) -> str:
    """A line without blanks around it."""
    return text.strip().strip("\ufeff")


def number_of_command(name: str) -> str | None:
    """The controller's number in a command line or file name: ``arcconf getconfig 2 al``."""
    match = _NUMBERED.search(name)
    return str(int(match[1])) if match and int(match[1]) > 0 else None
