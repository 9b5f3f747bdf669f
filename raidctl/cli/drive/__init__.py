"""``raidctl drive``: the states of drives behind a RAID controller.

A module for each command; ``_NAME`` modules are shared by them. A new command also needs its short help in the table
below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "good": "Make failed drives in no array usable again.",
    "offline": "Set a member of an array offline.",
    "online": "Set a member online again, without a rebuild.",
    "jbod": "Expose unused drives to the operating system.",
    "raid": "Take drives back from the operating system.",
    "erase": "Check whether drives may be erased, and print the command.",
}


class DriveGroup(LazyGroup):
    """The commands of ``raidctl drive``."""

    apart = _APART
    prefix = "drive."


@click.group("drive", cls=DriveGroup)
def command() -> None:
    """Change the state of drives behind a RAID controller.

    Drives are named one by one; no command acts on all drives of a controller.
    "raidctl vendors" shows what each family of controllers can do.
    """
