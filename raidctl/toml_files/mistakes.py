"""Mistakes in a TOML file, with file, line, message and suggestion."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from raidctl.errors import UsageError
from raidctl.text import listing, printable

_SHOWN = 14
"""The maximum number of valid words in a list. If there are more, only similar ones are shown."""


@dataclass(frozen=True, order=True)
class Fault:
    """One mistake in a file."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{printable(self.file)}:{self.line}: {printable(self.message)}"


class MistakesError(UsageError):
    """An invalid file. ``faults`` are all its mistakes, in the order of the file."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults)))
        super().__init__(" ".join(self.lines))

    @property
    def lines(self) -> tuple[str, ...]:
        """One line for each mistake."""
        return tuple(map(str, self.faults))


@dataclass
class Place:
    """A place in a file, which collects its mistakes."""

    file: str
    lines: dict[tuple[str | int, ...], int]
    faults: list[Fault] = field(default_factory=list)
    path: tuple[str | int, ...] = ()

    def at(self, *steps: str | int) -> Place:
        """A place further inside."""
        return Place(self.file, self.lines, self.faults, (*self.path, *steps))

    @property
    def line(self) -> int:
        """The line of the nearest enclosing key."""
        path = self.path
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def wrong(self, message: str) -> None:
        """Record a mistake."""
        self.faults.append(Fault(self.file, self.line, message))


def suggestion(word: str, known: Iterable[str]) -> str:
    """`did you mean …?`, or all valid words; empty if there are too many."""
    words = list(dict.fromkeys(known))
    near = difflib.get_close_matches(word, words, n=3, cutoff=0.6)
    if not near:
        plain = {_plain(one): one for one in words}
        near = [plain[_plain(word)]] if _plain(word) in plain else []
    if near:
        return f"did you mean {listing(near, 'or')}?"
    return f"it can be {listing(words, 'or')}." if 0 < len(words) <= _SHOWN else ""


def hint(word: str, known: Iterable[str]) -> str:
    """:func:`suggestion`; where there is none, the reader is sent to the manual."""
    return suggestion(word, known) or "see the manual."


def _plain(word: str) -> str:
    return "".join(char for char in word.lower() if char.isalnum())
