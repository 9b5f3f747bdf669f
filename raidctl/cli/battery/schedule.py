"""``raidctl battery schedule``."""

from __future__ import annotations

import click

from raidctl.cli.foreign._deeds import controller_named
from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import look
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.operate.hardware_reports import batteries, learning_only
from raidctl.select import narrow


@click.command("schedule", epilog=examples("raidctl battery schedule /srv/db"))
@click.argument("controller")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str) -> int:
    """Show the schedule of learn cycles.

    CONTROLLER is its id, or anything on it. Shown is the next cycle, and what
    the tool reports of interval and mode. The schedule is not changed: only
    MegaRAID's tools have commands for it, and raidctl runs none of them.

    Exit codes: as of "show".
    """
    settings = settings_of(context)
    seen = look(settings)
    chosen = controller_named(seen, controller)
    found = learning_only(batteries(narrow(seen.inventory, frozenset({chosen.id}))))
    emit_found(found, settings, "hardware_reports.schedule_screen")
    return exit_code(found.problems)
