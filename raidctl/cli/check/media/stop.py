"""``raidctl check media stop``: abort the running self-tests of drives."""

from __future__ import annotations

import click

from raidctl.cli.check.media import _tests
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.errors import ChangeNotUndone


@click.command("stop", epilog=examples("raidctl check media stop /dev/sda"))
@click.argument("drive", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Print the commands and abort nothing.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...], dry_run: bool) -> int:
    """Abort the running self-tests of drives.

    Exit codes: 0 aborted, or none was running; 2 wrong usage; 3 something could
    not be read; 4 a tool or a permission is missing; 6 the test is still running.
    """
    settings = settings_of(context)
    if not dry_run:
        settings.refuse_recording()
    with machine(settings) as named:
        seen = named.survey()
        chosen = _tests.chosen(named, seen, drive)
        running = [one for one, test in zip(chosen, _tests.read(named, chosen), strict=True) if test.state == "running"]
        actions = _tests.actions(running, lambda one: one.tests.stop(one.drive))
        if dry_run:
            return _tests.printed(actions, settings)
        for one, action in zip(running, actions, strict=True):
            _tests.carry_out(named, one, action)
        found = _tests.read(named, chosen)
        still = [test.drive for test in found if test.state == "running"]
        if still:
            raise ChangeNotUndone(f"The self-test of {', '.join(still)} is still running.")
    return _tests.emit_with_problems(seen, found, settings)
