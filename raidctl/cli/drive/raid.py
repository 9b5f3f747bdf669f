"""``raidctl drive raid``: take drives back from the operating system."""

from __future__ import annotations

import click

from raidctl.cli.drive._states import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("raid", epilog=examples("raidctl drive raid /dev/sdf --dry-run"))
@click.argument("drive", nargs=-1, required=True)
@click.option("--confirm", metavar="SERIAL", multiple=True, help="End of the serial number of each drive.")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], confirm: tuple[str, ...], consent: Consent) -> int:
    """Take drives back from the operating system.

    The drive disappears from the system, and its content is lost. It is refused
    while anything on it is mounted, swap, part of LVM, ZFS or md, or open, and
    if that is unknown.

    Exit codes: as for "drive good".
    """
    return carry_out(settings_of(context), consent, "raid", drive, confirm)
