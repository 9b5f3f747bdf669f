"""``raidctl events``: the logs of all controllers and the kernel in one list."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

import click
from msgspec.structs import replace

from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.machine import Machine, machine, print_tracebacks
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import display, emit, emit_found
from raidctl.errors import EXIT_FINE
from raidctl.events.reading import Logs, read_kernel, read_logs
from raidctl.events.report import EventReport, Filter, report, unseen
from raidctl.events.times import cutoff
from raidctl.health.narrowed import narrow_with_carriers, with_unlisted
from raidctl.model import Inventory
from raidctl.request import converse
from raidctl.select import find, items, physical
from raidctl.survey.survey import Survey
from raidctl.tasks.watch import Clock, SystemClock
from raidctl.units import parse_iso
from raidctl.vendor.events import LEVELS, Event, Level

_KERNEL_SECONDS, _TOOL_SECONDS = 5.0, 60.0
"""Seconds between two readings of the kernel log and the controllers' logs. They apply with --follow."""
_ONLY_CERTAIN = (
    "Events whose object is uncertain, such as lines of ata ports, are left out; without TARGET, all are listed."
)


@click.command(
    "events",
    epilog=examples("raidctl events --since 2d --level warning", "raidctl events /srv", "raidctl events --follow"),
)
@click.argument("target", required=False)
@click.option("--since", metavar="TIME", help="Only newer events: 2h, 3d, 2026-05-06, 2026-05-06T07:08, boot.")
@click.option("--level", type=click.Choice(LEVELS, case_sensitive=False), help="Only events of this level, or worse.")
@click.option("--follow", is_flag=True, help="Keep printing new events until interrupted.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, target: str | None, since: str | None, level: Level | None, follow: bool) -> int:
    """List controllers' events, and what the kernel logged about drives and arrays.

    One format for all, the oldest first: time, level, object, message. TARGET
    limits the list to an object, a device or a mount point; events whose object
    is uncertain are then counted, not listed. The newest 1,000 events of each
    controller and 20,000 lines of the kernel are read.

    Controllers have their own clocks. Where the difference is known, times
    are in UTC, by the machine's clock; a * marks the time of a controller's
    own clock. --since keeps what might be newer; dates are UTC. An event
    without a level or a time is always listed. raidctl never clears a log.

    --follow reads the kernel log every 5 seconds and the controllers' logs every
    minute; with --json it prints one object a line.

    Exit codes: 0 listed; 2 no such TARGET, or no such time; 3 a log could not be
    read; 4 a tool or a permission is missing.
    """
    settings = settings_of(context)
    if follow and settings.replay is not None:
        raise click.UsageError("A recording is one moment: there is nothing to follow.")
    with machine(settings) as named:
        seen = named.survey()
        if settings.verbose:
            print_tracebacks(seen)
        reading = _Reading(named, seen, target)
        found = reading.whole(since, level)
        if not follow:
            emit_found(found, settings, "events.events_screen", more=settings.verbose)
            return exit_code(found.problems)
        if target:
            click.echo(f"raidctl: {_ONLY_CERTAIN}", err=True)
        return _follow(reading, found, settings, SystemClock())


class _Reading:
    """The logs of a machine, filtered by the options."""

    def __init__(self, named: Machine, seen: Survey, target: str | None) -> None:
        self._named, self._seen = named, seen
        ids = find(seen.inventory, seen.view, [target]) if target else None
        parts = None
        self._inventory = seen.inventory
        if target and ids is not None:
            self._inventory, parts = selected(with_unlisted(seen.inventory, seen.view, [target]), ids)
        self._filter = Filter(ids=parts)
        self._controllers = None if ids is None else frozenset(one.id for one in self._inventory.controllers)

    def whole(self, since: str | None, level: Level | None) -> EventReport:
        """Read all logs; this fixes the filter."""
        now = self.now()
        logs = converse(read_logs(self._seen, self._named.vendors, now, self._controllers), self._named.runner)
        moment = cutoff(since, now or datetime.now(timezone.utc), logs.booted) if since is not None else None
        self._filter = replace(self._filter, since=moment, level=level)
        return self._report(logs, now)

    def again(self, *, tools: bool) -> EventReport:
        """Read the kernel log again; with ``tools``, also the others."""
        now = self.now()
        if tools:
            self._seen = self._named.survey()  # new drives, and the controllers' clocks
            logs = converse(read_logs(self._seen, self._named.vendors, now, self._controllers), self._named.runner)
        else:
            logs = converse(read_kernel(self._seen, self._named.vendors, now), self._named.runner)
        return self._report(logs, now)

    def now(self) -> datetime | None:
        """Return when the outputs were printed, to compare the controllers' clocks with."""
        at = self._named.recorded_at
        return parse_iso(at) if at is not None else datetime.now(timezone.utc)

    def _report(self, logs: Logs, now: datetime | None) -> EventReport:
        return report(self._inventory, logs.logs, now, self._filter)


def selected(whole: Inventory, ids: frozenset[str]) -> tuple[Inventory, frozenset[str]]:
    """Return the inventory of objects with all that carries them, and the ids of these.

    The id of a controller is included only if it was named.
    """
    narrowed = narrow_with_carriers(whole, ids)
    parts = [item.id for one in narrowed.controllers for item in items(one) if item is not one]
    return narrowed, ids | frozenset(parts) | frozenset(physical(whole, parts))


def _follow(reading: _Reading, first: EventReport, settings: Settings, clock: Clock) -> int:
    """Print existing events, then new ones, until interrupted."""
    from raidctl.output.events import as_lines  # noqa: PLC0415 - rich only where a screen is drawn

    print_problems([problem for problem in first.problems if problem.kind != "note"])
    for events in _new(reading, first, clock):
        as_lines(events, display(), emit, json=settings.as_json)
    return EXIT_FINE


def _new(reading: _Reading, first: EventReport, clock: Clock) -> Iterator[list[Event]]:
    """Yield the events of the first reading, then new ones."""
    known = list(first.events)
    reported = set(first.problems)
    yield known
    asked = clock.now()
    while True:
        clock.sleep(_KERNEL_SECONDS)
        tools = clock.now() - asked >= _TOOL_SECONDS
        asked = clock.now() if tools else asked
        found = reading.again(tools=tools)
        fresh = unseen(found.events, known)
        known += fresh
        print_problems([problem for problem in found.problems if problem not in reported and problem.kind != "note"])
        reported |= set(found.problems)
        yield fresh
