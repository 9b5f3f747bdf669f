"""``raidctl foreign show``: foreign configurations, and the drives that hold them."""

from __future__ import annotations

import click

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import read_controllers
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.operate.hardware_reports import foreign


@click.command("show", epilog=examples("raidctl foreign show", "raidctl --host db1 foreign show --json"))
@click.argument("controller", required=False)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str | None) -> int:
    """Show foreign configurations, and the drives that hold them.

    CONTROLLER limits the list. "raidctl foreign preview" shows the volumes that
    an import would add.

    Exit codes: as for "show".
    """
    settings = settings_of(context)
    found = foreign(read_controllers(settings, controller))
    emit_found(found, settings, "hardware_reports.foreign_screen")
    return exit_code(found.problems)
