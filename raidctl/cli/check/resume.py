"""``raidctl check resume``: continue a paused check at its place."""

from __future__ import annotations

import click

from raidctl.cli.check._deeds import CheckDeeds, Waiting
from raidctl.cli.shared.option_types import WEEK, Length
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("resume", epilog=examples("raidctl check resume md0 --wait"))
@click.argument("volume", nargs=-1, required=True)
@click.option("--wait", "waits", is_flag=True, help="Wait for the result.")
@click.option(
    "--at-most", type=Length(0, 4 * WEEK), metavar="TIME", help="With --wait: wait for this long, such as 6h."
)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, *, volume: tuple[str, ...], waits: bool, at_most: float | None, consent: Consent
) -> int:
    """Continue a paused check at its place.

    The result is that of all parts. If the place is lost, because the machine
    was restarted or somebody else has checked the array since, it is refused:
    start the check again.

    Exit codes: 0 continued; others as for "check start".
    """
    if at_most is not None and not waits:
        raise click.UsageError("--at-most needs --wait.")
    return CheckDeeds(settings_of(context), consent, "resume_check", volume, waiting=Waiting(waits, at_most)).perform()
