"""``raidctl drive online``: set a member online again, without a rebuild."""

from __future__ import annotations

import click

from raidctl.cli.drive._states import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("online", epilog=examples("raidctl drive online 32:5 --unsafe 'array was stopped' --dry-run"))
@click.argument("drive", nargs=-1, required=True)
@click.option("--confirm", metavar="SERIAL", multiple=True, help="End of the serial number of each drive.")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], confirm: tuple[str, ...], consent: Consent) -> int:
    """Set a member online again, without a rebuild.

    The drive lacks everything that its array has written in the meantime, and
    nothing would report that. The command is therefore refused unless raidctl
    set the drive offline while its array was inactive, the array is inactive
    now, and the machine was not restarted; --unsafe REASON is needed even then.
    In all other cases: "raidctl rebuild start DRIVE".

    Exit codes: as for "drive good".
    """
    return carry_out(settings_of(context), consent, "online", drive, confirm)
