"""``raidctl check schedule``: show and change the schedules of regular checks.

A module for each command. A new command also needs its short help in the table below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "set": "Switch a schedule of checks on or off, or change its times.",
    "show": "Show what starts software RAID checks, whether it is on, and when.",
}


class ScheduleGroup(LazyGroup):
    """The commands of ``raidctl check schedule``."""

    apart = _APART
    prefix = "check.schedule."


@click.group("schedule", cls=ScheduleGroup)
def command() -> None:
    """Show and change the schedules of regular checks.

    The schedules are those of the distribution: systemd timers and cron jobs.
    raidctl never adds another one.
    """
