"""``raidctl battery``: batteries and capacitors of controller caches.

A module for each command. A new one also needs its short help in the table below; code that other groups need as well
is in ``cli/shared``.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "show": "Show the batteries: charge, capacity, temperature, learn cycles.",
    "learn": "Start a learn cycle.",
    "schedule": "Show the learn cycle schedule, and how to change it by hand.",
}


class BatteryGroup(LazyGroup):
    """The commands of ``raidctl battery``."""

    apart = _APART
    prefix = "battery."


@click.group("battery", cls=BatteryGroup)
def command() -> None:
    """Show batteries of controllers, and start learn cycles.

    A learn cycle discharges and charges a battery to measure its capacity;
    meanwhile it does not protect the cache.
    """
