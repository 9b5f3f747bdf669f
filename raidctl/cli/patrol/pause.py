"""``raidctl patrol pause``: pause a patrol read."""

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
    """Pause a patrol read.

    "raidctl patrol resume" continues it.

    Exit codes: as for "patrol start".
    """
    return carry_out(settings_of(context), consent, "pause_patrol", controller)
