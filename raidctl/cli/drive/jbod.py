"""``raidctl drive jbod``: expose unused drives to the operating system."""

from __future__ import annotations

import click

from raidctl.cli.drive._states import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("jbod", epilog=examples("raidctl drive jbod 32:5 --dry-run"))
@click.argument("drive", nargs=-1, required=True)
@click.option("--confirm", metavar="SERIAL", multiple=True, help="End of the serial number of each drive.")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], confirm: tuple[str, ...], consent: Consent) -> int:
    """Expose unused drives to the operating system.

    The system then sees the drive itself, without RAID. It must be in no array
    and hold no foreign configuration. The controller's own JBOD mode is never
    switched: if it is off, the controller refuses.

    Exit codes: as for "drive good".
    """
    return carry_out(settings_of(context), consent, "jbod", drive, confirm)
