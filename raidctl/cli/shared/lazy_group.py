"""Command groups that import a command's module only when it is used."""

from __future__ import annotations

import importlib
import keyword
import os
import sys
from collections.abc import Mapping
from typing import ClassVar

import click

CLICKS_MIN_WIDTH = 52
"""Columns below which click's help pages are wider than the terminal. This is 50, and a margin of 2."""


def columns() -> int:
    """Return COLUMNS, or the columns of the terminal; 80 if there is none.

    Like ``shutil.get_terminal_size``, whose module imports all compression libraries.
    """
    try:
        named = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        named = 0
    if named > 0:
        return named
    output = sys.__stdout__
    try:
        return (os.get_terminal_size(output.fileno()).columns if output else 0) or 80
    except (ValueError, OSError):  # closed, or no terminal
        return 80


class LazyGroup(click.Group):
    """A group that finds commands by the names of their modules."""

    apart: ClassVar[Mapping[str, str]]
    """The commands with their short help, in the order of the help. Each has its module."""
    prefix: ClassVar[str] = ""
    """Prefix of the module names: ``bench.``."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Return the names, in the order of the help."""
        return list(self.apart)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """Return the command of this name."""
        if cmd_name not in self.apart:
            return None
        module = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        found: click.Command = importlib.import_module(f"raidctl.cli.{self.prefix}{module}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command, its name, and the remaining arguments. For an unknown name, suggest similar ones."""
        name = args[0]
        if self.get_command(ctx, name) is None and not ctx.resilient_parsing and not name.startswith("-"):
            import shlex  # noqa: PLC0415 - rarely needed
            from difflib import get_close_matches  # noqa: PLC0415 - as above

            from raidctl.text import listing, printable  # noqa: PLC0415 - as above

            likely = get_close_matches(name, self.list_commands(ctx))
            hint = f" Did you mean {listing(likely, 'or')}?" if likely else ""
            if not likely and ctx.parent is None and os.path.exists(name):  # noqa: PTH110 - pathlib takes long to import
                hint = f" To read a file or a recording: raidctl --replay {printable(shlex.quote(name))} show"
            ctx.fail(f"No such command '{printable(name)}'.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.apart.items()))
