"""``raidctl watch``: a live screen. With ``--once``, one run that reports what is new since the last."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from raidctl.audit.engine import Auditor
from raidctl.audit.finding import topic
from raidctl.cli._watch_state import WatchState, opened
from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import look as survey_of
from raidctl.cli.shared.machine import with_own_records
from raidctl.cli.shared.option_types import Length, Period
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of, without_help
from raidctl.cli.shared.policies import policy_of
from raidctl.cli.shared.reader_gone import ReaderGoneError
from raidctl.cli.shared.terminal import emit, emit_json
from raidctl.cli.shared.waivers import kept, waivers_option
from raidctl.errors import (
    EXIT_ACCESS,
    EXIT_CANNOT_TELL,
    EXIT_FINE,
    EXIT_NO,
    CannotTell,
    RaidctlError,
    UsageError,
)
from raidctl.output import watch as texts
from raidctl.output.json import to_json
from raidctl.text import attempt, counted, printable
from raidctl.units import parse_seconds
from raidctl.watch.delivery import Channel, Letter, UndeliveredError, mail, program
from raidctl.watch.memory import Config, Event, Look, Memory
from raidctl.watch.observe import look_at, unreadable, with_waivers_of
from raidctl.watch.report import Delivery, WatchReport
from raidctl.watch.step import delivered, enqueue, moment, step, unreported, waiting

SERVICE, TIMER = "raidctl-watch.service", "raidctl-watch.timer"
# options that name a machine: refused, or repeated separately
_NOT_REPEATED = ("once", "test", "install_unit", "dry_run", *(
    "state_dir", "demo", "replay", "sudo", "host", "as_json", "verbose",
))  # fmt: skip
_FILES = ("policy", "waivers")
_OF_LIVE = ("interval", "at_most")
_OF_ONCE = (
    "addresses", "programs", "policy", "waivers", "after", "unknown_after", "remind", "alive", "mail_from", "smtp",
)  # fmt: skip
_TEST = "This is a test of raidctl watch: nothing is wrong, and this address will receive its reports."


@click.command(
    "watch",
    epilog=examples(
        "raidctl watch", "raidctl watch --json --at-most 8h", "raidctl watch --once --mail root --alive 7d",
        "raidctl watch --once --run /usr/local/sbin/notify --remind 1d", "raidctl watch --test --mail root",
    ),
)  # fmt: skip
@click.option(
    "--interval", metavar="TIME", type=Length(0.5, 3600), help="Time between two readings (2s; 5s with --host)."
)
@click.option("--at-most", metavar="TIME", type=Length(1, 31 * 86400), help="End after 90s, 30m, 6h.")
@click.option("--once", is_flag=True, help="Read the machine once, report what is new, and end: for a timer.")
@click.option("--mail", "addresses", metavar="ADDRESS", multiple=True, help="Mail what is new; may be repeated.")
@click.option(
    "--run", "programs", metavar="PROGRAM", multiple=True, help="Program to run with the report (JSON) as input."
)
@click.option("--policy", metavar="FILE", help="Check this policy instead of the built-in rules.")
@waivers_option
@click.option(
    "--after", metavar="RUNS|TIME", default="2", show_default=True,
    help="How long a warning, or the end of a finding, must last before it is reported.",
)  # fmt: skip
@click.option(
    "--unknown-after", metavar="TIME", type=Period(), default=86400.0, help="The same for unknown results (1d)."
)
@click.option("--remind", metavar="TIME", type=Period(never=True), default=7 * 86400.0,
              help="Remind of findings that are still present; or never (7d).")  # fmt: skip
@click.option("--alive", metavar="TIME", type=Period(), help="Send a heartbeat this often, even if nothing is new.")
@click.option("--mail-from", metavar="ADDRESS", help="Sender of the mails (root@ this machine).")
@click.option("--smtp", metavar="HOST[:PORT]", help="Mail server (the program sendmail, else 127.0.0.1:25).")
@click.option("--test", is_flag=True, help="Send a test message to each address and program, and read nothing.")
@click.option("--install-unit", is_flag=True, help="Install a systemd timer that runs this every ten minutes.")
@click.option("--dry-run", is_flag=True, help="With --install-unit: print the units and install nothing.")
@without_help("replay")
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, /, *, interval: float | None, at_most: float | None, once: bool, addresses: tuple[str, ...],
    programs: tuple[str, ...], policy: str | None, waivers: str | None, test: bool, mail_from: str | None,
    smtp: str | None, install_unit: bool, dry_run: bool, **timing: Any,
) -> int:  # fmt: skip
    """Show a machine live. With --once, report what is new by mail or to a program.

    On a terminal: health, tasks with bars and the time left, temperatures, use of
    the caches, events since the start; what has changed in the last minute is
    marked. Kernel files are read at each --interval, the vendors' tools after 30
    seconds, then less often, up to every 5 minutes. In a pipe, with TERM=dumb or
    --json: a line, or an object, for each change. Ctrl-C ends it.

    --once compares the findings of "raidctl diagnose" (or of --policy) with those
    of the last run, and reports what is new, worse, good again or gone, once. A
    critical finding is reported at the first run; a warning, or the end of a
    finding, if it lasts for --after; an unknown result if it stays unknown. Run
    it from a timer (docs/watch.md).

    What could not be delivered is tried again at the next run; without an
    address it is only printed.

    Exit codes: 0 nothing new, or the live screen was ended; 1 something new was
    reported; 2 wrong usage; 3 a message could not be delivered; the machine, the
    results of earlier runs or the ignored findings could not be read; or the
    results could not be saved; 4 the state directory cannot be used, or a tool or
    permission is missing; 8 the machine of --host cannot be reached. What cannot
    be read gives 3 or 4 until it is reported, then 0.
    """
    settings = settings_of(context)
    if once or test or install_unit:
        _refuse(context, _OF_LIVE, "is for the live screen: it cannot be used with --once, --test or --install-unit")
    channels: list[Channel] = [*(mail(one, mail_from, smtp) for one in addresses), *map(program, programs)]
    if test:
        return _test(channels, settings)
    if dry_run and not install_unit:
        raise click.UsageError("--dry-run needs --install-unit; a run changes nothing on the machine.")
    if install_unit:
        if fault := next(filter(None, (one.fault() for one in channels)), None):
            raise UsageError(f"--run: {fault}")
        return _install(context, settings, dry_run=dry_run)
    if settings.replay is not None:
        raise UsageError("A recording does not change: --replay cannot be used with watch.")
    if not once:
        return _live(context, settings, interval, at_most)
    settings.check()
    config = _config(**timing)
    with opened(settings) as state:
        return _watched(state, _read_machine(settings, policy, waivers), config, channels, settings)


def _live(context: click.Context, settings: Settings, interval: float | None, at_most: float | None) -> int:
    from raidctl.cli import _watch_live  # noqa: PLC0415 - not needed by a timer

    _refuse(context, _OF_ONCE, 'needs --once: the live screen sends nothing ("raidctl watch --once" does)')
    settings.check()
    return _watch_live.run(settings, interval, at_most)


def _refuse(context: click.Context, names: Collection[str], why: str) -> None:
    """Refuse an option that would have no effect."""
    for option in context.command.params:
        if option.name in names and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{option.opts[-1]} {why}.")


def _config(*, after: str, unknown_after: float, remind: float, alive: float | None) -> Config:
    seconds = None if after.isdecimal() else attempt(parse_seconds, after)
    looks = int(after) if after.isascii() and after.isdecimal() else 0
    if not seconds and not 1 <= looks <= 1000:
        raise click.UsageError(f'--after "{printable(after)}" is neither a number of runs nor a time like 30min.')
    return Config(
        after=seconds or looks, by_time=bool(seconds), unknown_after=unknown_after,
        remind=None if math.isinf(remind) else remind, alive=alive,
    )  # fmt: skip


def _install(context: click.Context, settings: Settings, *, dry_run: bool) -> int:
    """Install a timer that runs with the options of this command line."""
    from raidctl.cli.shared.systemd_units import filled, install  # noqa: PLC0415 - only where it is asked for

    settings.refuse_machine("watch --install-unit")
    place = ("--state-dir", str(Path(settings.state_dir).absolute())) if settings.state_dir else ()
    words = ["watch", "--once", *_unit_options(context), *place]
    units = {SERVICE: filled(SERVICE, words), TIMER: filled(TIMER, ())}
    return install(units, dry_run=dry_run, now=True)


def _unit_options(context: click.Context) -> Iterator[str]:
    """Yield the options that a unit repeats. Files get full paths, as the unit runs in another directory."""
    for option in context.command.params:
        name, value = option.name or "", context.params.get(option.name or "")
        if name in _NOT_REPEATED or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        for one in value if isinstance(value, tuple) else (value,):
            word = str(Path(one).absolute()) if name in _FILES else one
            yield from (option.opts[-1], "never" if word == math.inf else f"{word:g}s" if isinstance(word, float)
                        else str(word))  # fmt: skip


@dataclass(frozen=True)
class _Seen:
    """The result of a reading, and its exit code."""

    look: Look
    host: str
    source: str
    code: int = EXIT_FINE
    notes: tuple[str, ...] = ()


def _read_machine(settings: Settings, policy: str | None, waivers: str | None) -> _Seen:
    """Read the machine; a failed reading counts as a run."""
    source, now = settings.source, datetime.fromtimestamp(time.time(), timezone.utc)
    rules = policy_of(policy, waivers)
    try:
        inventory = with_own_records(survey_of(settings), settings).inventory
    except UsageError:
        raise
    except RaidctlError as error:
        host = settings.host or os.uname().nodename
        return _Seen(unreadable(f"The machine cannot be read: {error}"), host, source, error.exit_code)
    ignored, notes = kept(settings, inventory.host.hostname)
    rules.add_waivers(ignored)
    audited = Auditor(rules, keep=True, alone=True, now=now).audit(inventory, inventory.host.source)
    seen = look_at(inventory, audited.findings, [one.finding for one in audited.waived])
    code = EXIT_CANNOT_TELL if notes else EXIT_FINE
    return _Seen(with_waivers_of(seen, notes), inventory.host.hostname or source, source, code, notes)


def _watched(state: WatchState, seen: _Seen, config: Config, channels: Sequence[Channel], settings: Settings) -> int:
    now, before = time.time(), state.memory
    names = [one.name for one in channels]
    memory, events = step(before, seen.look, now, config)
    state.keep(enqueue(memory, events, names, now))
    if state.fault is not None:  # the finding of this run would be lost
        at_once = msgspec.structs.replace(config, after=0, unknown_after=0)
        memory, events = step(before, seen.look, now, at_once)
        state.memory = enqueue(memory, events, names, now)
    report = WatchReport(
        host=seen.host, source=seen.source, at=moment(now), subject=texts.subject(seen.host, events), events=events,
        complete=seen.look.complete, present=sum(one.reported is not None for one in memory.tracked),
        unknown=sum(one.unknown_since is not None for one in memory.tracked), waived=seen.look.waived,
        notes=_notes(state, seen), pending=sum(one.reported is None and one.seen > 0 for one in memory.tracked),
    )  # fmt: skip
    done = [_delivery(state, one, report, now) for one in channels]
    report = msgspec.structs.replace(
        report, deliveries=(*done, *_unused(state.memory, channels)), notes=_notes(state, seen)
    )
    try:
        emit_json(report) if settings.as_json else emit(texts.screen(report))
    except (CannotTell, ReaderGoneError):
        if not channels:  # it was not shown: the next run reports it again
            state.keep(before)
        raise
    failed = state.fault is not None or bool(state.notes) or any(one.error is not None for one in done)
    if failed or seen.code:
        return seen.code or (EXIT_ACCESS if state.path is None else EXIT_CANNOT_TELL)
    if any(event.kind not in ("alive", "reminder", "still") for event in events):
        return EXIT_NO
    return exit_code(unreported(memory, seen.look))


def _notes(state: WatchState, seen: _Seen) -> tuple[str, ...]:
    return *state.notes, *seen.notes, *([state.fault] if state.fault else [])


def _delivery(state: WatchState, channel: Channel, report: WatchReport, now: float) -> Delivery:
    """Send what a channel has not received; mark it only after success."""
    events = waiting(state.memory, channel.name)
    if not events:
        return Delivery(channel=channel.name, error=channel.fault())
    try:
        channel.deliver(_letter(report, events, now))
    except UndeliveredError as error:
        return Delivery(channel=channel.name, waiting=len(events), error=printable(str(error)))
    state.keep(delivered(state.memory, channel.name, events))
    return Delivery(channel=channel.name, delivered=len(events))


def _unused(memory: Memory, channels: Sequence[Channel]) -> Iterator[Delivery]:
    """Yield the channels of other runs, such as those of the timer, that events wait for."""
    for name in sorted(set(memory.channels) - {one.name for one in channels}):
        if events := waiting(memory, name):
            yield Delivery(channel=name, waiting=len(events))


def _letter(report: WatchReport, events: tuple[Event, ...], now: float) -> Letter:
    mine = msgspec.structs.replace(report, events=events, subject=texts.subject(report.host, events))
    return Letter(
        host=report.host, seconds=now, subject=mine.subject, body=texts.body(mine),
        document=to_json(mine).encode("utf-8"), variables=texts.variables(events),
        key=repr([(one.id, one.at) for one in events]),
        threads=tuple(dict.fromkeys(map(_thread, (one for one in events if one.rule)))),
    )  # fmt: skip


def _thread(event: Event) -> str:
    """The conversation of an event's finding."""
    about = topic(event.rule or "", event.message)
    return " ".join(word for word in (event.rule, event.where, event.since or "None", about) if word)


def _test(channels: Sequence[Channel], settings: Settings) -> int:
    """Send a test message; no machine is read, and nothing is marked."""
    if not channels:
        raise UsageError("--test needs an address or a program: --mail root, or --run /usr/local/sbin/notify.")
    now = time.time()
    host = settings.host or os.uname().nodename
    event = Event(id=0, at=moment(now), kind="alive", message=_TEST)
    report = WatchReport(host=host, source=settings.source, at=moment(now), subject=f"{host}: test of raidctl watch",
                         events=(event,))  # fmt: skip
    letter = msgspec.structs.replace(_letter(report, (event,), now), subject=report.subject)
    failed = 0
    for channel in channels:
        try:
            channel.deliver(letter)
        except UndeliveredError as error:
            failed += 1
            click.echo(f"raidctl: The test message was not sent to {channel.name}: {printable(str(error))}", err=True)
        else:
            click.echo(f"A test message was sent to {channel.name}.")
    if failed:
        raise CannotTell(f"{counted(failed, 'test message')} of {len(channels)} could not be sent.")
    return EXIT_FINE
