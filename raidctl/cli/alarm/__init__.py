"""``raidctl alarm``: the audible alarm of controllers.

A module for each command; ``_NAME`` modules are shared by them. A new command also needs its short help in the table
below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "show": "Show which controllers have an alarm, and whether it is on.",
    "silence": "Silence a sounding alarm, without asking.",
    "on": "Switch the alarm of a controller on.",
    "off": "Switch the alarm of a controller off.",
}


class AlarmGroup(LazyGroup):
    """The commands of ``raidctl alarm``."""

    apart = _APART
    prefix = "alarm."


@click.group("alarm", cls=AlarmGroup)
def command() -> None:
    """Show, silence and switch the audible alarms of controllers.

    Silencing lasts until the next event; on and off are settings.
    """
