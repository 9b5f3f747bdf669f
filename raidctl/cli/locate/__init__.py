"""``raidctl locate``: switch locate LEDs on and off, and list them.

A module for each command; ``_NAME`` modules are shared by them. A new command also needs its short help in the table
below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "on": "Make the locate LEDs of drives blink for a while.",
    "off": "Switch locate LEDs off.",
    "list": "List the bays, and the locate LEDs that are on.",
}


class LocateGroup(LazyGroup):
    """The commands of ``raidctl locate``. Any other first word is a target of ``on``."""

    apart = _APART
    prefix = "locate."

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let ``raidctl locate sdb`` mean ``raidctl locate on sdb``."""
        asks = args[:1] in (["-h"], ["--help"], [])
        return super().parse_args(ctx, args if asks or args[0] in _APART else ["on", *args])


@click.group("locate", cls=LocateGroup, options_metavar="", subcommand_metavar="TARGET...|on|off|list")
def command() -> None:
    """Find a drive in its rack: make its locate LED blink.

    "raidctl locate TARGET..." is short for "raidctl locate on TARGET...".
    """
