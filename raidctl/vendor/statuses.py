"""Converts a tool's word for the state of an object to the model's status."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raidctl.evidence import Line
from raidctl.text import collapse
from raidctl.vendor.draft import DETAIL, REPORT, Draft, Pair

_LONGEST = 80
"""Characters of a quoted word."""


def put_status(
    draft: Draft,
    lines: Sequence[Line],
    what: str,
    status: str | None,
    *,
    text: str,
    word: str | None = None,
    weight: int = DETAIL,
    prefix: str = "",
    held_as: str | None = None,
) -> None:
    """Put a status and the tool's words for it; a word that is not in the family's table is a problem.

    If two sources disagree, the bad status is used, whatever their ranks: a drive that is failed only in the tool's
    list is not ok.

    Args:
        draft: The object.
        lines: The lines that print it.
        what: The object's kind, ``controller``.
        status: The model's word; None or ``unknown``: the family does not know the tool's word.
        text: The tool's words.
        word: The word that was looked up, if not all of them.
        weight: The rank of the source.
        prefix: ``cache.`` for the status of a part.
        held_as: The package's own field for it, if the status follows from several lines.
    """
    name = f"{prefix}status"
    weight = draft.status_weight(held_as or name, status or "unknown", weight)
    for line in lines or (None,):
        draft.put(line, held_as or name, status or "unknown", weight, name if held_as else None)
        draft.put(line, f"{name}_text", collapse(text), weight)
    if status in (None, "unknown"):
        shown = (text if word is None else word)[:_LONGEST]
        draft.add_problem("warning", "unread", f"The {what}'s status word {shown!r} is not known.", REPORT)


def read_status(
    draft: Draft, pair: Pair, what: str, look_up: Callable[[str], str | None], weight: int = DETAIL
) -> str | None:
    """Read a pair into the status; one without a value becomes a detail.

    ``look_up`` returns None if the tool prints that there is no value, and raises ``ValueError`` for a word that it
    does not know.
    """
    try:
        status = look_up(pair.value)
    except ValueError:
        status = "unknown"
    if status is None:
        draft.keep_detail(pair)
    else:
        put_status(draft, pair.lines, what, status, text=pair.value, weight=weight)
    return status
