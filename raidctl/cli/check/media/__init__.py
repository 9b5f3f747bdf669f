"""``raidctl check media``: self-tests of plain drives.

A module for each command; ``_tests`` is shared by them. A new command also needs its short help in the table below.
"""

from __future__ import annotations

import click

from raidctl.cli.shared.lazy_group import LazyGroup

_APART = {
    "show": "Show the running or last self-test of each plain drive.",
    "start": "Start a self-test of drives.",
    "stop": "Abort the running self-tests of drives.",
}


class MediaGroup(LazyGroup):
    """The commands of ``raidctl check media``. Any other word is a drive to test."""

    apart = _APART
    prefix = "check.media."

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Prepend ``start`` unless the first word is a command."""
        if args and args[0] not in (*self.apart, "-h", "--help"):
            args = ["start", *args]
        return super().parse_args(ctx, args)


@click.group("media", cls=MediaGroup)
def command() -> None:
    """Test the media of plain drives with their own self-tests.

    "raidctl check media DRIVE --short" starts a test. The drive runs it in the
    background and stays usable; a short one takes two minutes, a long one reads
    everything and takes hours.
    """
