"""Find the controller of a table in an output without commands.

The tables of ``tw_cli info cN`` and ``/cN show`` do not name their controller. If the output contains the list of
controllers and one table for each, they have the same order. Otherwise each further table of a kind with other contents
belongs to another controller of unknown number: better two controllers without a number than one that mixes both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from raidctl.evidence import Line
from raidctl.text import collapse
from raidctl_threeware import grammar

_HEADS = ("Unit ", "Port ", "VPort ", "Name ")
_MAX_TABLES = 64
"""Most tables of a kind; an output with more is unusable."""


def plan(lines: Sequence[Line], only: str) -> dict[int, str]:
    """The controller number of each heading line, for tables without one. Empty if only one controller is named."""
    if only or not _several(lines):
        return {}
    listed, tables = _scan(lines)
    if max((len(found) for found in tables.values()), default=0) < 2:
        return {}
    ordered = {kind for kind, found in tables.items() if len(found) == len(listed) > 1}
    numbers: dict[int, str] = {}
    for kind, found in tables.items():
        if kind in ordered:
            numbers |= {start: number for (start, _), number in zip(found, listed, strict=True)}
        elif not ordered and kind != "batteries":
            numbers |= _distinct(found)
    return numbers


def _several(lines: Sequence[Line]) -> bool:
    """Whether there are two tables of a kind."""
    headings = (grammar.heading(line.text) for line in lines if line.text.lstrip().startswith(_HEADS))
    kinds = Counter(heading.kind for heading in headings if heading is not None)
    return any(count > 1 for count in kinds.values()) and kinds["units"] + kinds["ports"] > 1


def _distinct(tables: list[tuple[int, list[str]]]) -> dict[int, str]:
    """Assign tables in order. A copy of an earlier table belongs to the same controller."""
    known: list[list[str]] = []
    numbers: dict[int, str] = {}
    for start, rows in tables:
        if rows not in known:
            known.append(rows)
        place = known.index(rows)
        numbers[start] = f"unknown-{place + 1}" if place else ""
    return numbers


def _scan(lines: Sequence[Line]) -> tuple[list[str], dict[str, list[tuple[int, list[str]]]]]:
    """Return the listed controllers, and the tables that follow no controller name."""
    listed: list[str] = []
    tables: dict[str, list[tuple[int, list[str]]]] = {}
    table: grammar.Table | None = None
    rows: list[str] = []
    named = False
    for line in lines:
        text = line.text.rstrip()
        if not text or len(text) > grammar.LONGEST_LINE:
            continue
        typed, attribute = grammar.command_of(text), grammar.attribute(text)
        heading = grammar.heading(text)
        if typed is not None or attribute is not None:
            named = grammar.number_of(typed) is not None or named if typed is not None else True
            table = None
        elif heading is not None:
            table, rows = heading, []
            whole = heading.kind != "units" or "Cache" in heading.columns
            found = tables.setdefault(heading.kind, [])
            if heading.kind in {"units", "ports", "batteries"} and whole and not named and len(found) < _MAX_TABLES:
                found.append((line.number, rows))
        elif table is not None and (cells := grammar.row(text, table)) is not None:
            rows.append(collapse(text))
            first = next(iter(cells.values()))[1:]
            if table.kind == "controllers" and first not in listed:
                listed.append(first)
    return listed, {kind: found for kind, found in tables.items() if found}
