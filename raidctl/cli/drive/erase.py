"""``raidctl drive erase``: erase drives that are in no array."""

from __future__ import annotations

import click

from raidctl.cli.drive._states import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("erase", epilog=examples("raidctl drive erase serial:ZC1A2B3C --dry-run"))
@click.argument("drive", nargs=-1, required=True)
@click.option("--confirm", metavar="SERIAL", multiple=True, help="End of the serial number of each drive.")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], confirm: tuple[str, ...], consent: Consent) -> int:
    """Erase drives that are in no array.

    The method is the controller's: the plan shows the command. The drive must
    be in no array, unused by the system, and hold no foreign configuration; for
    an NVMe drive this applies to all namespaces. A drive that cannot erase
    itself is not overwritten instead.

    Exit codes: as for "drive good".
    """
    return carry_out(settings_of(context), consent, "erase", drive, confirm)
