"""Line forms: section headings, objects in one line, messages about the run.

Indentation is only a hint: the words of a line decide what it is. The comments above the expressions are the tool's own
lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, field

from raidctl.text import collapse, regex
from raidctl.vendor.forms import Forms, first_form, forms

Kind = Literal[
    "controller", "array", "unassigned", "hba", "listing", "spares", "device", "port", "sensor",
    "volume", "drive", "volume_row", "drive_row", "group", "partitions", "partition",
]  # fmt: skip


class Heading(Struct, frozen=True):
    """A line that opens a section or lists an object."""

    kind: Kind
    name: str
    """Slot, array letter, volume number, drive address, title."""
    parts: dict[str, str] = field(default_factory=dict)


_ROW = r"(?P<name>\S+)\s*\((?P<inside>.*)\)(?::\s*(?P<status>.*))?"
_EXTERNAL = r"(?P<model>(?:MSA|RA4|StorageWorks )[^:(]{0,40}?)"
_CHASSIS = r"(?P<chassis>[^:()]{1,60}?)"
_MODEL = r"[^:(]{2,80}(?:\([^()]{1,40}\)[^:(]{0,40})?"
_BRACKETS = r"(?:\s*\([^()]{0,120}\))*"
_FORMS: Forms[Kind] = forms(
    # physicaldrive 1I:1:4 (port 1I:box 1:bay 4, SAS HDD, 900 GB, OK, spare)
    # physicaldrive 1I:1:4 (port 1I:box 1:bay 4, 900 GB): OK
    # physicaldrive 1:0 (port 1:id 0 , Parallel SCSI, 36.4 GB, OK)
    ("drive_row", "ical", rf"(?i:physical ?drive {_ROW})"),
    # physicaldrive 1I:1:4
    # physicaldrive ?:?:?
    ("drive", "ical", r"(?i:physical ?drive:? (?P<name>[\w?]{1,6}(?::[\w?]{1,6}){1,3}|\?))"),
    # logicaldrive 2 (1.6 TB, RAID 5, Recovering, 12.5% complete)
    # logicaldrive 2 (1.6 TB, RAID 5): OK
    ("volume_row", "ogical", rf"(?i:logical ?drive {_ROW})"),
    # Logical Drive: 2
    ("volume", "ogical", r"(?i:logical ?drive:?\s+(?P<name>\d{1,5}))"),
    # Mirror Group 1:
    # Parity Group 0:
    ("group", " Group", r"(?P<name>(?:Mirror|Parity|Drive) Groups?(?: \d{1,3})?):?"),
    ("partitions", "Disk Partition", r"(?P<name>Disk Partition Information):?"),
    # Partition   2: Basic, 1024 MiB, /boot
    ("partition", "artition", r"(?P<name>Partition\s+(?:Number\s+)?\d+):\s*(?P<value>.*)"),
    # Port Name: 1I (Mixed)
    ("port", "Port Name", r"Port Name:\s*(?P<name>[^\s(]+)(?:\s*\((?P<status>[^()]*)\))?"),
    # Sensor ID: 0
    ("sensor", "Sensor ID", r"Sensor ID:\s*(?P<name>\d+)"),
    # Internal Drive Cage at Port 4I, Box 6 (Index 3), OK
    # HP D3600 Enclosure at Port 1E, Box 2, OK
    (
        "device",
        " at Port ",
        r"(?P<name>[^,:]{1,60} at Port \w+(?:\s*[,:]\s*Box \w+)?(?:\s*\(Index \w+\))?)(?:,\s*(?P<status>[^,].*))?",
    ),
    # Enclosure SEP (Vendor ID HP, Model D3600) 377 (WWID: 50014380DEADBE01, Port: 1E, Box: 1)
    # Expander 380 (WWID: 50014380DEADBE00, Port: 1I, Box: 1)
    (
        "device",
        "SEP",
        r"(?P<name>(?:Enclosure )?SEP(?:\s*\(Vendor[^()]*\))?(?: \d+)?)(?:\s*\((?P<inside>WWID[^()]*)\))?",
    ),
    ("device", "xpander", r"(?P<name>(?:SAS )?Expander(?: \d+)?)(?:\s*\((?P<inside>[^()]*)\))?"),
    # array A (SAS, Unused Space: 0  MB)
    # Array: A
    # array B (Failed)
    (
        "array",
        "rray",
        r"(?:SmartCache |SSD )?[Aa]rray:?\s+(?P<name>[A-Z]{1,3}|\d{1,3})(?:\s*\((?P<inside>.*)\))?",
    ),
    ("unassigned", "nassigned", r"(?i:(?P<name>unassigned(?: (?:physical )?drives)?):?)"),
    ("hba", "rives", r"(?i:(?P<name>(?:HBA(?: Mode)?|Exposed) Drives):?)"),
    ("listing", "rives", r"(?i:(?P<name>(?:Physical|All) Drives):?)"),
    ("spares", "pare", r"(?i:(?P<name>spares?(?: drives)?):?)"),
    # Foreign Drives: a heading of another kind; what follows belongs to no array above
    ("listing", "rives", r"(?P<name>[A-Z]\w{2,15}(?: [A-Z]\w{2,15})? Drives)"),
    # Smart Array P410i in Slot 0 (Embedded)    (sn: 5001438012345670)
    # Dynamic Smart Array B140i in Slot 0b (RAID Mode)
    (
        "controller",
        " in Slot ",
        rf"(?P<model>{_MODEL}) in Slot (?P<name>[^\s()]{{1,40}})(?P<rest>{_BRACKETS})",
    ),
    # MSA1500 CS in ARCHIVE ROOM
    # MSA1000 at ARCHIVE (sn: P56350XXIP000A, csn: 9J3CXX71XDCA, wwn: 500805F3000AAC11)
    ("controller", " in ", rf"{_EXTERNAL} in {_CHASSIS}(?P<rest>{_BRACKETS})"),
    ("controller", " at ", rf"{_EXTERNAL} at {_CHASSIS}(?P<rest>{_BRACKETS})"),
)  # fmt: skip


_MESSAGE_WORDS = ("error", "warning", "note", "caution")


def heading(text: str) -> Heading | None:
    """What section or object a stripped line opens. None if it opens none."""
    found = first_form(_FORMS, text)
    if found is None:
        return None
    kind, match = found
    parts = {key: value for key, value in match.groupdict().items() if value is not None}
    if kind == "controller" and parts["model"].lower().startswith(_MESSAGE_WORDS):
        return None
    return Heading(kind, collapse(parts.pop("name", "")), parts)


LineKind = Literal["error", "warning", "note", "missing_tool", "version", "command", "notice", "options"]

# FIRMWARE UPGRADE REQUIRED: A firmware update is recommended for this controller
# CACHE STATUS PROBLEM DETECTED: The cache on this controller has a problem.
_WARNING_IN_CAPITALS = regex(r"(?=[A-Z /-]{16})[A-Z][A-Z/-]+(?: [A-Z][A-Z/-]+){1,8}:(?:\s.*)?")
_VERSION = regex(
    r"(?:.*(?P<long>Array Configuration Utility|Storage Administrator) CLI|(?P<short>\w{3,12}(?: CLI)?) Version:)\s*"
    r"(?P<version>\d[\w.-]*)(?:\s.*)?",
)
_TOOL_NAME = regex(r"(?:^|[\s/#>$=])(?P<tool>hpacucli|hpssacli|ssacli)(?:\.exe)?\b", re.IGNORECASE)
_COMMAND = regex(
    r"(?:.*[\s/#>$])?(?:hpacucli|hpssacli|ssacli)(?:\.exe)?\"?\s+(?:(?:-\S+|ctrl|controller|cmd|version|rescan|help)\b.*)"
    r"|=>.*|#?\s*\[?[\w.-]+@[\w.-]+.*[#$%>]",
    re.IGNORECASE,
)
_NOTICE = regex(
    r"Detecting Controllers.*|Type \"(?:help|exit)\".*|SoulAPI Version:.*|Copyright .*|-{3,}|={3,}",
    re.IGNORECASE,
)
_MISSING = regex(r"command not found|: not found|could not find|no such file", re.IGNORECASE)


def line_kind(text: str) -> LineKind | None:
    """The message in a stripped line outside the configuration. None for other lines."""
    low = text.lower()
    if low.startswith(("error:", "error ")):
        return "error"
    if low.startswith(("warning:", "caution:")) or (text[:2].isupper() and _WARNING_IN_CAPITALS.fullmatch(text)):
        return "warning"
    if low.startswith("note:") or text.startswith("Encryption is enabled"):
        return "note"
    if text.startswith("Available options are"):
        return "options"
    if _NOTICE.fullmatch(text):
        return "notice"
    named = "cli" in low  # the tools' names end in this way; this saves most lines the expressions
    if named and _TOOL_NAME.search(text) and _MISSING.search(text):
        return "missing_tool"
    if ("Version:" in text or " CLI " in text) and tool_version(text):
        return "version"
    if (named or "@" in text or "=>" in text) and _COMMAND.fullmatch(text):
        return "command"
    return None


def tool_version(text: str) -> tuple[str | None, str] | None:
    """Return the tool's name and its version. The name is None if the banner does not show it.

    ``SSACLI Version: 4.21.7.0 2019-11-19``, ``HP Array Configuration Utility CLI 9.40.12.0``.
    """
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    name = (match["short"] or match["long"]).lower()
    if name in ("acu cli", "hpacucli", "array configuration utility"):
        return "hpacucli", match["version"]
    if name in ("hpssacli", "ssacli"):
        return name, match["version"]
    if name in ("storage administrator", "ssa cli", "smart storage administrator"):
        return ("hpssacli" if re.match(r"[12]\.", match["version"]) else "ssacli"), match["version"]
    return None


_SLOT_HINT = regex(r"(?:^|[\s_/])slot[= _]?(?P<slot>\d{1,3}[a-z]?)\b", re.IGNORECASE)


def slot_of_command(text: str) -> str | None:
    """The slot of ``ssacli ctrl slot=1 ld all show``."""
    match = _SLOT_HINT.search(text[:400])
    return match["slot"] if match else None


def tool_of_command(text: str) -> str | None:
    """``ssacli`` of a command line that starts it."""
    match = _TOOL_NAME.search(text[:400])
    return match["tool"].lower() if match else None


def brackets(text: str) -> Iterable[str]:
    """The contents of ``(Embedded) (RAID Mode)    (sn: PDNLH0)``."""
    return [part.strip() for part in re.findall(r"\(([^()]*)\)", text)]
