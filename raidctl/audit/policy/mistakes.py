"""What is wrong with a policy: file, line, sentence, suggestion; all of it at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from raidctl.errors import UsageError
from raidctl.text import listing, printable

_SHOWN = 14
"""So many possible words are listed; of more, only those that are near."""


@dataclass(frozen=True, order=True)
class Fault:
    """One mistake in a policy."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{printable(self.file)}:{self.line}: {printable(self.message)}"


class PolicyError(UsageError):
    """A policy that cannot be meant; ``faults`` are all of its mistakes, in the order of the file."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults)))
        super().__init__(" ".join(map(str, self.faults)))


@dataclass
class Place:
    """Where in a policy something stands: takes notes of mistakes there."""

    file: str
    lines: dict[tuple[str | int, ...], int]
    faults: list[Fault] = field(default_factory=list)
    path: tuple[str | int, ...] = ()

    def at(self, *steps: str | int) -> Place:
        """Further inside."""
        return Place(self.file, self.lines, self.faults, (*self.path, *steps))

    @property
    def line(self) -> int:
        """Of the nearest key around that the file has."""
        path = self.path
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def wrong(self, message: str) -> None:
        """Take a note."""
        self.faults.append(Fault(self.file, self.line, message))


def suggestion(word: str, known: Iterable[str]) -> str:
    """`did you mean …?`, or all there is, or nothing where there is too much of it."""
    words = list(dict.fromkeys(known))
    near = difflib.get_close_matches(word, words, n=3, cutoff=0.6)
    if not near:
        plain = {_plain(one): one for one in words}
        near = [plain[_plain(word)]] if _plain(word) in plain else []
    if near:
        return f"did you mean {listing(near, 'or')}?"
    return f"it can be {listing(words, 'or')}." if 0 < len(words) <= _SHOWN else ""


def _plain(word: str) -> str:
    return "".join(char for char in word.lower() if char.isalnum())
