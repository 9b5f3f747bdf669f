"""``raidctl patrol``: patrol reads: the background scan of all drives of a controller.

A module for each command; ``_NAME`` modules are shared by them. A new command also needs its short help in the table
below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "start": "Start a patrol read of all drives of a controller.",
    "stop": "Stop a patrol read.",
    "pause": "Print the command that pauses a patrol read.",
    "resume": "Print the command that continues a patrol read.",
    "show": "Show the patrol read of each controller.",
}


class PatrolGroup(LazyGroup):
    """The commands of ``raidctl patrol``."""

    apart = _APART
    prefix = "patrol."


@click.group("patrol", cls=PatrolGroup)
def command() -> None:
    """Show, start and stop patrol reads. They scan all drives of a controller.

    Patrol reads find unreadable sectors before a rebuild needs them.
    """
