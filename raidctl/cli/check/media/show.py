"""``raidctl check media show``: the running or last self-test of each drive."""

from __future__ import annotations

import click

from raidctl.cli.check.media import _tests
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.errors import EXIT_NO


@click.command("show", epilog=examples("raidctl check media show", "raidctl check media show /dev/sda --json"))
@click.argument("drive", nargs=-1)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: tuple[str, ...]) -> int:
    """Show the running or last self-test of each plain drive.

    A drive in standby is not woken.

    Exit codes: 0 everything could be read; 1 the last test of a drive failed; 2
    no such DRIVE; 3 something could not be read; 4 a tool or a permission is
    missing.
    """
    settings = settings_of(context)
    with machine(settings) as named:
        seen = named.survey()
        found = _tests.read(named, _tests.chosen(named, seen, drive))
    code = _tests.emit_with_problems(seen, found, settings)
    return EXIT_NO if any(test.state == "failed" for test in found) else code
