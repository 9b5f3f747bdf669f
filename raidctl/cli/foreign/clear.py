"""``raidctl foreign clear``: delete foreign configurations; their data is lost."""

from __future__ import annotations

import click

from raidctl.cli.shared.foreign_deeds import carry_out
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options


@click.command("clear", epilog=examples("raidctl foreign clear /srv/db --dry-run"))
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
    """Clear foreign configurations: their data is lost.

    The drives become unused. It is refused while a volume of the controller
    lacks members, or its cache holds preserved data: the foreign drives may be
    what is missing. Every drive is listed, and the serial number of the
    controller is asked for; --yes is not enough.

    Exit codes: as for "foreign import".
    """
    return carry_out(settings_of(context), consent, "clear_foreign", controller, group=group, typed=confirm)
