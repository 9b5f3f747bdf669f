"""``raidctl layout check``: compare a machine with a layout file."""

from __future__ import annotations

import click

from raidctl.cli.layout._read import controller_option, layout_of
from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.machine import look
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO, EXIT_USAGE
from raidctl.layout.compare import compare
from raidctl.model import failed_readings


@click.command("check", epilog=examples("raidctl layout check db7.toml", "raidctl --host db7 layout check db7.toml"))
@click.argument("file")
@controller_option
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, file: str, controller: str | None) -> int:
    """Compare a machine with a layout file.

    Each volume of FILE is the same, differs only in its settings, differs, or is
    missing. Values that no tool reports are unknown. Volumes that FILE does not
    list are shown; with unlisted = "refuse" in FILE, they are a difference.

    Exit codes: 0 the machine is as FILE describes; 1 it differs; 2 a mistake in
    FILE, or wrong usage; 3 no difference is known, but something is unknown or
    nothing was compared; 4 the same, because a tool or permission is missing.
    """
    settings = settings_of(context)
    layout = layout_of(file, settings, controller)
    if layout is None:
        return EXIT_USAGE
    seen = look(settings)
    found = compare(layout, seen.inventory)
    emit_found(found, settings, "layout.layout_screen", more=settings.verbose)
    problems = failed_readings(seen.inventory.problems)
    if not settings.as_json:
        print_problems(problems)
    if found.verdict == "unknown" or layout.lists_nothing:
        return exit_code(problems) or EXIT_CANNOT_TELL
    return EXIT_NO if found.verdict == "different" else EXIT_FINE
