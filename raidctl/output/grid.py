"""Texts side by side, in columns of given widths.

raidctl works out the widths of its columns itself (:mod:`raidctl.output.table`), so nothing is left to measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.text import Text

from raidctl.output.whole_commands import join_commands, split_commands


class Grid:
    """Rows of texts. Each text is wrapped in its column, by its ``overflow``, ``justify`` and ``no_wrap``."""

    def __init__(self, widths: Sequence[int], *, gap: int = 0, indent: int = 0) -> None:
        """``gap`` blanks are between the columns, and ``indent`` blanks before the first."""
        self._widths = tuple(widths)
        self._gap = Text(" " * gap)
        self._indent = indent
        self._rows: list[tuple[Sequence[Text], bool]] = []

    def add(self, texts: Sequence[Text], *, bottom: bool = False) -> None:
        """Add a row; with ``bottom``, short texts are beside the last line of the longest."""
        self._rows.append((texts, bottom))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """Yield the lines of all rows. The options are not needed: the texts and the widths decide."""
        for texts, bottom in self._rows:
            cells = [_lines(text, width, console) for text, width in zip(texts, self._widths, strict=True)]
            height = max(map(len, cells))
            for lines, width in zip(cells, self._widths, strict=True):
                blanks = [Text(" " * width)] * (height - len(lines))
                lines[:] = [*blanks, *lines] if bottom else [*lines, *blanks]
            for row in zip(*cells, strict=True):
                line = self._gap.join(row)
                line.pad_left(self._indent)
                yield from line.render(console, end="\n")


def _lines(text: Text, width: int, console: Console) -> list[Text]:
    """The lines of a text, as wide as its column. Most texts fit on one."""
    free = width - text.cell_len
    if free < 0 or not text.plain.isprintable():  # line breaks and tabs are not printable
        text = text.copy()
        text.plain = join_commands(text.plain, width)
        lines = list(text.wrap(console, width, justify=text.justify or "left"))
        for line in lines:
            line.plain = split_commands(line.plain)
        return lines
    line = text.copy()
    if text.justify == "right":
        line.pad_left(free)
    else:
        line.pad_right(free)
    return [line]
