"""``raidctl patrol resume``: print the command that continues a patrol read."""

from __future__ import annotations

import click

from raidctl.cli.patrol._deeds import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("resume", epilog=examples("raidctl patrol resume /srv/db --dry-run"))
@click.argument("controller")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str, consent: Consent) -> int:
    """Print the command that continues a patrol read.

    raidctl does not run it: no output that it reads shows whether a patrol read
    is paused.

    Exit codes: as for "patrol pause".
    """
    return carry_out(settings_of(context), consent, "resume_patrol", controller)
