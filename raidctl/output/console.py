"""The output device of a screen: width, character set, colour."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import ParamSpec

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.output.grid import Grid
from raidctl.output.whole_commands import name_machine
from raidctl.text import collapse, printable, regex

P = ParamSpec("P")
MIN_WIDTH = 20
"""Narrower screens get lines of this width; the terminal breaks them."""
INDENT = 2
MIN_ROOM = 14
"""Minimum number of columns right of a label. With fewer, texts begin on the line below it."""
_ASCII = str.maketrans({"→": ">", "·": "|", "…": "~", "°": ""})

_STEPS = regex(r"^/[^/,]*[/,]?|[^/,]*[/,]|[^/,]+")
"""The parts of a path or a list, for line breaks: the first name with the root, then each with its slash or comma."""
_NAMES = regex(r"[^.:=]*[.:=]|[^.:=]+")
"""The parts of a part that is still too long, as in ``controllers[0].volumes[0].cache``."""

Piece = tuple[str, Style] | str
"""A styled text, or a plain one."""

GOOD = Style(color="green")
DULL = Style(dim=True)
WARN = Style(color="yellow", bold=True)
BAD = Style(color="red", bold=True)
STRONG = Style(bold=True)
PLAIN = Style()


class Display(Struct, frozen=True):
    """The properties of the output."""

    width: int = 80
    colour: bool = False
    ascii: bool = False
    options: str = ""
    """The options that select the machine, for commands in remedies: ``--host db7``, ``--demo p400``."""

    @property
    def columns(self) -> int:
        """The width that lines are made for."""
        return max(self.width, MIN_WIDTH)

    @property
    def dot(self) -> str:
        """The separator between facts in a row."""
        return ", " if self.ascii else " · "

    def words(self, text: str) -> str:
        """A text of raidctl's own, in characters that the output has. Its commands name the machine."""
        text = name_machine(text, self.options)
        if not self.ascii:
            return text
        return text.replace(" → ", " -> ").translate(_ASCII).encode("ascii", "replace").decode("ascii")

    def clean(self, text: str) -> str:
        """A text from elsewhere: one line, without escapes, control and invisible characters."""
        plain = collapse(printable(text))
        if not plain.isprintable():
            plain = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in plain)
        return self.words(plain)

    def piece(self, piece: Piece) -> Piece:
        """A piece, cleaned."""
        return self.clean(piece) if isinstance(piece, str) else (self.clean(piece[0]), piece[1])

    def render(self, parts: Iterable[RenderableType]) -> str:
        """The parts below each other, as one text. It ends with a newline. Lines have no trailing blanks."""
        sink = io.StringIO()
        console = Console(
            file=sink,
            width=self.columns,
            height=25,  # otherwise rich asks the terminal for every part
            force_terminal=self.colour,
            color_system="standard" if self.colour else None,
            no_color=not self.colour,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        for part in parts:
            console.print(part, overflow="fold")
        text = sink.getvalue().translate(_ASCII) if self.ascii else sink.getvalue()
        return "".join(f"{line.rstrip()}\n" for line in text.split("\n")[:-1])


def drawn(parts: Callable[P, Iterable[RenderableType]]) -> Callable[P, str]:
    """Make a screen of a function that yields its parts. One of the function's arguments is the display."""

    @wraps(parts)
    def screen(*args: P.args, **named: P.kwargs) -> str:
        [display] = (one for one in args if isinstance(one, Display))
        return display.render(parts(*args, **named))

    return screen


def broken(text: str, width: int) -> str:
    """A text with long paths and lists broken after a slash or comma. Other line breaks are left to rich.

    Unchanged if everything fits, or nothing can be broken.
    """
    if all(len(_steps(word, width)) == 1 for word in text.split(" ")):
        return text
    lines: list[str] = []
    row = ""
    for word in text.split(" "):
        for number, part in enumerate(_steps(word, width)):
            between = " " if row and not number else ""
            if cell_len(row) + len(between) + cell_len(part) <= width:
                row += between + part
                continue
            lines += [row] if row else []
            row = part
    return "\n".join([*lines, row])


def _steps(word: str, width: int) -> list[str]:
    """The parts of a word between which a line may end. A word that fits is one part."""
    if cell_len(word) <= width:
        return [word]
    parts = _STEPS.findall(word)
    return [name for part in parts for name in (_NAMES.findall(part) if cell_len(part) > width else [part])]


def line(*pieces: Piece) -> Text:
    """A line of styled pieces; nothing in them is markup."""
    return Text.assemble(*pieces, overflow="fold")


def pack(pieces: Sequence[Piece], room: int, between: str) -> Text:
    """Pieces in a row with a separator. A full row is continued on the next line."""
    row: list[Piece] = []
    used = 0
    for piece in pieces:
        text, style = _styled(piece)
        text = broken(text, room)
        size = cell_len(text.rsplit("\n", 1)[-1])
        fits = "\n" not in text and used + cell_len(between) + size <= room
        if row:
            row.append(between if fits else "\n")
        used = used + cell_len(between) + size if row and fits else size
        row.append((text, style))
    return line(*row)


def _styled(piece: Piece) -> tuple[str, Style]:
    return (piece, Style()) if isinstance(piece, str) else piece


def hanging(label: Piece, pieces: Sequence[Piece], display: Display) -> RenderableType:
    """A label with pieces in a row. Further rows begin below the first piece.

    All pieces are below the label if it leaves too little room, or less than the longest word needs.
    """
    start = line(label)
    room = display.columns - start.cell_len
    longest = max((cell_len(word) for text, _ in map(_styled, pieces) for word in text.split()), default=0)
    if room < MIN_ROOM or room < longest <= display.columns - INDENT:
        start.rstrip()
        room = display.columns - INDENT
        return Group(indented(start, display), indented(pack(pieces, room, display.dot), display, INDENT))
    grid = Grid((start.cell_len, room))
    grid.add((start, pack(pieces, room, display.dot)))
    return grid


def indented(text: Text, display: Display, indent: int = 0) -> Grid:
    """A text that is wrapped at the right border of the display."""
    grid = Grid((display.columns - indent,), indent=indent)
    grid.add((text,))
    return grid
