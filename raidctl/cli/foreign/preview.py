"""``raidctl foreign preview``: which volumes an import would add."""

from __future__ import annotations

import click

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.foreign_deeds import controller_named, preview_of
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_NO
from raidctl.operate.abilities import without_tool
from raidctl.operate.foreign_guards import has_foreign
from raidctl.operate.hardware_reports import foreign
from raidctl.request import converse
from raidctl.select import narrow
from raidctl.vendor.foreign import ForeignPreview


@click.command("preview", epilog=examples("raidctl foreign preview /srv/db"))
@click.argument("controller")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, controller: str) -> int:
    """Show which volumes an import would add.

    CONTROLLER is its id, or anything on it. Nothing is imported.

    Exit codes: 0 shown; 1 the controller has no foreign configuration, or its
    tool shows no preview; others as for "show".
    """
    settings = settings_of(context)
    with machine(settings) as named:
        seen = named.survey()
        chosen = controller_named(seen, controller)
        without_tool(seen, chosen)
        if has_foreign(chosen) is False:
            found: ForeignPreview | str = "There is no foreign configuration."
        else:
            found = converse(preview_of(chosen, seen, named.vendors), named.runner)
    report = foreign(narrow(seen.inventory, frozenset({chosen.id})), {chosen.id: found})
    emit_found(report, settings, "hardware_reports.foreign_screen")
    return EXIT_NO if isinstance(found, str) else exit_code(report.problems)
