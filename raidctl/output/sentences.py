"""Sentences and commands, wrapped to the width of the terminal. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from msgspec import Struct

from raidctl.output.whole_commands import join_commands, name_machine, split_commands
from raidctl.text import printable

WIDEST = 79
_NARROW = 60
"""Columns below which indents are smaller and long words are broken."""


class Sentence(Struct, frozen=True):
    """A wrapped sentence; further lines are indented by ``hang``."""

    text: str
    indent: int = 0
    hang: int = 5


class Verbatim(Struct, frozen=True):
    """A line that is never wrapped. So the command in it can be copied."""

    text: str
    indent: int = 0


Line = Sentence | Verbatim


def entry(head: str, below: Iterable[str], columns: int, command: str | None = None) -> Iterator[Line]:
    """A list entry: a line, the command below it, then sentences.

    The line is not wrapped if the terminal has room for it, so that it can be searched for.
    """
    yield Verbatim(head) if len(printable(head)) <= columns else Sentence(head, hang=5 if columns >= _NARROW else 0)
    if command is not None:
        yield Verbatim(command, indent=5)
    for text in below:
        yield Sentence(text, indent=5, hang=7)


def room(columns: int) -> int:
    """The longest line that is not wrapped."""
    return min(columns, WIDEST)


def fitted(lines: Iterable[Line], columns: int, options: str = "") -> str:
    """The lines as one text, wrapped and cleaned for a terminal.

    ``options`` select the machine, in the commands of the text (:func:`name_machine`).
    """
    return "".join(f"{line}\n" for one in lines for line in _lines(one, room(columns), options))


def _lines(one: Line, width: int, options: str) -> Iterator[str]:
    narrow = width < _NARROW
    indent = " " * (min(one.indent, 1) if narrow else one.indent)
    if isinstance(one, Verbatim):
        yield f"{indent}{name_machine(printable(one.text), options)}"
        return
    hang = min(one.hang, 2) if narrow else one.hang
    lines = textwrap.wrap(
        join_commands(name_machine(printable(one.text), options), width - max(hang, len(indent))), width,
        initial_indent=indent, subsequent_indent=" " * hang, break_long_words=narrow, break_on_hyphens=False,
    )  # fmt: skip
    yield from map(split_commands, lines)
