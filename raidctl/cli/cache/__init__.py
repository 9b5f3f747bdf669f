"""``raidctl cache``: configured and active cache settings, and how to change them.

A module for each command; ``_NAME`` modules are shared by them. A new command also needs its short help in the table
below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "show": "Show every cache from the page cache down to the drives.",
    "set": "Set the cache policy of the volumes that TARGET names.",
    "split": "Split a controller's cache between reads and writes: 25/75.",
    "drive": "Switch the write cache of drives on or off.",
    "flush": "Write all unwritten data to the drives, from the top cache to the bottom.",
    "threshold": "Show or set when written data has to leave a cache.",
    "stats": "Show how the caches are used.",
}


class CacheGroup(LazyGroup):
    """The commands of ``raidctl cache``."""

    apart = _APART
    prefix = "cache."


@click.group("cache", cls=CacheGroup)
def command() -> None:
    """Show and change the caches of controllers, volumes and drives.

    Each change is shown first, with the exact commands of the vendor's tool; it
    is written to a journal before it is made, verified afterwards, and undone if
    it failed.
    """
