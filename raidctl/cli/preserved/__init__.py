"""``raidctl preserved``: preserved cache of volumes that are offline or gone.

A module for each command. A new one also needs its short help in the table below; code that other groups need as well
is in ``cli/shared``.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "show": "Show the volumes whose unwritten data is kept.",
    "discard": "Discard the unwritten data of a volume.",
}


class PreservedGroup(LazyGroup):
    """The commands of ``raidctl preserved``."""

    apart = _APART
    prefix = "preserved."


@click.group("preserved", cls=PreservedGroup)
def command() -> None:
    """Show and discard preserved cache.

    A controller keeps what it could not write to volumes that have lost their
    drives. The data exists nowhere else.
    """
