"""``raidctl bench list``: list the saved runs."""

from __future__ import annotations

import click

from raidctl.cli.bench import store_of
from raidctl.cli.shared.options import output_options, settings_of, state_option
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_FINE


@click.command("list")
@state_option
@output_options
@click.pass_context
def command(context: click.Context) -> int:
    """List the saved runs.

    Exit codes: 0 listed; 3 they cannot be read; 4 their directory cannot be read.
    """
    settings = settings_of(context)
    settings.refuse_machine("bench list")
    kept = store_of(settings).list()
    emit_found(kept, settings, "bench_compare.list_screen")
    return EXIT_FINE
