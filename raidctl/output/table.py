"""Tables that fit their width: columns that nobody needs go, wide ones fold, nothing is cut off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import JustifyMethod, OverflowMethod
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from raidctl.output.paper import DULL, PLAIN, Paper, Piece, broken, pack

GAP = 2
_FLOOR = 3
_LABEL = 8

Cell = tuple[str, Style]
Steps = tuple[int, int, int]


@dataclass
class Column:
    """A column: its title and a cell for each row."""

    title: str
    cells: list[Cell]
    least: int = 0
    """It folds rather than that another column folds, down to this width; 0: it folds last."""
    late: bool = False
    """It folds only when the others are as narrow as their longest words."""
    optional: bool = False
    """Shown only where everything fits on one line with it."""
    right: bool = False
    cut: bool = False
    """What does not fit is cut off, visibly, rather than folded."""

    @property
    def natural(self) -> int:
        """The width in which nothing folds."""
        return max(cell_len(self.title), *(cell_len(text) for text, _ in self.cells), 1)

    @property
    def steps(self) -> Steps:
        """How narrow it may become: at first its longest word; then the late ones give; then all to their least."""
        if not self.least:
            return (self.natural,) * 3
        if self.late or self.cut:
            return (self.natural if self.late else self.least), self.least, self.least
        words = (word for text, _ in self.cells for word in text.split())
        longest = max(cell_len(self.title), *map(cell_len, words), 1)
        return longest, longest, self.least


def said(columns: Sequence[Column | None]) -> list[Column]:
    """The columns that say something in at least one row."""
    return [column for column in columns if column and any(text not in {"", "?"} for text, _ in column.cells)]


def fit(naturals: Sequence[int], steps: Sequence[Steps], room: int) -> list[int]:
    """Widths of columns that together need no more than ``room``: the widest that may fold give first.

    ``steps`` are how narrow each may become, in three rounds; beyond that all become as narrow as they have to.
    """
    widths = list(naturals)
    for floors in (*zip(*steps, strict=True), [_FLOOR] * len(widths)):
        while sum(widths) > room:
            able = [index for index, width in enumerate(widths) if width > floors[index]]
            if not able:
                break
            widths[max(able, key=widths.__getitem__)] -= 1
    return widths


def shown(columns: Sequence[Column], paper: Paper, indent: int = 2) -> list[Column]:
    """The columns that a table of this paper has: optional ones in their order, while nothing folds for them."""
    used = sum(column.natural + GAP for column in columns if not column.optional)
    chosen: list[Column] = []
    for column in columns:
        if column.optional:
            if used + column.natural > paper.columns - indent:
                used = paper.columns  # what is less important does not slip in
                continue
            used += column.natural + GAP
        chosen.append(column)
    return chosen


def table(columns: Sequence[Column], paper: Paper, indent: int = 2) -> Padding:
    """The table of these columns, as wide as it has to be and never wider than the paper."""
    chosen = shown(columns, paper, indent)
    room = paper.columns - indent - GAP * (len(chosen) - 1)
    widths = fit([column.natural for column in chosen], [column.steps for column in chosen], room)
    titled = any(column.title for column in chosen)
    grid = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_header=titled, header_style=DULL)
    for column, width in zip(chosen, widths, strict=True):
        title = Text(paper.words(column.title), style=DULL, overflow="fold")
        overflow: OverflowMethod = "ellipsis" if column.cut else "fold"
        justify: JustifyMethod = "right" if column.right else "left"
        grid.add_column(title, width=width, overflow=overflow, no_wrap=column.cut, justify=justify)
    for row in zip(*(column.cells for column in chosen), strict=True):
        pieces = zip(chosen, row, widths, strict=True)
        grid.add_row(
            *(Text(text if column.cut else broken(text, width), style=style) for column, (text, style), width in pieces)
        )
    return Padding(grid, (0, 0, 0, indent), expand=False)


def facts(rows: Sequence[tuple[str, Sequence[Piece]]], paper: Paper, indent: int = 2) -> Padding:
    """Labels on the left, their facts in a row on the right, broken between two facts where that is possible."""
    grid = Table.grid(padding=(0, GAP, 0, 0), pad_edge=False)
    width = min(max(_LABEL, *(cell_len(label) for label, _ in rows)), paper.columns // 3)
    room = paper.columns - indent - width - GAP
    grid.add_column("", width=width, overflow="fold")
    grid.add_column("", width=room, overflow="fold")
    for label, pieces in rows:
        grid.add_row(Text(label, style=DULL, overflow="fold"), pack(pieces, room, paper.dot))
    return Padding(grid, (0, 0, 0, indent), expand=False)


def cells(texts: Sequence[str], style: Style = PLAIN) -> list[Cell]:
    """Cells of one style."""
    return [(text, style) for text in texts]
