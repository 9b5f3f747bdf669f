"""``raidctl bench show``."""

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
    """Show a run: the last one, unless RUN names another.

    Each figure is a median with its 95 % interval; ++++ stands where a phase
    was too short to say. With -v the latencies of every phase are drawn.

    Exit codes: 0 shown; 2 there is no such run; 3 it cannot be read.
    """
    settings = settings_of(context)
    settings.refuse_machine("bench show")
    found = named(run, store_of(settings))
    emit_found(found, settings, "bench.screen", more=settings.verbose)
    return EXIT_FINE
