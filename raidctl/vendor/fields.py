"""Tables of a tool's labels: each row is the field that a label gives, or the function that reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from raidctl.evidence import Line
from raidctl.text import collapse
from raidctl.vendor.draft import DETAIL, REPORT, Draft, Pair

T = TypeVar("T")
D = TypeVar("D", bound=Draft)


class Field(NamedTuple):
    """The field that a label gives; see :meth:`Draft.put`."""

    name: str
    parse: Callable[[str], Any]
    weight: int = DETAIL
    shown_as: str | None = None
    keep: bool = False
    """Keep the tool's words as a detail, too."""


Fields = Mapping[str, Field | Callable[[D, Pair], object]]
"""Labels in the form in which the family looks them up."""


def read_pair(draft: D, pair: Pair, label: str, fields: Fields[D]) -> bool:
    """Read a pair by its row; False if the label has none."""
    row = fields.get(label)
    if row is None:
        return False
    if not isinstance(row, Field):
        row(draft, pair)
    elif draft.read_field(pair, row.name, row.parse, row.weight, row.shown_as) is not None and row.keep:
        draft.keep_words(pair.label, pair.value)
    return True


def optional(has_value: Callable[[str], bool], parse: Callable[[str], T]) -> Callable[[str], T | None]:
    """A reader that gives None where the tool prints that there is no value."""
    return lambda text: parse(text) if has_value(text) else None


def put_status(
    draft: Draft, line: Line, what: str, status: str | None, *, text: str, weight: int = DETAIL, prefix: str = ""
) -> None:
    """Put a status and the tool's words for it; a word that is not in the family's table is a problem.

    Args:
        draft: The object.
        line: The line that prints it.
        what: The object's kind, ``controller``.
        status: The model's word; None or ``unknown``: the family does not know the tool's.
        text: The tool's words.
        weight: The rank of the source.
        prefix: ``cache.`` for the status of a part.
    """
    draft.put(line, f"{prefix}status", status or "unknown", weight)
    draft.put(line, f"{prefix}status_text", collapse(text), weight)
    if status in (None, "unknown"):
        draft.add_problem("warning", "unread", f"The {what}'s status word {text!r} is not known.", REPORT)
