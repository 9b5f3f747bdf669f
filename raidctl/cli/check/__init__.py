"""``raidctl check``: consistency checks, their results and schedules, and self-tests of drives.

A module for each command; ``_NAME`` modules are shared by them. A new command also needs its short help in the table
below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "start": "Start a check of volumes.",
    "stop": "Stop the check of volumes.",
    "pause": "Pause a check of volumes.",
    "resume": "Continue a paused check at its place.",
    "show": "Show the running or last check of each volume, and its result.",
    "schedule": "Show and change the schedules of regular checks.",
    "media": "Test the media of plain drives with their own self-tests.",
}


class CheckGroup(LazyGroup):
    """The commands of ``raidctl check``."""

    apart = _APART
    prefix = "check."


@click.group("check", cls=CheckGroup)
def command() -> None:
    """Check copies and parity, start self-tests, and show the results.

    A check (scrub) reads all of a volume while it is in use. A check that was
    stopped is never reported as one that passed.
    """
