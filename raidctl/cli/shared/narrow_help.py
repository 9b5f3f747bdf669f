"""Help pages for terminals narrower than the 50 columns that click assumes."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.formatting import wrap_text

from raidctl.cli.shared.lazy_group import CLICKS_MIN_WIDTH, columns

_MIN_WIDTH = 20
_DEEPER = 4


class Formatter(click.HelpFormatter):
    """click's formatter, but on a narrow terminal with descriptions below the names."""

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        self.narrow = width is None and columns() < CLICKS_MIN_WIDTH
        super().__init__(indent_increment, max(columns(), _MIN_WIDTH) - 1 if self.narrow else width, max_width)

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage, continued below the program's name."""
        if not self.narrow:
            super().write_usage(prog, args, prefix)
            return
        self._below(f"{prefix or 'Usage: '}{prog} {args}", 0, _DEEPER)

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write names and, below each, its description."""
        if not self.narrow:
            super().write_dl(list(rows), col_max, col_spacing)
            return
        for name, about in rows:
            self._below(name, self.current_indent, self.current_indent)
            if about:
                self._below(about, self.current_indent + _DEEPER, self.current_indent + _DEEPER)

    def _below(self, text: str, first: int, more: int) -> None:
        self.write(wrap_text(text, self.width, initial_indent=" " * first, subsequent_indent=" " * more) + "\n")


def use() -> None:
    """Use the formatter for every command. Click takes the class from the context class, and no command has its own."""
    click.Context.formatter_class = Formatter
