"""``raidctl rebuild``: rebuilds of drives behind a RAID controller.

A module for each command; ``_NAME`` modules are shared by them. A new command also needs its short help in the table
below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "start": "Start the rebuild of a member that was lost.",
    "stop": "Stop a rebuild.",
    "pause": "Pause a rebuild.",
    "resume": "Continue a paused rebuild.",
}


class RebuildGroup(LazyGroup):
    """The commands of ``raidctl rebuild``."""

    apart = _APART
    prefix = "rebuild."


@click.group("rebuild", cls=RebuildGroup)
def command() -> None:
    """Start, stop and pause rebuilds of drives behind a RAID controller.

    "raidctl tasks" shows how far they are, "raidctl rate" how fast they may be.
    """
