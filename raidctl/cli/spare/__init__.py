"""``raidctl spare``: hot spares.

A module for each command; ``_NAME`` modules are shared by them. A new command also needs its short help in the table
below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "show": "Show the spares of each array, and whether they fit.",
    "add": "Make a drive or a partition a spare of an array.",
    "remove": "Remove a spare from its array.",
}


class SpareGroup(LazyGroup):
    """The commands of ``raidctl spare``."""

    apart = _APART
    prefix = "spare."


@click.group("spare", cls=SpareGroup)
def command() -> None:
    """Show, add and remove hot spares.

    A spare is not redundancy: it shortens the time without it.
    """
