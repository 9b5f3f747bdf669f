"""The forms of the tool's lines, without meaning: prompts, titles, tables, trailers.

Sources: einarc (areca.rb) for the tables of drives, arrays and volumes, for events, titles, trailer and the old
``main``; check_raid (areca.pm) for the table with enclosures; check_areca for ``ctrl=``. The newer ``main`` with its
banner, the titles of volumes and arrays, the heading of events and ``set curctrl=`` are unverified.
"""

from __future__ import annotations

import re

from msgspec import Struct

from raidctl.text import collapse, regex

LONGEST_LINE = 2000
"""Longer lines are not of this tool."""

# CLI> sys info
_PROMPT = regex(r"\s*(?:CLI|Areca)\s?>\s?(.*)")
_CALLED = regex(r".{0,80}?[#$>]\s{0,8}(?:sudo\s+)?(?:[\w./-]{0,100}/)?((?:cli(?:32|64)?|areca[-_]cli(?:32|64)?)\s.*)")
_RULE = regex(r"\s*[-=]{4,}[-=\s]*")
# GuiErrMsg<0x00>: Success.
_TRAILER = regex(r"\s*(?:Gui)?ErrMsg\s*(?:<\s*0x(?P<code>[0-9A-Fa-f]{1,8})\s*>)?\s*:\s*(?P<text>.*)")
# 2025-11-02 03:04:05  H/W MONITOR      Raid Powered On
_EVENT = regex(r"\s*\d{4}-\d{1,2}-\d{1,2}\s+\d{1,2}:\d\d:\d\d\s.*")
# Date-Time            Device           Event Type            Elapsed Time Errors
_EVENTS = regex(r"\s*Date-?\s?Time\s+Device\s.*", re.IGNORECASE)
# CLI> set curctrl=2
_NUMBER = regex(r"(?<!\w)(?:cur)?ctrl\s?=\s?(\d{1,2})(?!\w)", re.IGNORECASE)
_TITLES = {
    "the system information": "system",
    "system information": "system",
    "the system configuration": "config",
    "system configuration": "config",
    "the advanced feature information": "config",
    "the advanced configuration": "config",
    "the hdd power management information": "config",
    "the hardware monitor information": "hardware",
    "hardware monitor information": "hardware",
    "drive information": "drive",
    "the drive information": "drive",
    "volume set information": "volume",
    "the volume set information": "volume",
    "volumeset information": "volume",
    "raid set information": "set",
    "the raid set information": "set",
    "raidset information": "set",
}
# The Advanced Feature Information
_OTHER_TITLE = regex(r"\s*the ([a-z /-]{1,40}) (?:information|configuration|setting)s?\s*", re.IGNORECASE)
_TITLE_ENDS = tuple(f"{word}{end}" for word in ("information", "configuration", "setting") for end in ("", "s"))
# [Enclosure#2 : Areca   ARC-8018-.01.11.0 (00)]
_ENCLOSURE = regex(r"\s*\[\s*(?P<name>[^\[\]:]{1,40}?)\s*(?::\s*(?P<text>[^\[\]]{0,120}))?\]\s*")
_AMOUNT = r"\d{1,9}(?:\.\d{1,4})?\s?[KMGT]B"
_DECIMAL = r"\d{1,9}\.\d{1,4}\s?[KMGT]B"
# the tool prints a decimal: 256.1GB, not the 256GB of the model Samsung SSD 850 PRO 256GB before it
_CAPACITY = rf"(?:{_DECIMAL}(?!\s+{_DECIMAL}(?!\S))|\d{{1,9}}\s?[KMGT]B(?!.*\s{_DECIMAL}))"
# 1  Raid Set # 000       6 12000.0GB    0.0GB   2000.0GB         Normal
_SET_ROW = regex(
    rf"\s*(?P<number>\d{{1,3}})\s+(?P<name>\S.*?)\s+(?P<disks>\d{{1,3}})\s+(?P<total>{_AMOUNT})\s+(?P<free>{_AMOUNT})"
    rf"\s+(?:(?P<more>{_AMOUNT}|[0-9A-Za-z.]+)\s+)?(?P<state>[A-Za-z](?:.*\S)?)\s*",
    re.ASCII,
)
# 1 ARC-1210-VOL#00  Raid Set # 00   Raid0     10.5GB 00/00/00   Normal
_VOLUME_ROW = regex(
    rf"\s*(?P<number>\d{{1,3}})\s+(?P<names>\S.*?)\s+(?P<level>Raid ?\d\S*|PassThr\S*|Pass Through|JBOD|N\.A\.?)"
    rf"\s+(?P<size>{_AMOUNT})\s+(?P<address>\d{{1,3}}/\d{{1,3}}/\d{{1,3}}|N\.A\.?|-+)\s+(?P<state>\S(?:.*\S)?)\s*",
    re.ASCII,
)
#  9  02  SLOT 01 ST31500341AS                     1500.3GB  Raid Set # 000
_SLOT_ROW = regex(
    rf"\s*(?P<number>\d{{1,4}})\s+(?P<enclosure>\d{{1,3}})\s+(?P<slot>[A-Za-z]+[ #]{{0,2}}\d{{1,4}}|\d{{1,4}})\s+"
    rf"(?P<model>\S.*?)\s+(?P<size>{_CAPACITY})(?:\s+(?P<usage>\S(?:.*\S)?))?\s*",
    re.ASCII,
)
#  1  1  WDC WD7500AYYS-01RCA0            750.2GB  data
_CHANNEL_ROW = regex(
    rf"\s*(?P<number>\d{{1,4}})\s+(?P<channel>\d{{1,4}})\s+(?P<model>\S.*?)\s+(?P<size>{_CAPACITY})"
    r"(?:\s+(?P<usage>\S(?:.*\S)?))?\s*",
    re.ASCII,
)
#  1   ST3320620AS      5QF0ZK1C         3.AAK        320.1GB  RaidSet Member(1)
_SERIAL_ROW = regex(
    rf"\s*(?P<channel>\d{{1,4}})\s+(?P<model>\S.*?)\s+(?P<serial>\S+)\s+(?P<firmware>\S+)\s+(?P<size>{_CAPACITY})"
    r"(?:\s+(?P<usage>\S(?:.*\S)?))?\s*",
    re.ASCII,
)
# S.M.A.R.T Information For Drive[#01]
_SMART = regex(r"\s*S\.?M\.?A\.?R\.?T\.? Information For Drive ?\[?#?0*(\d{1,4})\]?\s*", re.ASCII | re.IGNORECASE)
# 1 Raw Read Error Rate                       0x0f     83     44   OK
_SMART_ROW = regex(
    r"\s*(?P<number>\d{1,3})\s+(?P<name>\S.*?)\s+(?P<flag>0x[0-9A-Fa-f]+)\s+(?P<value>\S+)\s+(?P<limit>\S+)"
    r"\s+(?P<state>\S(?:.*\S)?)\s*",
    re.ASCII,
)
# [*] 1   ARC-1880   Raid Controller  PCI
_CONTROLLER_ROW = regex(
    r"\s*(?:\[(?P<mark>.)\])?\s*(?P<number>\d{1,2})\s+(?P<model>ARC-\S+)\s+(?P<more>\S(?:.*\S)?)\s*", re.ASCII
)
_ROWS = {
    "channels": _CHANNEL_ROW, "slots": _SLOT_ROW, "sets": _SET_ROW, "volumes": _VOLUME_ROW,
    "controllers": _CONTROLLER_ROW, "smart": _SMART_ROW, "serials": _SERIAL_ROW,
}  # fmt: skip
_ROW_START = regex(r"\s*\d{1,4}\s+\S+\s+\S", re.ASCII)
# Controller#01(PCI): ARC-1210
_CONTROLLER_LINE = regex(
    r"\s*Controller#(?P<number>\d{1,2})\((?P<more>[^()]*)\)\s*:\s*(?P<model>\S(?:.*\S)?)\s*", re.ASCII
)


class Trailer(Struct, frozen=True):
    """``GuiErrMsg<0x00>: Success.``."""

    code: int | None
    text: str

    @property
    def success(self) -> bool:
        """Whether it is the tool's success message."""
        return self.code == 0 or (self.code is None and self.text.lower().startswith("success"))


def command_of(text: str) -> str | None:
    """The command typed at a prompt of the shell or the tool."""
    match = _PROMPT.fullmatch(text) or _CALLED.fullmatch(text)
    return None if match is None else match[1].strip()


def controller_of(command: str) -> str | None:
    """The controller that a command selects: ``vsf info ctrl=2``, ``set curctrl=2``."""
    match = _NUMBER.search(command[-300:])
    return None if match is None else str(int(match[1]))


def target_of(command: str, word: str) -> str | None:
    """The number of ``drv=3`` in a command line or a file name. The word may also be ``vol`` or ``raid``."""
    match = re.search(rf"(?<![a-z]){word}[=_-]?(\d{{1,4}})(?!\w)", command[-300:], re.IGNORECASE | re.ASCII)
    return None if match is None else str(int(match[1]))


def is_rule(text: str) -> bool:
    """``=====``."""
    return _RULE.fullmatch(text) is not None


def trailer(text: str) -> Trailer | None:
    """The line that ends every output of the tool. None for another line."""
    match = _TRAILER.fullmatch(text)
    if match is None:
        return None
    return Trailer(int(match["code"], 16) if match["code"] else None, match["text"].strip())


def title(text: str) -> tuple[str, str] | None:
    """Kind of section that a title opens, and its labels' prefix. None for other lines."""
    low = collapse(text.lower())
    if not low.endswith(_TITLE_ENDS):
        return None
    if low in _TITLES:
        return _TITLES[low], ""
    other = _OTHER_TITLE.fullmatch(text)
    return ("config", f"{other[1].strip().title()} ") if other is not None else None


def heading(text: str) -> str | None:
    """The kind of table that a heading opens: ``slots``, ``sets`` and others. None for another line."""
    words = text.replace("#", " ").lower().split()
    if "modelname" in words and "serial" in words:
        return "serials"  # of old releases
    if words[:1] in (["ch"], ["idech"]) and "modelname" in words:
        return "channels"
    if words[:2] == ["attribute", "items"]:
        return "smart"
    if words[:1] == ["enc"] and "modelname" in words:
        return "slots"
    if "totalcap" in words and "freecap" in words:
        return "sets"
    if "ch/id/lun" in words and "level" in words:
        return "volumes"
    if words == ["s", "name", "type", "interface"]:
        return "controllers"
    return "help" if words == ["cmd", "description"] else None


def events_heading(text: str) -> bool:
    """``Date-Time            Device           Event Type …``."""
    return _EVENTS.fullmatch(text) is not None


def is_event(text: str) -> bool:
    """A line of ``event info``."""
    return _EVENT.fullmatch(text) is not None


def part(text: str) -> tuple[str, str] | None:
    """``[Enclosure#1 : ARECA   SAS RAID AdapterV1.0]``: name and description; None for another line."""
    match = _ENCLOSURE.fullmatch(text)
    return None if match is None else (match["name"], (match["text"] or "").strip())


def row(text: str, kind: str) -> dict[str, str] | None:
    """The cells of a table's row, empty if it has none; None for another line."""
    form = _ROWS.get(kind)
    match = form.fullmatch(text) if form is not None else None
    return None if match is None else match.groupdict("")


def looks_like_a_row(text: str) -> bool:
    """Whether a line begins like a table row. The rows of all these tables begin with a number and two cells."""
    return _ROW_START.match(text) is not None


def smart_title(text: str) -> str | None:
    """The number of the drive whose attributes follow; None for another line."""
    match = _SMART.fullmatch(text)
    return None if match is None else match[1]


def controller_line(text: str) -> dict[str, str] | None:
    """``Controller#01(PCI): ARC-1210`` of old releases; None for another line."""
    match = _CONTROLLER_LINE.fullmatch(text)
    return None if match is None else match.groupdict()


def two_names(text: str, start: int, line: str) -> tuple[str, str] | None:
    """Name and array of a volume's row, each 16 characters wide. The array begins at a column of the heading."""
    place = line.find(text)
    cut = start - place
    if 0 < cut < len(text) and text[cut - 1] == " " and text[cut] != " ":
        return text[:cut].strip(), text[cut:].strip()
    halves = re.split(r" {2,}", text, maxsplit=1)
    return (halves[0], halves[1].strip()) if len(halves) == 2 else None
