"""``raidctl preserved show``: the volumes whose unwritten data is kept."""

from __future__ import annotations

import click

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import read_controllers
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.operate.hardware_reports import preserved


@click.command("show", epilog=examples("raidctl preserved show", "raidctl --host db1 preserved show --json"))
@click.argument("controller", required=False)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str | None) -> int:
    """Show the volumes whose unwritten data is kept.

    CONTROLLER limits the list. If the drives of such a volume are put back and
    imported ("raidctl foreign"), the controller writes its data.

    Exit codes: as for "show".
    """
    settings = settings_of(context)
    found = preserved(read_controllers(settings, controller))
    emit_found(found, settings, "hardware_reports.preserved_screen")
    return exit_code(found.problems)
