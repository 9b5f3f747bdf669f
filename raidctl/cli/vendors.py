"""``raidctl vendors``: what can be read, set and done on each family."""

from __future__ import annotations

import click

from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.options import output_options, settings_of
from raidctl.cli.shared.terminal import display, emit, emit_json
from raidctl.vendor.registry import vendors


@click.command("vendors")
@output_options
@click.pass_context
def command(context: click.Context) -> int:
    """Show what can be read, set and done on each controller family.

    The families are the installed vendor packages; what a certain controller
    supports is under its "capabilities" in "raidctl --json show". Below each
    family are the operations, such as "take out" of a replacement, by what they
    were tried on: a real kernel, a simulator that answers as recorded outputs
    do, a simulator that answers as in a manual or as other programs expect.
    With --json, also the reasons why others are refused.
    """
    settings = settings_of(context)
    settings.refuse_machine("vendors")
    found, problems = vendors()
    from raidctl.output.vendors import support, support_screen  # noqa: PLC0415 - rich only where a screen is drawn

    if settings.as_json:
        emit_json(support(found))
    else:
        emit(support_screen(found, display()))
    print_problems(problems)
    return exit_code(problems)
