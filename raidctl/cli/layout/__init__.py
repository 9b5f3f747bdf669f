"""``raidctl layout``: the volumes and spares of a machine as a file.

A module for each command; ``_NAME`` modules are shared by them. A new command also needs its short help in the table
below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "export": "Write the volumes and spares of a machine as a layout file.",
    "check": "Compare a machine with a layout file.",
    "plan": "Print the steps that would make a machine what a layout file describes.",
    "apply": "Make a machine what a layout file describes: md arrays and settings.",
}


class LayoutGroup(LazyGroup):
    """The commands of ``raidctl layout``."""

    apart = _APART
    prefix = "layout."


@click.group("layout", cls=LayoutGroup)
def command() -> None:
    """Write a machine's volumes as a file, and compare machines with it.

    A layout is a TOML file that lists volumes with their level, drives, size and
    cache policies (docs/layout.md).
    """
