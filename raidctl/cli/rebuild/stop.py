"""``raidctl rebuild stop``: stop a rebuild."""

from __future__ import annotations

import click

from raidctl.cli.rebuild._deeds import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("stop", epilog=examples("raidctl rebuild stop 32:5 --dry-run"))
@click.argument("drive", nargs=-1, required=True)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], consent: Consent) -> int:
    """Stop a rebuild.

    The volume keeps running with the redundancy that is left. It is refused
    if a further failure would lose data; --unsafe REASON overrides that.

    Exit codes: as for "rebuild start".
    """
    return carry_out(settings_of(context), consent, "stop_rebuild", drive)
