"""The paths of inventories, for the commands that read many."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from raidctl.errors import UsageError
from raidctl.fleet.sources import unread_files
from raidctl.text import printable

_MAX_NAMED = 20


def check_paths(paths: Sequence[str]) -> None:
    """Refuse a path that does not exist. Name on standard error what is below the others and is not read.

    Raises:
        UsageError: There is none of this name.
    """
    for one in paths:
        if one != "-" and not os.path.lexists(one):
            raise UsageError(f'There is no file or directory "{printable(one)}".')
    found = list(unread_files(paths))
    for one in found[:_MAX_NAMED]:
        click.echo(f"raidctl: {printable(one)} is not read: {_KINDS}", err=True)
    if len(found) > _MAX_NAMED:
        click.echo(f"raidctl: {len(found) - _MAX_NAMED} more are not read.", err=True)


_KINDS = "in a directory, only .json, .jsonl and .ndjson (also .gz) and recordings are, and no links to directories."
