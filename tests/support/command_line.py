"""raidctl's command line, run in this process."""

from __future__ import annotations

import subprocess
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


def raidctl(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command line in this process, 80 columns wide. An exception fails the test."""
    words = [str(argument) for argument in arguments]
    done = CliRunner(env={"COLUMNS": "80"}).invoke(cli, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)
