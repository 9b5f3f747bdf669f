"""``raidctl bench show``: the results of a run."""

from __future__ import annotations

import click

from raidctl.cli.bench import named, store_of
from raidctl.cli.shared.options import output_options, settings_of, state_option
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_FINE


@click.command("show")
@click.argument("run", default="last")
@state_option
@output_options
@click.pass_context
def command(context: click.Context, *, run: str) -> int:
    """Show a run (default: the last one).

    Each figure is a median with its 95% interval; n/a means too few samples.
    With -v, the latencies of every phase are plotted.

    Exit codes: 0 shown; 2 no such run; 3 it cannot be read.
    """
    settings = settings_of(context)
    settings.refuse_machine("bench show")
    found = named(run, store_of(settings))
    emit_found(found, settings, "bench.screen", more=settings.verbose)
    return EXIT_FINE
