"""``raidctl foreign import``: import foreign configurations with their data."""

from __future__ import annotations

import click

from raidctl.cli.shared.foreign_deeds import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("import", epilog=examples("raidctl foreign import /srv/db --dry-run"))
@click.argument("controller")
@click.option("--group", metavar="NUMBER", help="Only this configuration, if the tool can select one.")
@click.option("--confirm", metavar="SERIAL", help="End of the controller's serial number.")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, *, controller: str, group: str | None, confirm: str | None, consent: Consent
) -> int:  # fmt: skip
    """Import foreign configurations with their data.

    The drives become members of arrays of this controller; this cannot be undone.
    An incomplete configuration is refused. Most tools import all foreign
    configurations of a controller at once, so every drive is listed, and the
    serial number of the controller is asked for; --yes is not enough.

    Exit codes: 0 done and verified; 1 refused, or declined at the
    prompt; 2 wrong usage; 3 something is unknown, or another raidctl is
    running; 4 a tool or a permission is missing; 5 failed and undone; 6 not
    confirmed; 130 interrupted.
    """
    return carry_out(settings_of(context), consent, "import_foreign", controller, group=group, typed=confirm)
