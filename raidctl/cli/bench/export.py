"""``raidctl bench export``: runs as JSON lines, or the curve of one."""

from __future__ import annotations

import click

from raidctl.cli.bench import named, store_of
from raidctl.cli.shared.options import output_options, settings_of, state_option
from raidctl.cli.shared.terminal import emit
from raidctl.errors import EXIT_FINE, CannotTell


@click.command("export")
@click.argument("run", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(("jsonl", "zcav")),
    default="jsonl",
    help="One JSON object per line, or the columns of zcav.",
)
@state_option
@output_options
@click.pass_context
def command(context: click.Context, *, run: tuple[str, ...], form: str) -> int:
    """Print runs as JSON lines, or the curve of one run. The default is all runs.

    The curve is that of the last run, unless RUN names another, in a form that
    gnuplot plots: plot "FILE" with lines.

    Exit codes: 0 printed; 2 no such run; 3 it cannot be read, or has no curve.
    """
    from raidctl.output import bench_export  # noqa: PLC0415 - only where it is needed

    settings = settings_of(context)
    settings.refuse_machine("bench export")
    store = store_of(settings)
    if form == "jsonl":
        words = run or [str(one.id) for one in store.list()]
        for word in words:
            emit(bench_export.line(named(word, store)))
        return EXIT_FINE
    if settings.as_json:
        raise click.UsageError("--json and --format zcav cannot be used together.")
    if len(run) > 1:
        raise click.UsageError("--format zcav is for one run.")
    found = named(run[0] if run else "last", store)
    text = bench_export.zcav(found)
    if text is None:
        raise CannotTell(f'{found.name} has no curve; "raidctl bench run --profile full" measures one.')
    emit(text)
    return EXIT_FINE
