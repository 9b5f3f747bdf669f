"""``raidctl check pause``: pause a check of volumes."""

from __future__ import annotations

import click

from raidctl.cli.check._deeds import CheckDeeds
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("pause", epilog=examples("raidctl check pause md0"))
@click.argument("volume", nargs=-1, required=True)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, volume: tuple[str, ...], consent: Consent) -> int:
    """Pause a check of volumes.

    "raidctl check resume" continues it. For an md array, the kernel keeps the
    place until the array is stopped or the machine is restarted, and a check
    that somebody else has started can only be stopped.

    Exit codes: 0 paused; others as for "check start".
    """
    return CheckDeeds(settings_of(context), consent, "pause_check", volume).perform()
