"""``raidctl patrol show``: the patrol read of each controller."""

from __future__ import annotations

import click

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import read_controllers
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.operate.hardware_reports import patrols


@click.command("show", epilog=examples("raidctl patrol show", "raidctl --host db1 patrol show --json"))
@click.argument("controller", required=False)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str | None) -> int:
    """Show the patrol read of each controller.

    CONTROLLER limits the list. Shown is whether one is running, how it starts,
    and when; what no tool reports is "not reported".

    Exit codes: as for "show".
    """
    settings = settings_of(context)
    inventory = read_controllers(settings, controller)
    found = patrols(inventory, inventory.tasks)
    emit_found(found, settings, "hardware_reports.patrols_screen")
    return exit_code(found.problems)
