"""``raidctl alarm show``: which controllers have an alarm, and whether it is on."""

from __future__ import annotations

import click

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import read_controllers
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.operate.alarms import report


@click.command("show", epilog=examples("raidctl alarm show", "raidctl --host db1 alarm show --json"))
@click.argument("controller", required=False)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str | None) -> int:
    """Show which controllers have an alarm, and whether it is on.

    CONTROLLER limits the list. What no tool reports is "?"; no tool reports
    whether an alarm sounds.

    Exit codes: as for "show".
    """
    settings = settings_of(context)
    found = report(read_controllers(settings, controller))
    emit_found(found, settings, "alarms.alarms_screen")
    return exit_code(found.problems)
