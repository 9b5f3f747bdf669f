"""``raidctl record``."""

from __future__ import annotations

from pathlib import Path

import click

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import Machine, machine, tell_tracebacks
from raidctl.cli.shared.options import machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import emit, emit_json, paper
from raidctl.errors import UsageError
from raidctl.layers.probe import probe_caches
from raidctl.layers.scope import Scope
from raidctl.layers.stats import sample
from raidctl.output.snapshots import kept_data, kept_screen
from raidctl.recording import recording
from raidctl.recording.recording import Recording
from raidctl.request import converse
from raidctl.runners.record import RecordRunner
from raidctl.survey.doctor import check_tools
from raidctl.survey.survey import Survey
from raidctl.text import printable
from raidctl.verify import kernel as claims_kernel


@click.command("record")
@click.argument("destination", metavar="DEST")
@click.option("--redact", is_flag=True, help="Mask serial numbers, WWNs and host names, each the same way everywhere.")
@click.option("--about", default="", metavar="TEXT", help="A sentence on what is special about this machine.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, destination: str, redact: bool, about: str) -> int:
    """Keep everything that the tools answer, to work from it later.

    DEST is a new directory, or an archive NAME.tar.gz. It holds each command with its exit code and its outputs, and
    the files that were read; only its owner can read it. "raidctl --replay DEST" works from it: show, doctor, and
    record again, with --redact.
    """
    settings = settings_of(context)
    _refuse_taken(Path(destination))
    with machine(settings) as named:
        kept, seen = _record(named, about)
    if settings.verbose:
        tell_tracebacks(seen)
    if redact:
        from raidctl.recording.redact import redact as masked  # noqa: PLC0415 - only where it is asked for
        from raidctl.recording.redact import serials  # noqa: PLC0415 - as above

        kept = masked(kept, known=serials(seen.inventory))
    recording.save(kept, destination)
    if settings.as_json:
        emit_json(kept_data(kept, destination))
    else:
        emit(kept_screen(kept, destination, paper()))
    return exit_code(seen.inventory.problems)


def _record(named: Machine, about: str) -> tuple[Recording, Survey]:
    """Ask all that "show" and "doctor" ask, through a runner that keeps it."""
    runner = RecordRunner(named.runner)
    listened = Machine(runner, named.vendors, named.source, named.problems, named.collected_at)
    seen = listened.survey()
    converse(check_tools(named.vendors, seen.inventory.tools), runner)
    kernel = converse(probe_caches(seen.view), runner)
    converse(claims_kernel.read_kernel(seen.view), runner)
    converse(sample(seen.view, Scope(None, blocks=seen.view.blocks), kernel), runner)
    return runner.recording(about=about, source=named.source, collected_at=named.collected_at), seen


def _refuse_taken(destination: Path) -> None:
    """Before anything is asked: ``save`` would refuse it only after minutes."""
    if destination.exists() and not (destination.is_dir() and not any(destination.iterdir())):
        raise UsageError(f"{printable(str(destination))} already exists; choose another name or remove it.")
    if not destination.absolute().parent.is_dir():
        raise UsageError(f"There is no directory {printable(str(destination.absolute().parent))} to put it in.")
