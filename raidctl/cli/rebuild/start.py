"""``raidctl rebuild start``: start the rebuild of a member that was lost."""

from __future__ import annotations

import click

from raidctl.cli.rebuild._deeds import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("start", epilog=examples("raidctl rebuild start 32:5 --dry-run"))
@click.argument("drive", nargs=-1, required=True)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], consent: Consent) -> int:
    """Start the rebuild of a member that was lost.

    DRIVE is the id, the bay (bay:32:5) or the serial number of a drive that its
    controller lists as a failed or offline member of an array. All data on it is
    overwritten. Most controllers start rebuilds without this command when a new
    drive is put in; see "raidctl replace".

    Exit codes: 0 done and verified; 1 refused, or declined at the
    prompt; 2 wrong usage; 3 something is unknown, or another raidctl is
    running; 4 a tool or a permission is missing; 5 failed and undone; 6 not
    confirmed; 130 interrupted.
    """
    return carry_out(settings_of(context), consent, "start_rebuild", drive)
