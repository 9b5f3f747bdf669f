"""``raidctl record``: save all outputs of the tools, to work from them later."""

from __future__ import annotations

from pathlib import Path

import click
from msgspec.structs import replace

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import Machine, machine, print_tracebacks
from raidctl.cli.shared.options import (
    Settings,
    bmc_options,
    hosts_options,
    machine_options,
    output_options,
    settings_of,
)
from raidctl.cli.shared.terminal import display, emit, emit_json
from raidctl.errors import UsageError
from raidctl.events.reading import read_logs
from raidctl.layers.probe import probe_caches
from raidctl.layers.scope import Scope
from raidctl.layers.stats import sample
from raidctl.output.recording import recording_data, recording_screen
from raidctl.recording.recording import Recording
from raidctl.recording.save import save
from raidctl.request import converse
from raidctl.runners.record import RecordRunner
from raidctl.survey.doctor import check_tools
from raidctl.survey.survey import Survey
from raidctl.text import printable
from raidctl.verify.kernel import read_kernel


@click.command("record")
@click.argument("destination", metavar="DEST")
@click.option("--redact", is_flag=True, help="Mask serial numbers, WWNs and host names consistently.")
@click.option("--about", default="", metavar="TEXT", help="Description of the machine.")
@click.option("--events", is_flag=True, help="Also record the event logs of controllers, and the kernel log.")
@click.option("--transcript", default=None, metavar="COMMAND",
              help="Record what a tool shows before and after a command that you run yourself.")  # fmt: skip
@machine_options
@bmc_options
@hosts_options
@output_options
@click.pass_context
def command(
    context: click.Context, destination: str, *, redact: bool, about: str, events: bool, transcript: str | None
) -> int:
    """Record all outputs of the tools, to work from them later.

    DEST is a new directory, or an archive NAME.tar.gz. It contains each command
    with its exit code and output, and the files that were read; only its owner
    can read it. "raidctl --replay DEST COMMAND" works from it: show, diagnose and
    all others that only read, and "record --redact" for a masked copy. With
    --hosts, DEST is a directory that gets HOST.tar.gz for each host.

    With --events, "raidctl --replay DEST events" works as well. Reading a
    controller's log can take minutes; the kernel log contains lines about
    everything else, such as addresses in a firewall's messages, which --redact
    does not mask: read it before you pass it on.

    With --transcript, DEST is a directory with the outputs of one tool before
    and after COMMAND, such as "arcconf SETSTATE 1 DEVICE 0 6 HSP noprompt".
    raidctl does not run COMMAND: it reads, you run it and paste what it printed
    into DEST/answer.txt, then the same command line again reads what is there
    now and writes DEST/transcript.txt.
    """
    settings = settings_of(context)
    if destination == "-":
        raise UsageError('A recording is many files: name a directory or an archive NAME.tar.gz ("./-" is one, too).')
    if transcript is not None:
        if settings.several():
            raise UsageError("A transcript is of one machine: use --host.")
        return _transcript(settings, Path(destination), transcript, masked=redact)
    if settings.several():
        return _many(settings, destination, about, redact=redact, events=events)
    _refuse_taken(Path(destination))
    with machine(settings) as named:
        kept, seen = _record(named, about, events=events)
    if settings.verbose:
        print_tracebacks(seen)
    if redact:
        kept = _masked(kept, seen)
    save(kept, destination)
    if settings.as_json:
        emit_json(recording_data(kept, destination))
    else:
        emit(recording_screen(kept, destination, display()))
    return exit_code(seen.inventory.problems)


def _transcript(settings: Settings, place: Path, text: str, *, masked: bool) -> int:
    """Read before the command, or after it, and save the reading."""
    from raidctl.cli import _record_transcripts  # noqa: PLC0415 - only where it is asked for
    from raidctl.recording import deed_transcript  # noqa: PLC0415 - as above

    words = _record_transcripts.command_of(text)
    if deed_transcript.begun(place, words) is None:
        _refuse_taken(place)
    else:
        deed_transcript.answer(place)
    with machine(settings) as named:
        kept, seen = _record(named, "", events=False)
        screen = _record_transcripts.write_transcript(named, kept, seen, words, place, masked=masked)
    if settings.as_json:
        emit_json({"destination": str(place), "complete": (place / deed_transcript.TRANSCRIPT).exists()})
    else:
        emit(screen)
    return exit_code(seen.inventory.problems)


def _many(settings: Settings, destination: str, about: str, *, redact: bool, events: bool) -> int:
    """Record each host as an archive in a directory. Existing archives are kept."""
    from raidctl.cli.shared import files, many_hosts  # noqa: PLC0415 - only where there are many
    from raidctl.fleet.hosts import Host, file_names  # noqa: PLC0415 - as above
    from raidctl.fleet.report import Rank  # noqa: PLC0415 - as above
    from raidctl.output.recording import size  # noqa: PLC0415 - as above

    hosts = many_hosts.hosts_of(settings)
    paths = {name: Path(destination) / f"{file}.tar.gz" for name, file in file_names(hosts).items()}
    files.directory(destination)
    taken = "{} already exists; remove it, or choose another directory."
    hosts = tuple(
        replace(host, refused=taken.format(paths[host.name])) if paths[host.name].exists() else host for host in hosts
    )

    def line(host: Host, found: tuple[Recording, Survey]) -> many_hosts.Line:
        kept, seen = found
        kept = _masked(kept, seen) if redact else kept
        save(kept, str(paths[host.name]))
        code = exit_code(seen.inventory.problems)
        text, data = f"{paths[host.name]}, {size(kept)}", recording_data(kept, str(paths[host.name]))
        rank, state = (Rank.UNKNOWN, "in part") if code else (Rank.FINE, "recorded")
        return many_hosts.Line(code, rank, state, text, seen.inventory.host.hostname, (), data)

    return many_hosts.run(settings, "record", lambda named: _record(named, about, events=events), line, hosts)


def _masked(kept: Recording, seen: Survey) -> Recording:
    from raidctl.recording.redact import redact, serials  # noqa: PLC0415 - only where it is asked for

    return redact(kept, known=serials(seen.inventory))


def _record(named: Machine, about: str, *, events: bool) -> tuple[Recording, Survey]:
    """Make all requests of the commands that read, through a recording runner."""
    runner = RecordRunner(named.runner)
    listened = Machine(runner, named.vendors, named.source, named.problems, named.collected_at)
    seen = listened.survey()
    converse(check_tools(named.vendors, seen.inventory.tools), runner)
    kernel = converse(probe_caches(seen.view), runner)
    converse(read_kernel(seen.view), runner)
    converse(sample(seen.view, Scope(None, blocks=seen.view.blocks), kernel), runner)
    if events:
        converse(read_logs(seen, named.vendors, None), runner)
    return runner.recording(about=about, source=named.source, collected_at=named.collected_at), seen


def _refuse_taken(destination: Path) -> None:
    """Refuse an existing destination before anything is read. ``save`` would refuse it only after minutes."""
    if destination.exists() and not (destination.is_dir() and not any(destination.iterdir())):
        raise UsageError(f"{printable(str(destination))} already exists; choose another name or remove it.")
    if not destination.absolute().parent.is_dir():
        raise UsageError(f"There is no directory {printable(str(destination.absolute().parent))} to put it in.")
