"""``raidctl alarm off``: switch the alarm of a controller off."""

from __future__ import annotations

import click

from raidctl.cli.alarm._switch import switch
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("off", epilog=examples("raidctl alarm off /srv/db"))
@click.argument("controller")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str, consent: Consent) -> int:
    """Switch the alarm of a controller off.

    The setting is kept by the controller. A controller whose tool does not
    report whether its alarm is on is refused, as it could not be restored.

    Exit codes: as for "cache set".
    """
    return switch(settings_of(context), consent, controller, on=False)
