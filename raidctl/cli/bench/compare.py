"""``raidctl bench compare``: two runs side by side."""

from __future__ import annotations

import click

from raidctl.cli.bench import named, store_of
from raidctl.cli.shared.options import output_options, settings_of, state_option
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_FINE


@click.command("compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@state_option
@output_options
@click.pass_context
def command(context: click.Context, *, first: str, second: str) -> int:
    """Show two runs side by side. Each figure has its ratio B/A.

    Each ratio has its 95% interval; B is faster or slower only if the whole
    interval is. Reasons not to compare the runs (another engine, another
    machine, an unstable run) are listed first, then differences in the settings
    of the caches.

    Exit codes: 0 shown; 2 no such run; 3 one cannot be read.
    """
    from raidctl.bench.compare import compare  # noqa: PLC0415 - only where it is needed

    settings = settings_of(context)
    settings.refuse_machine("bench compare")
    if first == second == "-":
        raise click.UsageError("Standard input can be read only once: put one of the two runs into a file.")
    store = store_of(settings)
    found = compare(named(first, store), named(second, store))
    emit_found(found, settings, "bench_compare.compare_screen")
    return EXIT_FINE
