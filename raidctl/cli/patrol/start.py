"""``raidctl patrol start``: start a patrol read of all drives of a controller."""

from __future__ import annotations

import click

from raidctl.cli.patrol._deeds import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("start", epilog=examples("raidctl patrol start /srv/db --dry-run"))
@click.argument("controller")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str, consent: Consent) -> int:
    """Start a patrol read of all drives of a controller.

    CONTROLLER is its id, or anything on it. The controller reads all drives in
    the background, including spares, and repairs bad sectors of redundant
    volumes. It is refused during a learn cycle of a battery.

    Exit codes: 0 done and verified; 1 refused, or declined at the
    prompt; 2 wrong usage; 3 something is unknown, or another raidctl is
    running; 4 a tool or a permission is missing; 5 failed and undone; 6 not
    confirmed; 130 interrupted.
    """
    return carry_out(settings_of(context), consent, "start_patrol", controller)
