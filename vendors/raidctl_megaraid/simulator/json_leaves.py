"""Leaves of a JSON text with their offsets, to change single values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from raidctl.json_decode import decode_text
from raidctl.text import regex

_TOKEN = regex(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


class Leaf(NamedTuple):
    """A text or figure of a JSON text."""

    path: tuple[str, ...]
    """Names and numbers from the top down to it."""
    start: int
    end: int
    raw: str

    @property
    def value(self) -> str:
        """The text without its quotes, the figure as printed."""
        return unquoted(self.raw)

    def spelt(self, value: str) -> str:
        """Return another value in the form of this one, quoted or not."""
        return json.dumps(value, ensure_ascii=False) if self.raw.startswith('"') else value


def unquoted(raw: str) -> str:
    """The text of a piece."""
    if not raw.startswith('"'):
        return raw
    try:
        return str(decode_text(raw, strict=False))
    except ValueError:
        return raw.strip('"')


def leaves(text: str) -> list[Leaf]:
    """All leaves, in order; none if the text is not JSON. Text before the first brace is skipped."""
    found: list[Leaf] = []
    names: list[str] = []
    open_: list[str] = []
    at_key = False
    for match in _TOKEN.finditer(text, max(text.find("{"), 0)):
        piece = match[0]
        if piece in ("{", "["):
            open_.append(piece)
            names.append("0")
            at_key = piece == "{"
        elif not open_:
            break
        elif piece in ("}", "]"):
            open_.pop()
            names.pop()
            at_key = False
        elif piece == ",":
            at_key = open_[-1] == "{"
            names[-1] = names[-1] if at_key else str(int(names[-1]) + 1)
        elif piece == ":":
            at_key = False
        elif at_key:
            names[-1] = unquoted(piece)
        else:
            found.append(Leaf(tuple(names), match.start(), match.end(), piece))
    return found


@lru_cache(maxsize=32)  # a recorded text is rendered again for each state
def tables(text: str) -> Mapping[tuple[str, ...], Mapping[str, Leaf]]:
    """The leaves by their object, and in it by their names."""
    found: dict[tuple[str, ...], dict[str, Leaf]] = {}
    for leaf in leaves(text):
        found.setdefault(leaf.path[:-1], {})[leaf.path[-1]] = leaf
    return found


def put(text: str, values: Mapping[Leaf, str]) -> str:
    """The text with other values."""
    parts, done = [], 0
    for leaf in sorted(values, key=lambda item: item.start):
        parts += [text[done : leaf.start], leaf.spelt(values[leaf])]
        done = leaf.end
    return "".join(parts) + text[done:]
