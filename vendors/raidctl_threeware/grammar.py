"""The forms of tw_cli's lines: prompts, attributes, tables; not their meaning."""

from __future__ import annotations

import re

from msgspec import Struct

from raidctl.text import regex

LONGEST_LINE = 2000
"""Longer lines are not of this tool."""

_NAMED = regex(r"(?<![A-Za-z0-9])c(\d{1,3})(?![A-Za-z0-9])", re.ASCII)
_CONTROLLER_PATH = regex(r"/c(?<![\w.]/c)(\d{1,3})(?![\w-])", re.ASCII)
# c6    9690SA-8I    8         8        3       0       1       1      OK
_CONTROLLER_LINE = regex(
    r"\n[ \t]{0,8}(?:c(?=\d{1,3}[ \t])|Controller(?:: ?c?| )(?=\d{1,3}(?:[ \t\r\n:]|$)))(\d{1,3})", re.ASCII
)
# //localhost> /c7 show unitstatus
_PROMPT = regex(r"\s*(?://[\w.-]{1,64}[\w./-]{0,64}|3ware CLI|tw[-_]cli)>\s?(.*)")
# root@host:~# tw_cli info c7 unitstatus
_CALLED = regex(r".{0,80}?[#$>]\s{0,8}(?:sudo\s+)?((?:[\w./-]{0,100}/)?tw[-_]cli\S{0,20}\s.*)")
# a report's heading: ===== tw_cli /c0 show all =====
_BARE = regex(
    r"[\W_]{0,20}(?:[Cc]ommand: *)?[\W_]{0,4}(?:sudo )?((?:[\w./-]{0,100}/)?tw[-_]cli\S{0,20}\s+"
    r"(?:/c\d|info\b|show\b|alarms\b).*?)[\W_]{0,20}",
    re.ASCII,
)
_RULE = regex(r"[-=\s]+")
# Device              --- Link Speed (Gbps) ---
_PART_TITLE = regex(r"\s*(?:Device\s+)?-{2,}\s*[A-Za-z][^=:]{0,40}-{2,}[-\s]*|\s+Queue\s+Xfer\s+Resp\s*|\s+Resp\s*")
# /c0/u0 Storsave Policy = balance      /c0/e0 SEP=0, Firmware Version = 55.07.23.000      /e0 Vendor = LSI
_ATTRIBUTE = regex(
    r"\s*(?:/c(?P<controller>\d{1,3}))?(?P<path>(?:/[a-z]{1,6}\d{0,4}(?:-\d+)*){0,3})\s+(?P<label>\S.*?)\s+=(?:\s+(?P<value>.*))?",
    re.ASCII,
)
# /c1 basic verify weekly preferred start: Friday 12:00am
_SCHEDULED = regex(
    r"\s*/c(?P<controller>\d{1,3})(?P<path>)\s+(?P<label>[a-z][^=:]{0,60}):\s+(?P<value>[^=]*)", re.ASCII
)
# the second form is unverified: the manual shows a unit at rest only
# /c0/u5 is not rebuilding, its current state is OK      /c0/u0 is verifying with percent completion = 16%
_SENTENCE = regex(
    r"\s*/c(?P<controller>\d{1,3})/u(?P<unit>\d{1,4}) is (?P<no>not )?(?P<what>[a-z]+)\b(?P<rest>.*)", re.ASCII
)
# Error: (CLI:003) Specified controller does not exist.
_ERROR = regex(r"\s*(?:error|warning)\b\s*:?\s*(?:\(CLI:(?P<code>\d+)\))?\s*(?P<text>.*)", re.IGNORECASE)
# Make sure appropriate AMCC/3ware device driver(s) are loaded.
_DRIVER = regex(r"\s*Make sure .{0,40}3ware .{0,20}driver", re.IGNORECASE)
# between cells; the blank of "1.82 TB" does not count
_BLANKS = regex(r"[ \t](?:[ \t]+|(?<=\t)|(?<!\d )|(?!(?:[KMGT]B?|hr\(s\))(?:\s|$)))", re.ASCII)


class Attribute(Struct, frozen=True):
    """``/c0/u0 Label = value``."""

    controller: str | None
    path: str
    """``u0``, ``e0/fan1``; empty for the controller."""
    label: str
    value: str


class Sentence(Struct, frozen=True):
    """``/c0/u0 is (not) rebuilding …``."""

    controller: str
    unit: str
    operation: str
    negated: bool
    text: str


class Table(Struct, frozen=True):
    """The heading of a table."""

    kind: str
    columns: tuple[str, ...]


_HEADINGS = {
    ("ctl", "model"): "controllers",
    ("ctl", "date"): "events",
    ("unit", "unittype"): "units",
    ("vport", "status"): "ports",
    ("port", "status"): "ports",
    ("name", "onlinestate"): "batteries",
    ("encl", "controllers"): "home",
    ("encl", "status"): "enclosure",
    ("encl", "slots"): "enclosures",
    ("enclosure", "slots"): "enclosures",
    ("fan", "status"): "part",
    ("tempsensor",): "part",
    ("powersupply", "status"): "part",
    ("alarm", "status"): "part",
    ("slot", "status"): "slots",
    ("phy", "sas"): "phys",
    ("slot", "day"): "schedule",
    ("date", "time"): "commands",
}
_HEADING_WORDS = frozenset(words[0] for words in _HEADINGS)
_FIRST = {
    kind: regex(rf"(?:{pattern})(?!\S)")
    for kind, pattern in {
        "controllers": r"c\d{1,3}",
        "events": r"c\d{1,3}",
        "units": r"[sd]?u\d{1,4}(?:-\d{1,4}){0,3}(?:/v\d{1,4})?",
        "ports": r"p\d{1,4}",
        "batteries": r"bbu\d{0,2}",
        "home": r"(?:/c\d{1,3}/)?/?e\d{1,3}",
        "enclosure": r"(?:/c\d{1,3})?/?e\d{1,3}",
        "enclosures": r"(?:/c\d{1,3})?/?e\d{1,3}",
        "part": r"(?:fan|temp|pwrs|psu|pw|alm)\w{0,6}",
        "slots": r"slo?t\d{1,4}",
        "phys": r"phy\d{1,3}",
        "schedule": r"\d{1,2}",
        "commands": r"\d{4}-\d\d-\d\d",
    }.items()
}
"""The first cell of a row, by kind of table."""


def number_of(text: str) -> str | None:
    """Return the controller in a command line or file name.

    ``tw_cli /c3 show`` and ``info.c3.unitstatus`` both name controller ``3``.
    """
    found = {match[1] for match in _NAMED.finditer(text[-300:].rsplit("/", 1)[-1] if " " not in text else text[-300:])}
    return found.pop() if len(found) == 1 else None


def command_of(text: str) -> str | None:
    """Return the command typed at a prompt of the shell or tw_cli. None for other lines."""
    if ">" not in text and "tw_cli" not in text and "tw-cli" not in text:
        return None
    match = _PROMPT.fullmatch(text) or _CALLED.fullmatch(text) or _BARE.fullmatch(text)
    return None if match is None else match[1].strip()


def controllers_named(text: str) -> set[str]:
    """Return the numbers of all controllers in a text.

    Paths such as ``/c0/u0`` contain one, and so may the beginning of a line (``c0``).
    """
    return {*_CONTROLLER_PATH.findall(text), *_CONTROLLER_LINE.findall(f"\n{text}")}


def is_rule(text: str) -> bool:
    """A line of dashes, or the upper half of a heading (``---Speed---``)."""
    return _RULE.fullmatch(text) is not None or _PART_TITLE.fullmatch(text) is not None


def attribute(text: str) -> Attribute | None:
    """``/c0 Model = 9750-4i``; None for another line."""
    if not text.lstrip().startswith("/"):
        return None
    match = _ATTRIBUTE.fullmatch(text) or _SCHEDULED.fullmatch(text)
    if match is None or not (match["controller"] or match["path"]):
        return None
    return Attribute(match["controller"], match["path"].lstrip("/"), match["label"], (match["value"] or "").strip())


def sentence(text: str) -> Sentence | None:
    """``/c0/u0 is not rebuilding, its current state is OK``; None for another line."""
    match = _SENTENCE.fullmatch(text)
    if match is None:
        return None
    return Sentence(
        match["controller"], match["unit"], match["what"], match["no"] is not None, match["rest"].strip(" ,.")
    )


def error(text: str) -> str | None:
    """The text of an error, with its code; None for another line."""
    match = _ERROR.fullmatch(text)
    return None if match is None or not match["text"] else text.strip()


def wants_driver(text: str) -> bool:
    """``Make sure appropriate AMCC/3ware device driver(s) are loaded.``, below ``No controller found.``."""
    return _DRIVER.match(text) is not None


def heading(text: str) -> Table | None:
    """The heading of a table; None for another line."""
    words = text.replace("SAS Address", "SAS-Address").split()
    low = tuple(word.lower().partition("-")[0] for word in words[:2])
    if low[:1] and low[0] not in _HEADING_WORDS:
        return None
    kind = _HEADINGS.get(low) or _HEADINGS.get(low[:1])
    return Table(kind, tuple(words)) if kind and len(words) > 1 else None


def row(text: str, table: Table) -> dict[str, str] | None:
    """The cells of a row by column, the last with the rest. None for other lines."""
    text = text.strip()
    if _FIRST[table.kind].match(text) is None:
        return None
    cells = _BLANKS.split(text, maxsplit=len(table.columns) - 1)
    return dict(zip(table.columns, cells, strict=False))
