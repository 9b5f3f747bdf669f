"""Tables that fit the width, with nothing cut off. Optional columns are dropped, wide ones wrap."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Group, OverflowMethod, RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.output.console import DULL, MIN_ROOM, PLAIN, Display, Piece, broken, indented, line, pack
from raidctl.output.grid import Grid

GAP = 2
_FLOOR = 3
_LABEL = 8

Cell = tuple[str, Style]
Steps = tuple[int, int, int]


class Column(Struct):
    """A column: its title, and one cell per row."""

    title: str
    cells: list[Cell]
    least: int = 0
    """Whether it folds before other columns, never within a word. With ``cut``, the least width. 0: it folds last."""
    late: bool = False
    """Folds only when the others are as narrow as their longest words."""
    optional: bool = False
    """Shown only if everything fits on one line with it."""
    right: bool = False
    whole: bool = False
    """Its cells never fold."""
    cut: bool = False
    """Cells that do not fit are cut off visibly instead of wrapped."""

    @property
    def natural(self) -> int:
        """The width in which no cell folds."""
        return max(cell_len(self.title), *(cell_len(text) for text, _ in self.cells), 1)

    @property
    def longest(self) -> int:
        """The least width that breaks no word, path or id. It also keeps a figure with its unit."""
        words = [self.title, *(word for text, _ in self.cells for word in text.split())]
        if self.cut or self.right or self.whole:
            return min(self.least, self.natural) if self.cut else self.natural
        return max(1, *map(cell_len, words))

    @property
    def steps(self) -> Steps:
        """The least widths in three rounds.

        Columns that fold first come first, then the late ones, then the others. Words stay whole.
        """
        first = self.natural if self.late or not self.least else self.longest
        return first, self.longest if self.least else self.natural, self.longest


def nonempty(columns: Sequence[Column | None]) -> list[Column]:
    """The columns with a value in at least one row."""
    return [column for column in columns if column and any(text not in {"", "?"} for text, _ in column.cells)]


def fit(naturals: Sequence[int], steps: Sequence[Steps], room: int) -> list[int]:
    """Widths of columns that fit into ``room`` together. The widest columns that may fold shrink first.

    ``steps`` are the least widths of each in three rounds; if one word is wider than the display, all columns shrink
    further.
    """
    widths = list(naturals)
    for floors in (*zip(*steps, strict=True), [_FLOOR] * len(widths)):
        while sum(widths) > room:
            able = [index for index, width in enumerate(widths) if width > floors[index]]
            if not able:
                break
            widths[max(able, key=widths.__getitem__)] -= 1
    return widths


def shown(columns: Sequence[Column], display: Display, indent: int = 2) -> list[Column]:
    """The columns that fit. Optional ones are taken in their order, as long as nothing folds."""
    used = sum(column.natural + GAP for column in columns if not column.optional)
    chosen: list[Column] = []
    for column in columns:
        if column.optional:
            if used + column.natural > display.columns - indent:
                used = display.columns  # a less important column must not take its place
                continue
            used += column.natural + GAP
        chosen.append(column)
    return chosen


def table(columns: Sequence[Column], display: Display, indent: int = 2) -> Group:
    """A table, never wider than the display. A column that does not fit has a line below each row."""
    chosen, below = _placed(shown(columns, display, indent), display.columns - indent)
    room = display.columns - indent - GAP * (len(chosen) - 1)
    widths = fit([column.natural for column in chosen], [column.steps for column in chosen], room)
    parts: list[RenderableType] = []
    grid = None
    for number, row in enumerate(zip(*(column.cells for column in chosen), strict=True)):
        if grid is None:
            grid = Grid(widths, gap=GAP, indent=indent)
            if not parts and any(column.title for column in chosen):
                grid.add([_title(column, display) for column in chosen], bottom=True)
            parts.append(grid)
        grid.add([_text(*place) for place in zip(chosen, row, widths, strict=True)])
        for column in below:
            text, style = column.cells[number]
            if text not in {"", "?"}:
                label = f"{display.words(column.title)}  " if column.title else ""
                row_below = line((label, DULL), (broken(text, room - len(label)), style))
                parts.append(indented(row_below, display, indent + GAP))
                grid = None
    return Group(*parts)


def _title(column: Column, display: Display) -> Text:
    return _aligned(column, display.words(column.title), DULL, "fold")


def _text(column: Column, cell: Cell, width: int) -> Text:
    text, style = cell
    if column.cut:
        return _aligned(column, text, style, "ellipsis")
    return _aligned(column, broken(text, width), style, "fold")


def _aligned(column: Column, text: str, style: Style, overflow: OverflowMethod) -> Text:
    return Text(text, style, justify="right" if column.right else "left", overflow=overflow, no_wrap=column.cut)


def _placed(columns: Sequence[Column], room: int) -> tuple[list[Column], list[Column]]:
    """Columns side by side, and those that do not fit. These get a line below each row.

    A word wider than the display is folded beside the others if these leave half of the width.
    """
    beside, below = list(columns), list[Column]()
    longest = [column.longest for column in columns]
    if max(longest) > room and sum(min(one, room // 2) + GAP for one in longest) - GAP <= room:
        return beside, below
    while len(beside) > 1 and sum(column.longest + GAP for column in beside) - GAP > room:
        able = [column for column in beside[1:] if column.least and not column.cut] or beside[1:]
        below.insert(0, able[-1])
        beside.remove(able[-1])
    return beside, below


def facts(rows: Sequence[tuple[str, Sequence[Piece]]], display: Display, indent: int = 2) -> RenderableType:
    """Labels on the left, their facts in a row on the right. Line breaks are between facts if possible."""
    width = min(max(_LABEL, *(cell_len(label) for label, _ in rows)), display.columns // 2)
    room = display.columns - indent - width - GAP
    if room < MIN_ROOM:
        return _stacked(rows, display, indent)
    grid = Grid((width, room), gap=GAP, indent=indent)
    for label, pieces in rows:
        grid.add((line((label, DULL)), pack(pieces, room, display.dot)))
    return grid


def _stacked(rows: Sequence[tuple[str, Sequence[Piece]]], display: Display, indent: int) -> Group:
    """Each label with its facts below, for narrow screens."""
    room = display.columns - indent - GAP
    return Group(
        *(
            part
            for label, pieces in rows
            for part in (
                indented(line((label, DULL)), display, indent),
                indented(pack(pieces, room, display.dot), display, indent + GAP),
            )
        )
    )


def cells(texts: Sequence[str], style: Style = PLAIN) -> list[Cell]:
    """Cells of one style."""
    return [(text, style) for text in texts]
