"""``raidctl diff``: changes between two snapshots."""

from __future__ import annotations

from pathlib import Path

import click

from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings, examples, hosts_options, machine_options, output_options, settings_of
from raidctl.cli.shared.snapshot_sources import NOW, Counting, Source, is_file, store_of
from raidctl.cli.shared.terminal import emit, emit_found
from raidctl.drift.diff import diff
from raidctl.drift.ignore import ignored
from raidctl.drift.noise import SOURCE
from raidctl.drift.report import EXITS, Drift
from raidctl.health.severity import Severity
from raidctl.survey.survey import Survey


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
    help="Omit a field (firmware, drive.errors), a glob (details*) or an id; may be repeated.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Include noise: temperatures, progress, hour counters.")
@click.option("--min-severity", "least", type=click.Choice(["info", "warning", "critical"]), default="info",
              help="Omit changes of lower severity.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["table", "json", "nagios"]), help="Output format (table).")
@machine_options
@hosts_options
@output_options
@click.pass_context
def command(
    context: click.Context, *, before: str, after: str, words: tuple[str, ...], everything: bool, least: Severity,
    form: str | None,
) -> int:  # fmt: skip
    """Show what has changed between two snapshots, object by object.

    BEFORE and AFTER are each a file (of "raidctl snapshot --output" or "raidctl
    --json show"), a recording, the number of a snapshot, "last", -2 (the last
    but one), a date (the last snapshot up to the end of that day, UTC), or
    "now". Without them: what has changed since the last snapshot. With --hosts,
    one line per host, the worst first; BEFORE may be a directory with HOST.json
    files of "raidctl snapshot --output".

    A drive in another bay has moved; another drive in the same bay was replaced.
    What could be read in only one of the two is not reported as lost or new, but
    listed separately; what could be read in neither makes no difference.

    Exit codes: 0 no change; 1 something has changed; 2 wrong usage, or no such
    snapshot; 3 no change in what could be read, but something could not be read;
    4 the same, because a tool or a permission is missing. With --format nagios:
    0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.
    """
    settings = settings_of(context)
    settings.refuse_second_format(form)
    settings.as_json = settings.as_json or form == "json"
    if settings.several():
        if form == "nagios" or after != NOW:
            raise click.UsageError("With --hosts, BEFORE is compared with now; --format nagios is for one machine.")
        return _many(settings, before, words, least, everything=everything)
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


def _many(settings: Settings, before: str, words: tuple[str, ...], least: Severity, *, everything: bool) -> int:
    """Print one line per host."""
    from raidctl.cli.shared import many_hosts  # noqa: PLC0415 - only where there are many
    from raidctl.fleet.hosts import Host, file_names  # noqa: PLC0415 - as above
    from raidctl.fleet.report import Rank  # noqa: PLC0415 - as above

    hosts = many_hosts.hosts_of(settings)
    names, store = file_names(hosts), store_of(settings)

    def line(host: Host, seen: Survey) -> many_hosts.Line:
        source = Source(many_hosts.one_of(settings, host), store, seen.inventory)
        word = str(Path(before) / f"{names[host.name]}.json") if Path(before).is_dir() else before
        old_name, old = source.take(word)
        noise = everything and old.host.source != SOURCE
        found = diff(
            old, seen.inventory, names=(old_name, NOW), everything=noise,
            ignored=ignored(words, old, seen.inventory, least=least),
        )  # fmt: skip
        texts = tuple(f"{one.id}: {one.message}" for one in found.changes)
        lost = tuple(f"{one.where}: {one.message}" for one in found.unread)
        every = (*texts, *lost)
        worst = {one.severity for one in found.changes}
        rank = Rank.CRITICAL if "critical" in worst else Rank.WARNING if "warning" in worst else Rank.CHANGED
        rank = rank if texts else Rank.FINE if found.verdict == "same" else Rank.UNKNOWN
        state = {"same": "same", "drift": "changed"}.get(found.verdict, "unknown")
        same = f"as in {old_name}{', as far as it could be read, then and now' if lost else ''}"
        message = every[0] if every and rank != Rank.FINE else same
        return many_hosts.Line(
            EXITS[found.verdict], rank, state, message, seen.inventory.host.hostname, every[1:], found
        )

    return many_hosts.run(settings, "diff", Machine.survey, line, hosts)


def _printed(found: Drift, settings: Settings, form: str | None) -> int:
    """Print a comparison; return the exit code."""
    if form == "nagios":
        from raidctl.output.nagios import of_drift  # noqa: PLC0415 - only where it is asked for

        text, status = of_drift(found)
        emit(text)
        return status
    emit_found(found, settings, "drift.screen", more=settings.verbose)
    return EXITS[found.verdict]
