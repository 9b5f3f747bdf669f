"""``raidctl export``: metrics in the text format of Prometheus, or flat rows."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from raidctl.cli.shared import files
from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.machine import look, with_own_records
from raidctl.cli.shared.option_types import or_standard_output
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit, emit_json
from raidctl.errors import RaidctlError, UsageError
from raidctl.model import Host, Inventory, unread_problems
from raidctl.output.metrics import Export, families
from raidctl.output.metrics_table import INVENTORY, MACHINE, RULE_LABELS, of_rules, of_scan
from raidctl.output.prometheus import CONTENT_TYPE, text
from raidctl.text import printable, regex

if TYPE_CHECKING:
    from raidctl.audit.diagnosis import Diagnosis
    from raidctl.audit.policy.waivers import Waiver

TABLES = ("drives", "volumes", "batteries", "caches", "findings", "bench")
"""Choices of --rows; a test compares them with raidctl.rows."""
SERVICE, TIMER = "raidctl-export.service", "raidctl-export.timer"
_INTERVAL = 300
_PATH = "/metrics"
_LABEL = regex(r"[a-zA-Z_][a-zA-Z0-9_]*", re.ASCII)


@click.command(
    "export",
    epilog=examples(
        "raidctl export", "raidctl --demo p440 export --rules",
        "raidctl export --output /var/lib/prometheus/node-exporter/raidctl.prom",
        "raidctl export --listen 9809 --interval 600", "raidctl export --rows drives inventories/ > drives.jsonl",
        "raidctl export --rows volumes --format parquet --output rows --snapshots",
    ),
)  # fmt: skip
@click.argument("path", nargs=-1)
@click.option("--rows", "table", type=click.Choice(TABLES), help="Print flat rows instead, one JSON object per line.")
@click.option("--snapshots", is_flag=True, help="With --rows: of all saved snapshots.")
@click.option("--policy", metavar="FILE", help="With --rows findings: of this policy (all built-in rules).")
@click.option("--waivers", metavar="FILE", help="With --rules and --rows findings: file of waived findings.")
@click.option("--format", "form", type=click.Choice(("jsonl", "parquet")), help="With --rows: jsonl, or parquet "
              "files by table and day below --output DIRECTORY.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="With --rows: processes (one per core).")
@click.option("--rules", is_flag=True, help="Include the findings of the built-in rules (raidctl diagnose).")
@click.option("--label", metavar="NAME=VALUE", multiple=True, help="Add a label to each series; may be repeated.")
@click.option(
    "--output",
    metavar="FILE",
    callback=or_standard_output,
    help="Write FILE atomically, for node_exporter's textfile collector.",
)
@click.option("--listen", metavar="[ADDRESS:]PORT", help="Serve metrics over HTTP (default address 127.0.0.1).")
@click.option(
    "--interval", type=click.IntRange(0), metavar="SECONDS",
    help=f"With --listen: minimum time between two readings ({_INTERVAL}).",
)  # fmt: skip
@click.option(
    "--targets", metavar="FILE", help="With --listen: serve /probe?target=HOST for the hosts in FILE, over ssh."
)
@click.option("--install-unit", is_flag=True,
              help="With --output: install a systemd timer that writes FILE every ten minutes.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="With --install-unit: print the units and install nothing.")
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, /, *, rules: bool, label: tuple[str, ...], output: str | None, listen: str | None,
    interval: int | None, targets: str | None, install_unit: bool, dry_run: bool, **rows: Any,
) -> int:  # fmt: skip
    """Print storage metrics for Prometheus, or flat rows for tables.

    A value that no tool reports has no series; raidctl_problems counts what could
    not be read. docs/export.md lists the metrics. With --output, FILE is replaced
    atomically; it is left as it is only if the host is unreachable. With --listen,
    metrics are served at http://ADDRESS:PORT/metrics until raidctl is stopped;
    with --targets those of other machines, over ssh, at /probe?target=HOST.

    With --rows, each drive, volume and so on is one JSON object on a line, with
    the columns of docs/fleet_sql.md: of this machine (or that of --host,
    --replay, --demo), of PATH (inventories, recordings and directories of them,
    as for "raidctl audit"; - is standard input), or of --snapshots. --rows
    bench prints the saved runs, or files with runs.

    Exit codes: 0 everything could be read; 2 wrong usage; 3 something could not
    be read; 4 a tool, a permission, or the extra "parquet" is missing (what
    could be read is printed).
    """
    settings = settings_of(context)
    if rows["table"] is not None:
        _refuse_beside_rows(settings, rules, label, listen, targets, interval, install_unit, dry_run)
        return _rows(settings, output, **rows)
    waivers = rows.pop("waivers")
    if any(rows.values()):
        raise click.UsageError("PATH, --snapshots, --policy, --format and --jobs need --rows.")
    if waivers is not None and not rules:
        raise click.UsageError("--waivers needs --rules or --rows findings: metrics alone are not findings.")
    wanted = _Wanted(rules, dict(map(_label, label)), waivers)
    if waivers is not None:
        from raidctl.cli.shared.waivers import written  # noqa: PLC0415 - only where there are some

        written(waivers)  # mistakes are reported before anything is read or served
    _check(settings, output=output, listen=listen, interval=interval, targets=targets, units=(install_unit, dry_run))
    if install_unit:
        return _install(settings, output, wanted, dry_run=dry_run)
    if listen is not None:
        _serve(listen, _INTERVAL if interval is None else interval, settings, wanted, targets)
    return _print(settings, output, wanted)


def _check(
    settings: Settings, *, output: str | None, listen: str | None, interval: int | None, targets: str | None,
    units: tuple[bool, bool],
) -> None:  # fmt: skip
    """Refuse options that do not go together.

    Raises:
        click.UsageError: Some do not.
    """
    install_unit, dry_run = units
    if output is not None and listen is not None:
        raise click.UsageError("--output and --listen cannot be used together.")
    if dry_run and not install_unit:
        raise click.UsageError("--dry-run needs --install-unit.")
    if install_unit and (output is None or interval is not None or targets is not None):
        raise click.UsageError("--install-unit needs --output FILE, and neither --listen, --interval nor --targets.")
    if interval is not None and listen is None:
        raise click.UsageError("--interval needs --listen.")
    if targets is not None and listen is None:
        raise click.UsageError("--targets needs --listen.")
    if listen is not None and settings.as_json:
        raise click.UsageError("--json and --listen cannot be used together.")


class _Wanted(NamedTuple):
    """The requested content of the metrics."""

    rules: bool
    labels: Mapping[str, str]
    file: str | None = None
    """File with waivers. It is read for each page, as it may change while raidctl serves."""
    probes: bool = False
    """Whether the machine is one of many targets."""


def _label(word: str) -> tuple[str, str]:
    """``NAME=VALUE`` of --label.

    Raises:
        click.UsageError: The name is invalid, or one that raidctl uses.
    """
    name, sign, value = word.partition("=")
    if not sign or not _LABEL.fullmatch(name):
        raise click.UsageError(f'--label "{printable(word)}" is not a label: write host=db7.')
    used = {label for metric in INVENTORY for label in metric.labels} | set(RULE_LABELS)
    if name in used or name.startswith("__"):
        raise click.UsageError(f'--label: "{name}" is the name of a label that raidctl, or Prometheus, sets.')
    return name, value


def _refuse_beside_rows(settings: Settings, *given: object) -> None:
    if any(one not in (None, False, ()) for one in given) or settings.as_json:
        raise click.UsageError("--rows takes only --snapshots, --policy, --waivers, --format, --output and --jobs.")


def _print(settings: Settings, output: str | None, wanted: _Wanted) -> int:
    inventory, export = _scan(settings, wanted)
    if output is not None:
        data = _json(export) if settings.as_json else text(export.metrics)
        files.write(output, data.encode("utf-8"), mode=0o644)  # node_exporter runs as another user
    elif settings.as_json:
        emit_json(export)
    else:
        emit(text(export.metrics))
    code = exit_code(inventory.problems)
    if code:
        print_problems(unread_problems(inventory.problems))
    return code


def _rows(
    settings: Settings, output: str | None, *, table: str, path: tuple[str, ...], snapshots: bool, form: str | None,
    policy: str | None, waivers: str | None, jobs: int | None,
) -> int:  # fmt: skip
    from raidctl.cli._export_rows import Wanted, export_rows  # noqa: PLC0415 - only where it is asked for

    wanted = Wanted(
        table=table,
        paths=path,
        snapshots=snapshots,
        form=form or "jsonl",
        output=output,
        policy=policy,
        waivers=waivers,
        jobs=jobs,
    )
    return export_rows(wanted, settings)


def _install(settings: Settings, output: str | None, wanted: _Wanted, *, dry_run: bool) -> int:
    """Install a timer that writes a file for node_exporter's textfile collector."""
    from raidctl.cli.shared.systemd_units import filled, install  # noqa: PLC0415 - only where it is asked for

    settings.refuse_machine("export --install-unit")
    path = str(Path(output or "").absolute())
    labels = [word for name, value in wanted.labels.items() for word in ("--label", f"{name}={value}")]
    words = ["export", *(["--rules"] if wanted.rules else []), *labels, "--output", path]
    words += ["--waivers", str(Path(wanted.file).absolute())] if wanted.file else []
    words += ["--state-dir", str(Path(settings.state_dir).absolute())] if settings.state_dir else []
    units = {SERVICE: filled(SERVICE, words, FILE=str(Path(path).parent)), TIMER: filled(TIMER, ())}
    return install(units, dry_run=dry_run, now=True)


def _json(export: Export) -> str:
    from raidctl.output.json import to_json  # noqa: PLC0415 - rarely needed

    return to_json(export)


def _scan(settings: Settings, wanted: _Wanted) -> tuple[Inventory, Export]:
    began = time.monotonic()
    inventory = with_own_records(look(settings), settings).inventory
    metrics = [*INVENTORY, of_scan(time.monotonic() - began)]
    if wanted.rules:
        from raidctl.cli.shared.waivers import with_saved_waivers  # noqa: PLC0415 - only where findings are asked for

        inventory, ignored = with_saved_waivers(settings, inventory)
        metrics += of_rules(_diagnosis(inventory, wanted, ignored))
    return inventory, Export(metrics=families(metrics, inventory, wanted.labels))


def _diagnosis(inventory: Inventory, wanted: _Wanted, ignored: Sequence[Waiver]) -> Diagnosis:
    """Return the findings of ``raidctl diagnose``, with the same waivers."""
    from raidctl.audit.builtin import rules  # noqa: PLC0415 - only if findings are requested
    from raidctl.audit.diagnosis import diagnosed, findings_of  # noqa: PLC0415 - as above
    from raidctl.cli.shared.waivers import today, written  # noqa: PLC0415 - as above

    try:
        of_file = written(wanted.file)
    except RaidctlError as error:  # damaged while raidctl serves: it waives nothing, and the service continues
        click.echo(f"raidctl: No waiver of {printable(str(wanted.file))} is applied: {printable(str(error))}", err=True)
        of_file = ()
    waivers = (*of_file, *ignored)
    return diagnosed(inventory, findings_of(inventory, rules()), waivers, today(), alone=not wanted.probes)


def _serve(listen: str, interval: int, settings: Settings, wanted: _Wanted, targets: str | None) -> NoReturn:
    from raidctl.cli._export_targets import for_target, targets_of  # noqa: PLC0415 - rarely needed
    from raidctl.output.http_server import Page, Probes, Refresher, address, serve  # noqa: PLC0415 - as above

    def page(about: Settings) -> Page:
        gc.unfreeze()  # each reading freezes the objects of the garbage collector: a leak in a long-running program
        gc.collect()
        try:
            _, export = _scan(about, wanted)
        except RaidctlError as error:
            if isinstance(error, UsageError) and about is settings:
                raise  # a retry would fail in the same way
            sentence = f"raidctl: {printable(str(error))}\n"
            click.echo(sentence, err=True, nl=False)
            return Page(sentence.encode("utf-8", "replace"), "text/plain; charset=utf-8", 503)
        return Page(text(export.metrics).encode("utf-8"), CONTENT_TYPE)

    def itself() -> Page:
        """Return raidctl's own metrics. With targets, the local machine is not one of them."""
        return Page(text(families(MACHINE[:1], Inventory(host=Host()), wanted.labels)).encode("utf-8"), CONTENT_TYPE)

    def announce(url: str) -> None:
        click.echo(f"raidctl: {url}", err=True)

    place = address(listen)
    if targets is None:
        settings.check()
        serve(place, _PATH, Refresher(lambda: page(settings), interval), announce)
    allowed = targets_of(targets, settings)
    wanted = wanted._replace(probes=True)
    probes = Probes(lambda target: page(for_target(settings, allowed[target])), allowed, interval)
    serve(place, _PATH, Refresher(itself, interval), announce, probes)
