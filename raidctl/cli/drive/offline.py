"""``raidctl drive offline``: set a member of an array offline."""

from __future__ import annotations

import click

from raidctl.cli.drive._states import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command(
    "offline", epilog=examples("raidctl drive offline 32:5 --dry-run", "raidctl drive offline serial:ZC1A2B3C")
)
@click.argument("drive", nargs=-1, required=True)
@click.option("--confirm", metavar="SERIAL", multiple=True, help="End of the serial number of each drive.")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], confirm: tuple[str, ...], consent: Consent) -> int:
    """Set a member of an array offline.

    Its volumes lose redundancy until a rebuild is complete, so the same
    conditions apply as for "raidctl replace DRIVE --check". To replace a
    drive, use "raidctl replace", which does this at the right moment.

    Exit codes: as for "drive good".
    """
    return carry_out(settings_of(context), consent, "offline", drive, confirm)
