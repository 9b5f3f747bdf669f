"""``raidctl check start``: start a check of volumes."""

from __future__ import annotations

import click

from raidctl.cli.check._deeds import CheckDeeds, Waiting
from raidctl.cli.shared.option_types import WEEK, Length
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.vendor.plan import Verb


@click.command("start", epilog=examples("raidctl check start md0", "raidctl check start /srv/db --wait --at-most 12h"))
@click.argument("volume", nargs=-1, required=True)
@click.option("--repair", is_flag=True, help="Also correct differences.")
@click.option("--confirm", metavar="ID", help="With --repair: end of the volume's unique id.")
@click.option("--wait", "waits", is_flag=True, help="Wait for the result.")
@click.option(
    "--at-most", type=Length(0, 4 * WEEK), metavar="TIME", help="With --wait: wait for this long, such as 6h."
)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context,
    *,
    volume: tuple[str, ...],
    repair: bool,
    confirm: str | None,
    waits: bool,
    at_most: float | None,
    consent: Consent,
) -> int:
    """Start a check of volumes.

    VOLUME is an id, a device, a mount point or the name of a volume. A check
    compares copies or parity from the beginning of the volume and changes
    nothing. A degraded or rebuilding volume is refused. --repair also corrects:
    one copy overwrites the other, chosen by its position, so the volume's
    unique id must be confirmed; check again afterwards. Without --wait,
    "raidctl check show" shows the result.

    Exit codes: 0 started, or with --wait complete and nothing differs; 1
    refused, or declined at the prompt; with --wait something
    differs, or it was stopped; 2 wrong usage; 3 something is unknown, or
    another raidctl is running; 4 a permission is missing; 5 failed and undone;
    6 not confirmed or not recorded; 7 still under way; 130 interrupted.
    """
    if confirm is not None and not repair:
        raise click.UsageError("--confirm needs --repair.")
    if at_most is not None and not waits:
        raise click.UsageError("--at-most needs --wait.")
    waiting = Waiting(waits, at_most)
    verb: Verb = "repair" if repair else "start_check"
    return CheckDeeds(settings_of(context), consent, verb, volume, confirm, waiting).perform()
