"""What problems mean for the exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE
from raidctl.model import Problem
from raidctl.text import collapse, printable


def exit_code(problems: Iterable[Problem]) -> int:
    """3 when something could not be read or understood, else 4 when a tool or a right is missing, else 0."""
    kinds = {problem.kind for problem in problems}
    if "unread" in kinds:
        return EXIT_CANNOT_TELL
    return EXIT_ACCESS if kinds & {"no_tool", "no_right"} else EXIT_FINE


def tell_problems(problems: Sequence[Problem]) -> None:
    """Problems on standard error, for answers that have no place for them."""
    for problem in problems:
        text = f"{problem.where}: {problem.message} {problem.remedy or ''}"
        click.echo(f"raidctl: {collapse(printable(text))}", err=True)
