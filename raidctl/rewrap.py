"""Lines that a mailer has wrapped are put together again; pure, the vendor's reader decides whether that is right."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from raidctl.vendor import Document, Observation

_NARROWEST, _WIDEST = 72, 82
"""Characters of lines that were wrapped: mailers wrap at 72 to 78; tabs are blanks by now."""
_MANY = 4
"""A text of which more than one line in so many is longer was not wrapped."""

Read = Callable[[Sequence[Document]], Observation]


class _Reading(NamedTuple):
    unread: int
    """Problems of kind ``unread``."""
    strange: int
    """Lines that no parser understood."""
    facts: int
    left: frozenset[str]
    """The lines that no parser understood."""

    @property
    def rank(self) -> tuple[int, int, int]:
        """Less is better."""
        return self.unread, self.strange, -self.facts


def unwrapped(document: Document, read: Read) -> Document:
    """The document with the lines joined that are understood only together; the same one where there are none."""
    lines = document.text.split("\n")
    likely = list(_continued(lines))
    if not likely:
        return document
    with suppress(Exception):  # a reader that fails is reported when it is asked for good
        before = _reading(document, read)
        chosen = [number for number in likely if {lines[number].strip(), lines[number + 1].strip()} & before.left]
        tried = [replace(document, text=_joined(lines, some)) for some in (chosen, likely) if some]
        best = min(((_reading(one, read).rank, place) for place, one in enumerate(tried)), default=None)
        if best is not None and best[0] < before.rank and -best[0][2] >= before.facts:
            return tried[best[1]]
    return document


def _continued(lines: Sequence[str]) -> Iterator[int]:
    """The numbers of lines whose next line could be their end: its first word did not fit."""
    words = [len(line) for line in lines if " " in line]
    if sum(length > _WIDEST for length in words) * _MANY > len(words):
        return
    for begin, end, rule in _blocks(lines):
        length = 0
        for number in range(begin, end - 1):
            line, following = lines[number].rstrip(), lines[number + 1].rstrip()
            length = length or len(line)
            fits = length + 1 + len(following) <= rule if rule > _NARROWEST else _is_full(line, following)
            if fits and following[:1].strip() and len(line) <= _WIDEST:
                length += 1 + len(following)
                yield number
            else:
                length = 0


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Begin and end of the lines between empty ones and the rules of tables, with the length of the longer rule."""
    begin = rule = 0
    for number, line in enumerate([*lines, ""]):
        if not line.strip() or _is_rule(line):
            length = 0 if " " in line.strip() else len(line.strip())
            if number > begin:
                yield begin, number, max(rule, length)
            begin, rule = number + 1, length


def _is_full(line: str, following: str) -> bool:
    """Whether the first word of the next line did not fit."""
    return " " in line.strip() and len(line) + 1 + len(following.split(" ", 1)[0]) > _NARROWEST


def _is_rule(line: str) -> bool:
    return len(line) > 2 and not any(map(str.isalnum, line))


def _joined(lines: Sequence[str], numbers: Collection[int]) -> str:
    found: list[str] = []
    glue = False
    for number, line in enumerate(lines):
        if glue:
            found[-1] = f"{found[-1].rstrip()} {line.lstrip()}"
        else:
            found.append(line)
        glue = number in numbers
    return "\n".join(found)


def _reading(document: Document, read: Read) -> _Reading:
    seen = read([document])
    left = [line.stripped for sheet in seen.sheets for line in sheet.unparsed()]
    facts = sum(len(sheet.facts) for sheet in seen.sheets)
    return _Reading(sum(one.kind == "unread" for one in seen.problems), len(left), facts, frozenset(left))
