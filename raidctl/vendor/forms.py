"""Forms of a tool's lines. The kind of a line is that of the first matching expression."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from raidctl.text import regex

K = TypeVar("K", bound=str)

Forms = Sequence[tuple[K, str, re.Pattern[str]]]
"""Kind of line, a word in each such line, and its expression. Without the word the expression is not tried."""


def forms(*rows: tuple[K, str, str], flags: int = 0) -> Forms[K]:
    """Compile a table of forms."""
    return tuple((kind, word, regex(form, flags)) for kind, word, form in rows)


def first_form(table: Forms[K], text: str, searched: str | None = None) -> tuple[K, re.Match[str]] | None:
    """The first form that matches the whole text. ``searched``: the text in the case of the table's words."""
    words = text if searched is None else searched
    for kind, word, form in table:
        if word in words:
            match = form.fullmatch(text)
            if match is not None:
                return kind, match
    return None
