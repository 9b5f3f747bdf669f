"""The targets of ``raidctl export --listen --targets``: hosts that may be asked for."""

from __future__ import annotations

import copy
import re

import click

from raidctl.cli.shared import files
from raidctl.cli.shared.options import Settings
from raidctl.errors import UsageError
from raidctl.text import printable

_HOST = re.compile(r"[A-Za-z0-9_.@:\[\]-]+", re.ASCII)


def targets_of(path: str, settings: Settings) -> list[str]:
    """The hosts in a file, one a line; ``#`` begins a comment.

    Raises:
        UsageError: A line is no host, or there is none.
        CannotTell: The file cannot be read.
        click.UsageError: An option names a machine.
    """
    for name in ("host", "replay", "demo"):
        if name in settings.given:
            raise click.UsageError(f"--targets names the machines: {settings.given[name]} cannot be used with it.")
    shown = printable(path)
    found = []
    for number, line in enumerate(
        files.read(path, shown, "a list of hosts").decode("utf-8", "replace").splitlines(), 1
    ):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        if not _HOST.fullmatch(word) or word.startswith("-"):
            raise UsageError(f'{shown}:{number}: "{printable(word)}" is no host: write db7, or root@db7, one a line.')
        found.append(word)
    if not found:
        raise UsageError(f"{shown} has no host: write one a line.")
    return found


def for_target(settings: Settings, target: str) -> Settings:
    """The settings for a scan of one target."""
    there = copy.copy(settings)
    there.host = target
    return there
