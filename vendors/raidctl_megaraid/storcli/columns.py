"""What the table readers have in common.

It finds cells by lower-case title and addresses, and keeps cells as details.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from raidctl.text import collapse, regex
from raidctl.vendor.draft import Draft, Pair
from raidctl_megaraid import vocabulary
from raidctl_megaraid.storcli.outline import Row
from raidctl_megaraid.vocabulary import normalized

Cells = dict[str, Pair]
"""The cells of a row by their column titles in lower case."""

ADDRESSES = ("eid:slt", "eid:slot", "drive-id", "drive")
"""Titles of the column with the place of a drive."""

_EID_SLOT = regex(r"([0-9]{1,6}|-|)\s*:\s*([0-9]{1,6})", re.ASCII)
_PATH = regex(r"(?:/c[0-9]+)?(?:/e([0-9]{1,6}))?/s([0-9]{1,6})", re.ASCII | re.IGNORECASE)


def cells(row: Row) -> Cells:
    """A row with the titles of its columns in lower case."""
    return {normalized(title): pair for title, pair in row.items()}


def address(text: str) -> tuple[str, str] | None:
    """Enclosure (empty without one) and slot of ``252:3``, `` :3``, ``/c0/e252/s3``, ``/c0/s3``. None without both."""
    bare = text.strip()
    match = _EID_SLOT.fullmatch(bare) or _PATH.fullmatch(bare)
    if match is None:
        return None
    return (match[1] or "").strip("-"), match[2]


def place(row: Cells) -> tuple[str, str] | None:
    """Enclosure and slot of the drive that a row is about."""
    return next((address(row[title].value) for title in ADDRESSES if title in row), None)


def key(where: tuple[str, str]) -> str:
    """``252:3``; ``:3`` without an enclosure."""
    return f"{where[0]}:{where[1]}"


def keep_cells(draft: Draft, row: Cells, prefix: str = "", skip: Collection[str] = ()) -> None:
    """The cells of a row that have no neutral field, as details."""
    for title, pair in row.items():
        if title not in skip:
            draft.keep_detail(pair, prefix)


def keep_table(draft: Draft, rows: Iterable[Row], prefix: str) -> None:
    """A table without neutral fields: ``Port Information Port 0 Linkspeed``."""
    for row in rows:
        first = next(iter(row.values()), None)
        if first is None:
            continue
        name = collapse(f"{prefix} {first.label} {first.value}")
        draft.keep_detail(first, f"{prefix} ".lstrip())
        for pair in list(row.values())[1:]:
            draft.keep_detail(pair, f"{name} ")


def reported(row: Cells, *titles: str) -> Pair | None:
    """The first of the columns whose cell has a value."""
    return next((row[title] for title in titles if title in row and vocabulary.has_value(row[title].value)), None)
