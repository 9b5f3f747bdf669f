"""``raidctl foreign``: configurations on drives that their controller has not imported.

A module for each command. A new one also needs its short help in the table below; code that other groups need as well
is in ``cli/shared``.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "show": "Show foreign configurations, and the drives that hold them.",
    "preview": "Show which volumes an import would add.",
    "import": "Import foreign configurations with their data.",
    "clear": "Clear foreign configurations: their data is lost.",
}


class ForeignGroup(LazyGroup):
    """The commands of ``raidctl foreign``."""

    apart = _APART
    prefix = "foreign."


@click.group("foreign", cls=ForeignGroup)
def command() -> None:
    """Show, import and clear foreign configurations.

    Drives that come from another controller, or were lost and are back,
    describe an array that their controller does not use. Importing takes it
    over with its data; clearing makes the data unreachable.
    """
