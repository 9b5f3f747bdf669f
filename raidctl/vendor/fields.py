"""Tables of a tool's labels. Each row is the field for a label, or the function that reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from msgspec import Struct

from raidctl.model import Interface
from raidctl.vendor.draft import DETAIL, Draft, Pair

T = TypeVar("T")
A = TypeVar("A")
D = TypeVar("D", bound=Draft)


class Field(Struct, frozen=True):
    """The field for a label; see :meth:`Draft.put`."""

    name: str
    parse: Callable[[str], Any]
    weight: int = DETAIL
    shown_as: str | None = None
    keep: bool = False
    """Keep the tool's words as a detail, too."""
    then: Callable[[Any, Pair, Any], object] | None = None
    """A function of draft, pair and value, for further effects."""


Fields = Mapping[str, Field | Callable[[D, Pair], object]]
"""Labels in the form in which the family looks them up."""


def read_pair(draft: D, pair: Pair, label: str, fields: Fields[D]) -> bool:
    """Read a pair by its row; False if the label has none."""
    row = fields.get(label)
    if row is None:
        return False
    if isinstance(row, Field):
        read_field(draft, pair, row)
    else:
        row(draft, pair)
    return True


def read_pairs(
    draft: D,
    pairs: Iterable[Pair],
    fields: Fields[D],
    normalized: Callable[[str], str],
    otherwise: Callable[[D, Pair], object] | None = None,
) -> None:
    """Read pairs by their rows; those without a row become details, and ``otherwise`` reads them."""
    for pair in pairs:
        if not read_pair(draft, pair, normalized(pair.label), fields):
            draft.keep_detail(pair)
            if otherwise is not None:
                otherwise(draft, pair)


def read_field(draft: Draft, pair: Pair, row: Field, weight: int | None = None) -> Any:
    """Read a pair into the field of a row. None if it has no value that is understood."""
    value = draft.read_field(pair, row.name, row.parse, row.weight if weight is None else weight, row.shown_as)
    if value is not None:
        if row.keep:
            draft.keep_words(pair.label, pair.value)
        if row.then is not None:
            row.then(draft, pair, value)
    return value


def leading_interface(text: str) -> Interface | None:
    """The interface that a value begins with: ``SATA PD``, ``SAS(5001B4D4188DF017)``. None: another word."""
    interfaces: tuple[Interface, ...] = ("sata", "sas", "nvme")
    return next((word for word in interfaces if text.lower().startswith(word)), None)


def look_up(table: Mapping[str, T], normalized: Callable[[A], str]) -> Callable[[A], T]:
    """A reader of the words of a table. It raises ``ValueError`` for another word."""

    def parse(text: A) -> T:
        try:
            return table[normalized(text)]
        except KeyError:
            raise ValueError(f"an unknown word: {text!r}") from None

    return parse


def optional(has_value: Callable[[str], bool], parse: Callable[[str], T]) -> Callable[[str], T | None]:
    """A reader that gives None if the printed text means no value. It remembers what it has read."""
    return lru_cache(maxsize=1024)(lambda text: parse(text) if has_value(text) else None)
