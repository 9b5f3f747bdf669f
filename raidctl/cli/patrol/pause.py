"""``raidctl patrol pause``: print the command that pauses a patrol read."""

from __future__ import annotations

import click

from raidctl.cli.patrol._deeds import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("pause", epilog=examples("raidctl patrol pause /srv/db --dry-run"))
@click.argument("controller")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str, consent: Consent) -> int:
    """Print the command that pauses a patrol read.

    raidctl does not run it: no output that it reads shows whether a patrol read
    is paused.

    Exit codes: 1 the command was printed, or it was refused; 2 wrong usage; 3
    something is unknown; 4 a tool or a permission is missing.
    """
    return carry_out(settings_of(context), consent, "pause_patrol", controller)
