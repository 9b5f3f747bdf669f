"""The columns of the tools' text tables.

The tool pads each column to its widest cell and puts one blank between two columns; figures are aligned to the right
of their column, words to the left::

    EID:Slt DID State DG       Size Intf Med SED PI SeSz Model            Sp
    12:0     16 Onln   0 278.464 GB SAS  HDD N   Y  512B TESTDISK 300GB   U

A column's edge is therefore a position that is blank in the head and in all rows. Rows whose blanks were lost are split
word by word if the result is certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from raidctl.text import regex

_WIDEST = 2000
"""Characters of a head; the tools print at most 200."""
_LONG_TITLES = frozenset(
    {
        "adv s/w opt", "time remaining", "software option", "lu/ns count", "sas address", "next learn",
        "estimated time left", "product name", "pci address", "negotiated speed", "num phys/lanes used",
        "auto-config property", "image name", "serial number", "model number", "link speed",
        "board name", "fw version", "device type", "sas addr", "phy identifier", "time left", "start time",
    }
)  # fmt: skip
"""Titles that contain blanks, which short cells do not show."""
_TITLES = frozenset(
    {
        "ctl", "ctrl", "model", "ports", "pds", "dgs", "dnopt", "vds", "vnopt", "bbu", "spr", "ds", "ehs", "asos",
        "hlth",
        "dg", "arr", "span", "row", "eid:slot", "eid:slt", "did", "pid", "type", "state", "status", "bt", "size", "pdc",
        "pi", "sed", "ds3", "secured", "fspace", "tr", "dg/vd", "access", "consist", "cache", "cac", "scc", "name",
        "currentcache", "defaultcache", "intf", "med", "sed_type", "sesz", "sp", "alt-eid", "eid", "slots", "pd", "ps",
        "fans", "tss", "alms", "sim", "port#", "prodid", "vendorspecific", "partner-eid", "multipath", "devicetype",
        "temp", "mode", "mfgdate", "retentiontime", "property", "value", "ctrl_prop", "policy", "current", "default",
        "vd", "drive", "drive-id", "errcd", "errmsg", "errtype", "operation", "description", "progress%", "port",
        "linkspeed", "prop", "vdid", "vdsize", "msg", "lun/nsid", "novds", "epack", "personality", "sasaddress",
        "pd(s)", "vd(s)", "method", "location", "subtype",
    }
)  # fmt: skip
"""Titles that are always separate columns."""
_KNOWN = _TITLES | _LONG_TITLES
_RIGHT = frozenset({"size", "vdsize"})
"""Right-aligned columns with blanks in their cells: ``278.464 GB``."""
_FREE = (
    "model", "name", "errmsg", "msg", "description", "vendorspecific", "estimated time left", "value", "ctrl_prop",
    "property", "prodid", "time remaining", "location", "retentiontime", "product name",
)  # fmt: skip
"""Columns whose cells may have blanks in them, the likeliest first."""
# 278.464 GB    9.094 TiB    512 bytes    06/05/2031, 20:00:00    37 C
_JOINED = regex(
    r"(?:\d+(?:\.\d+)? (?:[KMGTPE]i?B|[Bb]ytes)|\d\d/\d\d/\d{4},? \d\d:\d\d:\d\d|\d+ (?:[Ss]ec|hours \+|us|%|C)"
    r"|(?:Not in|In) progress)(?!\S)"
    r"|\S+"
)
_FORMS = {
    "size": regex(r"\d[\d.]* ?[KMGTPE]?i?B|-|0|NA|N/A"),
    "eid:slt": regex(r"\S*:\S+|-"),
    "eid:slot": regex(r"\S*:\S+|-"),
    "dg/vd": regex(r"\S+/\S+"),
}
"""Forms of the cells of some columns. They show whether a row was split rightly."""
_WORDS = regex(r"\S+")
_GAPS = regex(r" {2,}")


class _Column(Struct):
    title: str
    start: int
    end: int
    lone: bool = False
    """Whether only one blank is before it. Its title may then be a part of the title before."""


class Table(Struct, frozen=True):
    """A table's columns and cells. None for a row that could not be split with certainty."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...] | None, ...]


def split(head: str, rows: Sequence[str]) -> Table | None:
    """Split a table's rows at the columns of its head. None if it is not the head of a table."""
    if not head.strip() or len(head) > _WIDEST:
        return None
    columns = _long_titles([_Column(m[0], m.start(), m.end()) for m in _WORDS.finditer(head)])
    for before, column in pairwise(columns):
        column.lone = column.start - before.end == 1
    taken = _taken(columns, rows)
    columns, edges = _edges(columns, taken, len(rows))
    titles = _unique([column.title for column in columns])
    return Table(titles, tuple(_cells(row, titles, edges) for row in rows))


def _long_titles(words: list[_Column]) -> list[_Column]:
    """Join words of the head that are known to form one title."""
    columns: list[_Column] = []
    index = 0
    while index < len(words):
        for count in (4, 3, 2, 1):
            part = words[index : index + count]
            title = " ".join(word.title for word in part)
            touching = all(after.start - word.end == 1 for word, after in pairwise(part))
            if count == 1 or (len(part) == count and touching and title.lower() in _LONG_TITLES):
                columns.append(_Column(title, part[0].start, part[-1].end))
                index += len(part)
                break
    return columns


def _taken(columns: Sequence[_Column], rows: Sequence[str]) -> dict[int, int]:
    """Count the rows with a character at each position between two titles."""
    places = [place for before, after in pairwise(columns) for place in range(before.end, after.start)]
    taken = dict.fromkeys(places, 0)
    for row in rows:
        length = len(row)
        for place in places:
            if place < length and row[place] != " ":
                taken[place] += 1
    return taken


def _edges(columns: list[_Column], taken: dict[int, int], count: int) -> tuple[list[_Column], list[int]]:
    """The position of the blank before each column but the first. Words without an edge between them are one title."""
    kept, edges = columns[:1], []
    for column in columns[1:]:
        places = range(kept[-1].end, column.start)
        least = min(taken[place] for place in places)
        known = {column.title.lower(), kept[-1].title.lower()} <= _KNOWN
        if column.lone and not known and least * 2 > count:
            kept[-1] = _Column(f"{kept[-1].title} {column.title}", kept[-1].start, column.end)
            continue
        edges.append(_edge([place for place in places if taken[place] == least], column.title.lower() in _RIGHT))
        kept.append(column)
    return kept, edges


def _edge(blank: list[int], right: bool) -> int:
    """The blank between two columns that is not inside a cell.

    The blank of ``278.464 GB`` is left of the title ``Size``; that of ``TESTDISK 300GB`` right of ``Model``.
    """
    if not right:
        return blank[-1]
    return next((place for place, after in pairwise(blank) if after != place + 1), blank[-1])


def _unique(titles: Sequence[str]) -> tuple[str, ...]:
    """``Status``, ``Status (2)``: two columns of one title are both kept."""
    seen: dict[str, int] = {}
    unique = []
    for title in titles:
        seen[title] = seen.get(title, 0) + 1
        unique.append(title if seen[title] == 1 else f"{title} ({seen[title]})")
    return tuple(unique)


def _cells(row: str, titles: Sequence[str], edges: Sequence[int]) -> tuple[str, ...] | None:
    if any(edge < len(row) and row[edge] != " " for edge in edges):
        return _by_words(row, titles)
    bounds = [0, *edges, max(len(row), edges[-1] if edges else 0)]
    cells = tuple(row[start:end].strip() for start, end in pairwise(bounds))
    if len(cells) > 2 and not any(cells[1:]):  # the rest of a row that a mailer broke, or a word below a table
        return None
    if titles[-1].lower() in _TITLES and not _free(titles[-1]) and _words(cells[-1]) > 1:
        return _by_words(row, titles)  # the head's blanks are lost: Model Sp for Model               Sp
    if not cells[-1] and not _free(titles[-1]) and (words := _by_words(row, titles)):
        return words  # the blanks before the last cell are lost: dflt N N for dflt N      N
    if "" in cells and any(_GAPS.search(cell) for cell in cells):
        # tabs, or columns that were moved: State     Optimal below Property          Value
        parts = _GAPS.split(row.strip())
        return tuple(parts) if len(parts) == len(titles) else cells
    return cells


def _by_words(row: str, titles: Sequence[str]) -> tuple[str, ...] | None:
    """Split an unaligned row by its words. None: their number is ambiguous."""
    parts = _GAPS.split(row.strip())
    if len(parts) == len(titles) and all(
        _words(part) == 1 or _free(title) for part, title in zip(parts, titles, strict=True)
    ):
        return tuple(parts)
    words = _JOINED.findall(row)
    surplus = len(words) - len(titles)
    low = [title.lower() for title in titles]
    free = [index for index, title in enumerate(low) if title in _FREE]
    if low[:2] == ["model", "state"]:  # CVPM02 Non Operational 35C: caches have models of one word
        free = [1, *free[1:]]
    if not free and low[-1] in ("status", "state"):  # Degraded Needs Attention
        free = [len(low) - 1]
    if surplus == -1 and low[-1] == "name":
        words.append("")
    elif surplus > 0 and len(free) == 1:
        words[free[0] : free[0] + surplus + 1] = [" ".join(words[free[0] : free[0] + surplus + 1])]
    fits = len(words) == len(titles) and all(
        title not in _FORMS or _FORMS[title].fullmatch(word) for title, word in zip(low, words, strict=True)
    )
    return tuple(words) if fits else None


def _words(part: str) -> int:
    return len(_JOINED.findall(part))


def _free(title: str) -> bool:
    return title.lower() in _FREE
