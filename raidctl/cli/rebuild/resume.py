"""``raidctl rebuild resume``: continue a paused rebuild."""

from __future__ import annotations

import click

from raidctl.cli.rebuild._deeds import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("resume", epilog=examples("raidctl rebuild resume 32:5 --dry-run"))
@click.argument("drive", nargs=-1, required=True)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], consent: Consent) -> int:
    """Continue a paused rebuild.

    It continues where it was paused.

    Exit codes: as for "rebuild start".
    """
    return carry_out(settings_of(context), consent, "resume_rebuild", drive)
