"""``raidctl diff``: what has changed since."""

from __future__ import annotations

import click

from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.snapshot_sources import NOW, Counting, Source, is_file, store_of
from raidctl.cli.shared.terminal import emit, emit_found
from raidctl.drift.diff import diff
from raidctl.drift.ignore import ignored
from raidctl.drift.noise import SOURCE
from raidctl.drift.report import EXITS, Drift, Level


@click.command(
    "diff",
    cls=Counting,
    epilog=examples(
        "raidctl diff", "raidctl diff db7.json", "raidctl diff 2026-11-01", "raidctl diff -2 -1 --ignore firmware",
        "raidctl diff before.tar.gz after.tar.gz --json",
    ),
)  # fmt: skip
@click.argument("before", default="last")
@click.argument("after", default=NOW)
@click.option(
    "--ignore", "words", metavar="WHAT", multiple=True,
    help="Leave this out: a field (firmware, drive.errors), a glob (details*), an id; several times.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Noise as well: temperatures, progress, counters of hours.")
@click.option("--min-severity", "least", type=click.Choice(["info", "warning", "critical"]), default="info",
              help="Leave out what is milder.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["table", "json", "nagios"]), help="table is the default.")
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, *, before: str, after: str, words: tuple[str, ...], everything: bool, least: Level,
    form: str | None,
) -> int:  # fmt: skip
    """Tell what has changed between two states of a machine, object by object.

    BEFORE and AFTER are each a file (of "raidctl snapshot --output" or
    "raidctl --json show"), something recorded, the number of a kept state,
    "last", -2 (the last but one), a date (the last state up to its end, UTC),
    or "now". Without them: what has changed since the last kept state.

    A drive in another bay has moved, and is not lost and found; another drive
    in the same bay was replaced. What could not be read in one of the two is no
    loss: it is told apart. What could not be read in either is told, and makes
    them no different.

    Exit codes: 0 the same; 1 something has changed; 3 nothing that could be
    read has changed, but something could not be read; 4 the same, for lack of a
    tool or a right; 2 wrong usage, or there is no such state. With --format
    nagios, those of that protocol: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.
    """
    settings = settings_of(context)
    if settings.as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} contradict each other.")
    settings.as_json = settings.as_json or form == "json"
    settings.check()
    if is_file(before) and is_file(after):
        settings.refuse_machine("diff BEFORE AFTER")
    if before == after == "-":
        raise click.UsageError("Standard input can only be one of the two.")
    source = Source(settings, store_of(settings))
    old_name, old = source.take(before)
    new_name, new = source.take(after)
    quiet = [name for name, one in ((old_name, old), (new_name, new)) if one.host.source == SOURCE]
    if everything and quiet:
        click.echo(f"raidctl: {quiet[0]} was written without noise: --all can show none.", err=True)
    found = diff(
        old, new, names=(old_name, new_name), everything=everything and not quiet,
        ignored=ignored(words, old, new, least=least),
    )  # fmt: skip
    return _printed(found, settings, form)


def _printed(found: Drift, settings: Settings, form: str | None) -> int:
    """Print a comparison; the exit code."""
    if form == "nagios":
        from raidctl.output.nagios import of_drift  # noqa: PLC0415 - only where it is asked for

        text, status = of_drift(found)
        emit(text)
        return status
    emit_found(found, settings, "drift.screen", more=settings.verbose)
    return EXITS[found.verdict]
