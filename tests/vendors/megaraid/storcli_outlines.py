"""The same invented outputs in the tools' two forms: JSON and text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from raidctl.vendor.draft import Pair
from raidctl_megaraid.storcli.outline import Answer, Outline, Section

VERSION = "007.1999.0000.0000 Feb 29, 2024"
SECOND = "008.0099.0000.0001 Mar 03, 2025"
RIGHT = frozenset({"Size", "DG", "Ctl", "Ports", "PDs", "Ctrl", "ErrCd", "Port", "VD"})
"""Columns that are aligned right."""

DRIVE_COLUMNS = ("EID:Slt", "DID", "State", "DG", "Size", "Intf", "Med", "SED", "PI", "SeSz", "Model", "Sp", "Type")
VOLUME_COLUMNS = ("DG/VD", "TYPE", "State", "Access", "Consist", "Cache", "Cac", "sCC", "Size", "Name")

Content = Mapping[str, Any] | Sequence[Mapping[str, Any]]


def status(
    number: int | None = 0, result: str = "Success", description: str = "None", *, details: Any = None
) -> dict[str, Any]:
    """A ``Command Status``; ``details`` are the rows of its ``Detailed Status``."""
    found: dict[str, Any] = {"CLI Version": VERSION, "Operating system": "Linux 6.1.0-42-amd64"}
    found |= {"Status Code": 0} if number is None else {"Controller": number}
    found |= {"Status": result, "Description": description}
    return found | {"Detailed Status": details} if details else found


def drive(place: str = "9:0", model: str = "TESTDISK TD4000X", size: str = "3.637 TB", **more: str) -> dict[str, str]:
    """A drive's row."""
    cells = ("31", "Onln", "0", size, "SAS", "HDD", "N", "N", "512B", model, "U", "-")
    return dict(zip(DRIVE_COLUMNS, (place, *cells), strict=True)) | more


def volume(place: str = "0/0", name: str = "", size: str = "7.275 TB", **more: str) -> dict[str, str]:
    """A volume's row."""
    cells = ("RAID5", "Optl", "RW", "Yes", "RWBD", "-", "ON", size, name)
    return dict(zip(VOLUME_COLUMNS, (place, *cells), strict=True)) | more


def json_text(*controllers: Mapping[str, Any], indent: int | str | None = "\t") -> str:
    """``{"Controllers":[…]}`` as the tools print it."""
    return json.dumps({"Controllers": list(controllers)}, indent=indent, separators=(",", " : ")) + "\n"


def controller(data: Mapping[str, Any] | None = None, header: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """One item of ``Controllers``."""
    found: dict[str, Any] = {"Command Status": dict(header or status())}
    return found | {"Response Data": dict(data)} if data is not None else found


def title(words: str) -> str:
    """A title and its rule."""
    return f"{words} :\n{'=' * len(words)}\n"


def pairs(values: Mapping[str, Any]) -> str:
    """``label = value`` lines."""
    return "".join(f"{label} = {value}\n" for label, value in values.items())


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None, *, stripped: bool = False) -> str:
    """A table with each column as wide as its widest cell. ``stripped``: without blanks at the ends of lines."""
    columns = columns or tuple(rows[0])
    widths = {name: max(len(name), *(len(str(row[name])) for row in rows), 0) for name in columns}

    def line(cells: Mapping[str, Any]) -> str:
        parts = [
            str(cells[name]).rjust(widths[name]) if name in RIGHT else str(cells[name]).ljust(widths[name])
            for name in columns
        ]
        return " ".join(parts).rstrip() if stripped else " ".join(parts) + " "

    rule = "-" * (sum(widths.values()) + len(columns))
    lines = [rule, line({name: name for name in columns}), rule, *map(line, rows), rule]
    return "\n".join(lines) + "\n"


def answer_text(data: Mapping[str, Content | str | int], header: Mapping[str, Any] | None = None) -> str:
    """An output in text. JSON's objects are below titles, its lists are tables, and the rest is pairs."""
    header = dict(header or status())
    details = header.pop("Detailed Status", None)
    parts = [pairs(header)]
    if details:
        parts.append(f"{title('Detailed Status')}\n{table(details)}")
    for name, content in data.items():
        if isinstance(content, Mapping):
            parts.append(f"{title(name)}{pairs(content)}")
        elif isinstance(content, str | int):
            parts.append(pairs({name: content}))
        else:
            parts.append(f"{title(name)}\n{table(content)}")
    return "\n\n".join(parts)


def as_tuples(pair_list: Sequence[Pair]) -> list[tuple[str, str]]:
    """Labels and values of some pairs."""
    return [(pair.label, pair.value) for pair in pair_list]


def cells(section: Section) -> list[dict[str, str]]:
    """The rows of a section as plain values."""
    return [{title: pair.value for title, pair in row.items()} for row in section.rows]


def section(outline: Outline, name: str) -> Section:
    """The first section with a title."""
    return next(found for answer in outline.answers for found in answer.sections if found.title == name)


def shape(answer: Answer) -> dict[str, Any]:
    """An answer as plain values."""
    return {
        "status": as_tuples(answer.status),
        "details": [{name: pair.value for name, pair in row.items()} for row in answer.details],
        "sections": sorted((found.title, as_tuples(found.pairs), cells(found)) for found in answer.sections),
    }


def unread(outline: Outline) -> list[str]:
    """The messages of the problems of kind ``unread``."""
    return [problem.message for problem in outline.problems if problem.kind == "unread"]


def lost(outline: Outline) -> list[str]:
    """Lines of an outline's pairs, cells and texts that the output lacks.

    Lines that no reader used are not lost: they are reported as unparsed.
    """
    known = {line.number for line in outline.output.lines}
    found = [
        line
        for answer in outline.answers
        for pair in every_pair(answer)
        for line in pair.lines
        if line.number not in known or outline.output.lines[line.number - 1] is not line
    ]
    return [line.text for line in found]


def every_pair(answer: Answer) -> list[Pair]:
    """Each pair and cell of an answer."""
    rows = [*answer.details, *(row for found in answer.sections for row in found.rows)]
    listed = [pair for found in answer.sections for pair in (*found.pairs, *found.texts)]
    return [*answer.status, *listed, *(pair for row in rows for pair in row.values())]


def unparsed(outline: Outline) -> list[str]:
    """The lines that no reader used."""
    used = {line.number for answer in outline.answers for pair in every_pair(answer) for line in pair.lines}
    return [line.text for line in outline.output.unparsed() if line.number not in used]
