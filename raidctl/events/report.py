"""The report of ``raidctl events``: all events, and unreadable logs. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta, timezone
from typing import Annotated, Literal

from msgspec import Struct
from msgspec.structs import replace

from raidctl.described import doc
from raidctl.events.times import MARGIN, difference, shifted
from raidctl.model import Host, Inventory, Problem, unread_problems
from raidctl.units import parse_iso
from raidctl.vendor.events import LEVELS, Event, EventLog, Level

_EARLIEST = datetime(1, 1, 1, tzinfo=timezone.utc)


class ControllerClock(Struct, frozen=True, kw_only=True):
    """The clock of a controller."""

    controller: Annotated[str, doc("Id of the controller.")]
    clock: Annotated[str | None, doc("What it showed, without a time zone; null: unknown.")] = None
    behind_seconds: Annotated[
        int | None, doc("Seconds to add to get UTC on the machine's clock, time zone included; null: unknown.")
    ] = None


class EventReport(Struct, frozen=True, kw_only=True):
    """The events of a machine, the oldest first."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("The machine.")]
    events: Annotated[tuple[Event, ...], doc("The events, the oldest first.")] = ()
    clocks: Annotated[tuple[ControllerClock, ...], doc("The clocks of the controllers.")] = ()
    left_out: Annotated[
        int, doc("Number of events that are not listed because they may, or may not, be about the requested object.")
    ] = 0
    unparsed: Annotated[tuple[str, ...], doc("Lines of the logs that were not understood.")] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read: events may be missing.")] = ()


class Filter(Struct, frozen=True, kw_only=True):
    """The requested events."""

    since: datetime | None = None
    level: Level | None = None
    ids: frozenset[str] | None = None
    """Objects, and controllers with their whole logs; None: all."""


def report(inventory: Inventory, logs: Sequence[EventLog], now: datetime | None, wanted: Filter) -> EventReport:
    """The report of the logs of a machine."""
    clocks = [log for log in logs if log.controller is not None]
    events = joined(logs, now)
    anywhere = replace(wanted, ids=None)
    listed = tuple(event for event in events if fits(event, wanted))
    unclear = [event for event in events if event.object_id is None and fits(event, anywhere)]
    return EventReport(
        host=inventory.host,
        events=listed,
        left_out=sum(not fits(event, wanted) for event in unclear),
        clocks=tuple(_clock(log, now) for log in clocks),
        unparsed=tuple(line for log in logs for line in log.unparsed),
        problems=(
            *unread_problems(inventory.problems),
            *(problem for log in logs for problem in log.problems),
            *(problem for log in logs for problem in _older(log, now, wanted)),
        ),
    )


def _clock(log: EventLog, now: datetime | None) -> ControllerClock:
    by = difference(log.clock, now)
    seconds = None if by is None else round(by.total_seconds())
    return ControllerClock(controller=log.controller or "", clock=log.clock, behind_seconds=seconds)


def joined(logs: Sequence[EventLog], now: datetime | None) -> list[Event]:
    """All events in the order of the machine's clock. Entries of one log stay in their order."""
    found: list[tuple[datetime, int, int, Event]] = []
    for place, log in enumerate(logs):
        by = difference(log.clock, now)
        last = _EARLIEST
        for number, event in enumerate(_ordered(log.events)):
            known = event if event.host_at is not None else replace(event, host_at=shifted(event.at, by))
            # an entry without a time stays after the previous entry; a clock that was set back changes no order
            last = max(last, parse_iso(known.host_at or known.at) or last)
            found.append((last, place, number, known))
    return [event for *_, event in sorted(found, key=lambda one: one[:3])]


def _ordered(events: Sequence[Event]) -> list[Event]:
    """Sort a log, as some tools list the newest first.

    The order is by numbers, else by the times of the first and the last.
    """
    if events and all(event.number is not None for event in events):
        return sorted(events, key=lambda event: event.number or 0)
    times = [at for event in events if (at := parse_iso(event.at)) is not None]
    return list(reversed(events)) if times and times[0] > times[-1] else list(events)


def fits(event: Event, wanted: Filter) -> bool:
    """Whether an event is requested; an unknown time or level excludes none."""
    if wanted.level is not None and event.level is not None and LEVELS.index(event.level) < LEVELS.index(wanted.level):
        return False
    objects = {event.object_id, event.possible_object_id, event.controller}
    if wanted.ids is not None and not objects & wanted.ids:
        return False
    if wanted.since is None:
        return True
    at = parse_iso(event.host_at)
    if at is not None:
        return at >= wanted.since
    at = parse_iso(event.at)
    return at is None or at >= wanted.since - MARGIN


def _older(log: EventLog, now: datetime | None, wanted: Filter) -> list[Problem]:
    """A note if older entries were not read, but may be requested."""
    if not log.limited:
        return []
    at = parse_iso(shifted(log.begins, difference(log.clock, now)) or log.begins)
    if wanted.since is not None and at is not None and at < wanted.since - (MARGIN if log.controller else timedelta()):
        return []
    start = f" from {log.begins} on" if log.begins else ""
    message = f"Only the newest entries of this log were read{start}; there may be older ones."
    return [Problem(severity="info", kind="note", where=log.controller or "kernel log", message=message)]


def unseen(events: Sequence[Event], known: Collection[Event]) -> list[Event]:
    """The events that are new. Of events that are alike, as many are as were not known."""
    before = Counter(map(_identity, known))
    found = []
    for event in events:
        before[_identity(event)] -= 1
        if before[_identity(event)] < 0:
            found.append(event)
    return found


def _identity(event: Event) -> tuple[object, ...]:
    """What is the same whenever an event is read. The time of a line of dmesg is not: it depends on the reading."""
    return event.controller, event.number, event.uptime or event.at, event.text
