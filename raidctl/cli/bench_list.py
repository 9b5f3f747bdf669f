"""``raidctl bench list``."""

from __future__ import annotations

import click

from raidctl.cli.bench import store_of
from raidctl.cli.options import output_options, settings_of, state_option
from raidctl.cli.terminal import emit, emit_json, paper
from raidctl.errors import EXIT_FINE


@click.command("list")
@state_option
@output_options
@click.pass_context
def command(context: click.Context) -> int:
    """List the runs that are kept.

    Exit codes: 0 listed; 3 they cannot be read; 4 nor their directory.
    """
    settings = settings_of(context)
    settings.refuse_machine("bench list")
    kept = store_of(settings).list()
    if settings.as_json:
        emit_json(kept)
    else:
        from raidctl.output.bench_compare import list_screen  # noqa: PLC0415 - rich only where a screen is drawn

        emit(list_screen(kept, paper()))
    return EXIT_FINE
