"""Arrays: the topology (arrays, spans, their drives) and the free space."""

from __future__ import annotations

import re

from raidctl.text import attempt, regex
from raidctl.vendor.draft import WEAK, Draft, GroupDraft, Pair
from raidctl.vendor.shapes import MISSING_PLACES
from raidctl.vendor.statuses import put_status
from raidctl_megaraid import vocabulary
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.storcli import drive as drives
from raidctl_megaraid.storcli import numbers
from raidctl_megaraid.storcli.columns import Cells, keep_cells, place
from raidctl_megaraid.vocabulary import normalized

_NUMBER = regex(r"\d{1,6}", re.ASCII)
_MEMBER_PLACE = regex(r"\d{1,5}:\d{1,5}", re.ASCII)
_GONE = frozenset({"msng", "missing"})
MISSING = "Missing drives"
"""Label of the detail that counts the missing drives of a group."""


def read_topology(controller: ControllerDraft, row: Cells) -> Draft | None:
    """Read a row of ``TOPOLOGY``: a group, a span, or a drive. None if it names no group.

    ====  ===  ===  ========  ===  =====  =====
    DG    Arr  Row  EID:Slot  DID  Type   State
    ====  ===  ===  ========  ===  =====  =====
    0     -    -    -         -    RAID1  Dgrd
    0     0    -    -         -    RAID1  Dgrd
    0     0    0    252:0     8    DRIVE  Onln
    0     0    1    -         -    DRIVE  Msng
    -     -    -    252:7     9    DRIVE  GHS
    ====  ===  ===  ========  ===  =====  =====
    """
    number = row["dg"].value if "dg" in row and _NUMBER.fullmatch(row["dg"].value) else None
    group = controller.array(number) if number is not None else None
    if "type" in row and normalized(row["type"].value) == "drive":
        return _drive(controller, row, group)
    if group is None:
        return None
    group.add_evidence(row["dg"].lines[0] if row["dg"].lines else None, "id", number)
    span = next((row[title].value for title in ("arr", "span") if title in row), "-")
    if "state" in row:
        _state(group, row["state"])
    read = {"dg", "state"}
    if "status" in row and vocabulary.has_state(row["status"].value):
        _state(group, row["status"])
        read.add("status")
    if vocabulary.has_value(span):
        _keep_reported(group, row, f"Span {span} ", {"dg", "arr", "span"})
        return group
    _keep_reported(group, row, "", read)
    return group


def _keep_reported(group: GroupDraft, row: Cells, prefix: str, skip: set[str]) -> None:
    """Keep the cells with a value. Columns about drives or spans have a dash."""
    for title, pair in row.items():
        if title in skip or not vocabulary.has_value(pair.value):
            for line in pair.lines:
                group.add_evidence(line, "id", group.name)
        else:
            group.keep_detail(pair, prefix)


def _state(group: GroupDraft, pair: Pair) -> None:
    if not vocabulary.has_state(pair.value):
        group.keep_detail(pair)
        return
    put_status(group, pair.lines, "array", vocabulary.group_state(pair.value), text=pair.value)


def _drive(controller: ControllerDraft, row: Cells, group: GroupDraft | None) -> Draft:
    """Read a drive. A missing one has no address, or that of a slot where another drive may be now."""
    if group is not None and "row" in row and _NUMBER.fullmatch(row["row"].value):
        rows: dict[str, None] = group.get("rows") or {}
        group.override(
            "rows", rows | {":".join(row[title].value for title in ("arr", "span", "row") if title in row): None}
        )
    gone = any(title in row and normalized(row[title].value) in _GONE for title in ("state", "status"))
    if not gone and place(row) is not None:
        cells = {title: pair for title, pair in row.items() if title not in ("type", "arr", "span", "row")}
        found = drives.read_row(controller, cells, WEAK)
        if found is not None:
            for title in ("type", "arr", "span", "row"):
                if title in row:
                    found.add_evidence(row[title].lines[0] if row[title].lines else None, "array", row[title].value)
            return found
    return _missing(controller if group is None else group, row)


def _missing(owner: Draft, row: Cells) -> Draft:
    """Count a missing drive. The same table in another output does not count it twice."""
    where = ":".join(row[title].value for title in ("arr", "span", "row") if title in row)
    known: dict[str, None] = owner.get("missing") or {}
    known[where] = None
    owner.override("missing", known)
    owner.replace_words(MISSING, str(len(known)))
    if places := [one for one in known if _MEMBER_PLACE.fullmatch(one)]:
        owner.replace_words(MISSING_PLACES, ", ".join(places))
    keep_cells(owner, row, f"Missing {where} ")
    owner.withdraw("The array lacks ")
    count = "a drive" if len(known) == 1 else f"{len(known)} drives"
    owner.add_problem("warning", "state", f"The array lacks {count}.", "Reinsert or replace the drives, then rebuild.")
    return owner


def read_free_space(controller: ControllerDraft, row: Cells, number: int) -> Draft:
    """Read a row of ``FREE SPACE DETAILS``.

    Each row is a piece of a group that no volume uses. ``number`` is its place in the table.
    """
    name = row["dg"].value if "dg" in row else ""
    owner: Draft = controller.array(name) if _NUMBER.fullmatch(name) else controller
    size = attempt(numbers.size, row["size"].value) if "size" in row else None
    if owner is not controller and size is not None:
        pieces: dict[int, int] = owner.get("pieces") or {}
        pieces[number] = size
        owner.override("pieces", pieces)
        owner.override("free_bytes", min(sum(pieces.values()), numbers.LARGEST))
        for line in row["size"].lines:
            owner.add_evidence(line, "free_bytes", size)
    keep_cells(owner, row, f"Free space {number} ", skip=("dg",) if owner is not controller else ())
    return owner
