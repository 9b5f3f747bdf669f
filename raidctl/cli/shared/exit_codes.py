"""Exit codes for problems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE
from raidctl.model import ACCESS_KINDS, Problem
from raidctl.text import collapse, printable


def exit_code(problems: Iterable[Problem]) -> int:
    """Return 3 if something could not be read or understood.

    Otherwise return 4 if a tool or a permission is missing, else 0.
    """
    kinds = {problem.kind for problem in problems}
    if "unread" in kinds:
        return EXIT_CANNOT_TELL
    return EXIT_ACCESS if kinds & ACCESS_KINDS else EXIT_FINE


def print_problems(problems: Sequence[Problem]) -> None:
    """Print problems on standard error, for documents without a place for them."""
    for problem in problems:
        text = f"{problem.where}: {problem.message} {problem.remedy or ''}"
        click.echo(f"raidctl: {collapse(printable(text))}", err=True)
