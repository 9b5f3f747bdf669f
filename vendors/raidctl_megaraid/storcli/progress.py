"""Background work: rows of ``show cc``, ``show bgi``, ``show rebuild`` and their like."""

from __future__ import annotations

import re

from raidctl.model import TaskState
from raidctl.text import attempt, collapse, regex
from raidctl.units import parse_seconds
from raidctl.vendor.draft import ROW, Draft, Pair
from raidctl_megaraid import vocabulary
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.storcli import numbers
from raidctl_megaraid.storcli.columns import ADDRESSES, Cells, keep_cells, key, place
from raidctl_megaraid.storcli.drive import put_place
from raidctl_megaraid.storcli.volume import RunningOperation, put_progress
from raidctl_megaraid.vocabulary import normalized

# 3  0/3  /c0/v3
_VD = regex(r"(?:(?:/c\d+/v)|(?:\d+|-|)/)?(\d{1,6})", re.ASCII | re.IGNORECASE)
_IDS = ("pid", "did")
_PERCENT = ("progress%", "progress", "progress(%)")
"""Titles of the column with the percentage, by version of the tool."""
_QUEUED = ("queued", "waiting", "pending")
_IDLE = ("not ", "no ", "completed", "stopped", "aborted", "failed", "none", "-")
# Show Drive Rebuild Status Succeeded.  Show PD Rebuild Status Succeeded.  Show Drive Copyback Status Succeeded.
_NAMED = (
    ("rebuild", "rebuild"), ("copyback", "copyback"), ("replace", "copyback"), ("sanitize", "sanitize"),
    ("secure", "erase"), ("erase", "erase"), ("erse", "erase"),
    ("initializ", "initialization"), ("clear", "initialization"), ("format", "format"),
    ("locate", "locate"), ("consistency", "CC"), ("migrat", "migrate"), ("shield", "shield"),
    ("background", "BGI"),
)  # fmt: skip


def named(description: str) -> str:
    """The operation in a command's description: ``rebuild``. ``operation`` if it names none."""
    text = description.lower()
    return next((name for form, name in _NAMED if form in text), "operation")


def read_volume_row(controller: ControllerDraft, row: Cells, description: str) -> Draft | None:
    """``0 CC   36  In progress     1 Hours 12 Minutes``; None if it has no number."""
    title = "vd" if "vd" in row else "dg/vd"
    match = _VD.fullmatch(row[title].value.strip()) if title in row else None
    if match is None:
        return None
    volume = controller.volume(match[1])
    for line in row[title].lines:
        volume.add_evidence(line, "id", row[title].value)
    name = row["operation"].value if "operation" in row else named(description)
    going, share = _progress(volume, row)
    if going:
        put_progress(
            volume,
            row.get("operation", row[title]),
            RunningOperation(name, share, _seconds_left(row), _state(row)),
            ROW,
        )
    _keep(volume, row, name, (title,))
    return volume


def read_drive_row(controller: ControllerDraft, row: Cells, description: str) -> Draft | None:
    """``/c0/e252/s3 - Not in progress -``, ``252:3 37 In progress 2 Hours 5 Minutes``; None without an address."""
    where = place(row)
    if where is None:
        return None
    drive = controller.drive(key(where))
    for title in ADDRESSES:
        if title in row:
            put_place(drive, row[title], where)
    name = row["operation"].value if "operation" in row else named(description)
    going, share = _progress(drive, row)
    if going:
        pair = next(row[title] for title in ADDRESSES if title in row)
        put_progress(drive, pair, RunningOperation(name, share, _seconds_left(row), _state(row)), ROW)
        drive.replace_words(name, _summary(row))
    _keep(drive, row, name, ADDRESSES)
    return drive


def _keep(draft: Draft, row: Cells, name: str, addresses: tuple[str, ...]) -> None:
    """Keep an operation's columns under its name, ``CC Status``, ids under their own."""
    plain = (*addresses, *_IDS)
    keep_cells(draft, {title: row[title] for title in _IDS if title in row})
    keep_cells(draft, row, f"{collapse(name)} ", skip=plain)


def _progress(draft: Draft, row: Cells) -> tuple[bool, float | None]:
    """Whether the operation is running, and its percentage."""
    pair = next((row[title] for title in _PERCENT if title in row), None)
    share: float | None = None
    if pair is not None:
        try:
            share = numbers.percent(pair.value)
        except ValueError:
            draft.unread(pair.label, pair.value)
    status = normalized(row["status"].value) if "status" in row else ""
    if status and (status in vocabulary.NO_VALUE or status.startswith(_IDLE)):
        return False, None
    going = "progress" in status or share is not None or _state(row) in ("queued", "paused")
    if status and not going:
        draft.unread("status", row["status"].value)
    return going, share


def _state(row: Cells) -> TaskState | None:
    """``In progress``, ``Paused``, ``Queued``; None without a status."""
    status = normalized(row["status"].value) if "status" in row else ""
    if not status:
        return None
    return "queued" if status.startswith(_QUEUED) else "paused" if status.startswith(("paus", "suspend")) else "running"


def _seconds_left(row: Cells) -> int | None:
    """``1 Hours 12 Minutes`` in seconds; None for ``-`` and unknown words."""
    text = row["estimated time left"].value.strip() if "estimated time left" in row else ""
    return attempt(parse_seconds, text)


def _summary(row: Cells) -> str:
    """``37%, In progress, 2 Hours 5 Minutes left``."""
    parts: list[str] = []
    for titles, form in (
        (_PERCENT, "{}%"),
        (("status",), "{}"),
        (("estimated time left",), "{} left"),
    ):
        pair: Pair | None = next((row[title] for title in titles if title in row), None)
        if pair is not None and vocabulary.has_value(pair.value):
            parts.append(form.format(pair.value.strip().rstrip("%") if "%" in form else pair.value))
    return ", ".join(parts)
