"""``raidctl check stop``: stop the check of volumes."""

from __future__ import annotations

import click

from raidctl.cli.check._deeds import CheckDeeds
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("stop", epilog=examples("raidctl check stop md0"))
@click.argument("volume", nargs=-1, required=True)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, volume: tuple[str, ...], consent: Consent) -> int:
    """Stop the check of volumes.

    Its result is "interrupted": what it has not reached was not checked. Only
    checks and repairs are stopped; a reshape, a rebuild or a resync never.

    Exit codes: 0 stopped; others as for "check start".
    """
    return CheckDeeds(settings_of(context), consent, "stop_check", volume).perform()
