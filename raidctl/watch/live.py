"""Compare successive readings: changed values, and events since the start. Pure.

A value that is missing in an incomplete reading is unknown: nothing has ended or recovered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.health.severity import Severity
from raidctl.layers.model import Layer
from raidctl.model import Inventory, Task, is_complete
from raidctl.select import items
from raidctl.tasks.outcome import ended, word
from raidctl.tasks.watch import Frame, same_work
from raidctl.vendor.events import Event as Entry
from raidctl.watch.live_facts import HOST, Fact, facts_of
from raidctl.watch.live_report import Kind, LiveChange, Value
from raidctl.watch.objects import read_in_part

MARKED_SECONDS = 60.0
"""Seconds for which a changed value is marked."""
KEPT = 200
"""The most events kept for the screen."""
_LEVELS: dict[str | None, Severity] = {"warning": "warning", "critical": "critical", "fatal": "critical"}
_RESULTS: dict[str, Severity] = {"reached": "info", "worse": "critical", "unknown": "warning"}

Key = tuple[str, str, str]


class Reading(Struct, frozen=True, kw_only=True):
    """The result of one reading."""

    at: str
    """RFC 3339 in UTC."""
    frame: Frame
    layers: tuple[Layer, ...] = ()
    entries: tuple[Entry, ...] = ()
    """New entries of the logs."""
    caches_read: bool = True
    unread: tuple[str, ...] = ()
    """What could not be read, with the reason if known."""


class Happened(Struct, frozen=True):
    """An event since the start."""

    at: str
    severity: Severity
    text: str


class Mark(Struct, frozen=True):
    """The time of a value's change, and its direction: ``up``, ``down``, ``other``."""

    seconds: float
    way: str


class Board(Struct, frozen=True, kw_only=True):
    """The content of the screen after a reading."""

    reading: Reading
    facts: tuple[Fact, ...]
    marks: dict[Key, Mark] = {}
    events: tuple[Happened, ...] = ()
    """Events since the start, the oldest first."""
    begun: str
    read_at: str
    """Time of the last complete reading."""
    changes: tuple[LiveChange, ...] = ()
    """Changes since the previous reading. Small ones are left out until they add up."""

    @property
    def whole(self) -> bool:
        """Whether the last complete reading could read everything."""
        return is_complete(self.reading.frame.inventory)

    def mark(self, fact: Fact) -> str | None:
        """The direction of a value's change in the last minute; None: unchanged."""
        mark = self.marks.get(fact.key)
        return mark.way if mark and self.reading.frame.seconds - mark.seconds < MARKED_SECONDS else None


class _Seen(Struct):
    """A task as seen first and last."""

    task: Task
    before: Inventory
    seconds: float


class Live(Struct):
    """The state kept between readings."""

    board: Board | None = None
    reported: dict[Key, Value] = field(default_factory=dict)
    """The values that were logged last."""
    tasks: list[_Seen] = field(default_factory=list)

    def step(self, reading: Reading) -> Board:
        """Process one reading; return the board after it."""
        last, frame = self.board, reading.frame
        fresh = facts_of(frame.inventory, frame.tasks, reading.layers)
        facts = fresh if last is None else _with_lost(fresh, last.facts, reading)
        changes = [*self._changes(facts, reading), *self._ends(reading), *_entries(reading)]
        happened = [] if last is None else [one for one in map(_event_of, changes) if one]
        self.board = Board(
            reading=reading,
            facts=tuple(facts),
            marks=_marks(facts, last, frame.seconds),
            events=(*(last.events if last else ()), *happened)[-KEPT:],
            begun=last.begun if last else reading.at,
            read_at=reading.at if frame.whole or last is None else last.read_at,
            changes=tuple(changes),
        )
        return self.board

    def _changes(self, facts: Sequence[Fact], reading: Reading) -> Iterator[LiveChange]:
        first = self.board is None
        before = {fact.key: fact for fact in self.board.facts} if self.board else {}
        for fact in facts:
            old = self.reported.get(fact.key)
            known = fact.key in self.reported
            if known and not _differs(old, fact):
                continue
            self.reported[fact.key] = fact.value
            kind: Kind = "first" if first else "new" if not known else "unknown" if fact.value is None else "changed"
            yield _change(reading, kind, fact, old)
        present = {fact.key for fact in facts}
        for key in [key for key in self.reported if key not in present]:
            old = self.reported.pop(key)
            gone = before[key]
            if gone.section != "task":  # its end is an event
                yield _change(reading, "gone", replace(gone, value=None, severity=None), old)

    def _ends(self, reading: Reading) -> Iterator[LiveChange]:
        """Tasks missing in a complete reading, with their results."""
        frame, left = reading.frame, list(reading.frame.tasks)
        for one in list(self.tasks):
            now = next((task for task in left if same_work(one.task, task)), None)
            if now is not None:
                one.task, one.seconds = now, frame.seconds
                left.remove(now)
            elif frame.whole and is_complete(frame.inventory):
                self.tasks.remove(one)
                over = ended(one.task, one.before, frame.inventory, frame.seconds - one.seconds)
                yield _live_change(
                    reading, kind="event", section="task", object_id=over.object_id, name=word(over.operation),
                    value=over.result, severity=_RESULTS[over.result], message=over.message,
                )  # fmt: skip
        self.tasks += [_Seen(task, frame.inventory, frame.seconds) for task in left]


def _with_lost(fresh: Sequence[Fact], before: Sequence[Fact], reading: Reading) -> list[Fact]:
    """The facts, including those that could not be read this time.

    Unread facts keep their places, with unknown values.
    """
    inventory = reading.frame.inventory
    present = {fact.key for fact in fresh}
    silent = read_in_part(inventory) | {
        item.id for one in inventory.controllers for item in items(one) if getattr(item, "status", None) == "unknown"
    }
    whole = is_complete(inventory)
    running = {task.object_id for task in reading.frame.tasks}
    lost = [
        replace(fact, value=None, lost=True)
        for fact in before
        if fact.key not in present and fact.object_id != HOST and not (fact.section == "task" and
                                                                      fact.object_id in running)
        and (not whole or (fact.section == "health" and fact.object_id in silent) or
             (fact.section == "cache" and not reading.caches_read))
    ]  # fmt: skip
    found = [*fresh, *lost]
    places = {fact.key: number for number, fact in enumerate(before)}
    if not lost:
        return found
    order = ("health", "task", "temperature", "cache")
    return sorted(found, key=lambda fact: (order.index(fact.section), places.get(fact.key, len(places))))


def _differs(old: Value, fact: Fact) -> bool:
    if isinstance(old, float) and isinstance(fact.value, float) and fact.value != old:
        done = fact.unit == "percent" and fact.value >= 100
        return done or abs(fact.value - old) >= fact.step
    return old != fact.value


def _marks(facts: Sequence[Fact], last: Board | None, seconds: float) -> dict[Key, Mark]:
    if last is None:
        return {}
    before = {fact.key: fact for fact in last.facts}
    marks = {fact.key: last.marks[fact.key] for fact in facts if fact.key in last.marks}
    for fact in facts:
        old = before.get(fact.key)
        if old is None or old.words != fact.words:
            marks[fact.key] = Mark(seconds, _way(old.value if old else None, fact.value))
    return marks


def _way(old: Value, new: Value) -> str:
    if isinstance(old, float) and isinstance(new, float) and old != new:
        return "up" if new > old else "down"
    return "other"


def _change(reading: Reading, kind: Kind, fact: Fact, old: Value) -> LiveChange:
    text = "no longer reported" if kind == "gone" else fact.words
    if fact.section == "health":
        word = f"{str(fact.value).upper()}: " if fact.value in ("critical", "warning") else ""
        text = f"{fact.text}: no longer reported" if kind == "gone" else f"{word}{fact.words}"
        message = f"{fact.named or 'health'}: {text}"
    else:
        message = f"{fact.named}: {fact.name}: {text}"
    return _live_change(
        reading, kind=kind, section=fact.section, object_id=fact.object_id or None, name=fact.name,
        value=fact.value, previous=old, unit=fact.unit, severity=fact.severity, message=message,
    )  # fmt: skip


def _live_change(reading: Reading, **values: Any) -> LiveChange:
    host = reading.frame.inventory.host
    return LiveChange(host=host.hostname or host.source, source=host.source, at=reading.at, **values)


def _entries(reading: Reading) -> Iterator[LiveChange]:
    for entry in reading.entries:
        log = entry.controller or "kernel"
        yield _live_change(
            reading, kind="event", section="event", object_id=entry.object_id or entry.controller, name=log,
            value=entry.host_at or entry.at, severity=_LEVELS.get(entry.level, "info"), message=f"{log}: {entry.text}",
        )  # fmt: skip


def _event_of(change: LiveChange) -> Happened | None:
    """The event of a change; None for changed figures."""
    if change.unit is not None and change.kind not in ("new", "event", "unknown"):
        return None
    if change.section == "temperature" or (change.section == "health" and change.object_id is None):
        return None
    if change.section == "task" and change.kind == "new" and change.unit is None:
        return None
    return Happened(change.at, change.severity or "info", change.message)
