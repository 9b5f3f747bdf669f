"""raidctl's command line, run in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner, Result

from raidctl.cli import cli

Raidctl = Callable[..., Result]


def command_line(*options: str | Path) -> Raidctl:
    """Return a function that runs command lines with these options first."""

    def run(*words: str | Path, answer: str | bytes = "") -> Result:
        return CliRunner().invoke(cli, [*map(str, options), *map(str, words)], input=answer)

    return run
