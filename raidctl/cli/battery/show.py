"""``raidctl battery show``: charge, capacity, temperature and learn cycles of batteries."""

from __future__ import annotations

import click

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import read_controllers
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.operate.hardware_reports import batteries


@click.command("show", epilog=examples("raidctl battery show", "raidctl --host db1 battery show --json"))
@click.argument("controller", required=False)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str | None) -> int:
    """Show the batteries: charge, capacity, temperature, learn cycles.

    CONTROLLER limits the list. What no tool reports is "not reported".

    Exit codes: as for "show".
    """
    settings = settings_of(context)
    found = batteries(read_controllers(settings, controller))
    emit_found(found, settings, "hardware_reports.batteries_screen")
    return exit_code(found.problems)
