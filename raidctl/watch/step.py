"""Compute the next memory and the events from memory, findings and clock. Pure.

A finding is reported after enough runs with it, its end after enough runs in which the rule passed. An unknown result
is neither: it changes nothing, and is reported if it stays unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timezone

from msgspec.structs import replace

from raidctl.audit.diagnosis import LACKING
from raidctl.audit.finding import Finding, topic
from raidctl.audit.policy.document import UNREAD
from raidctl.health.severity import WEIGHT
from raidctl.model import Problem, unread_problems
from raidctl.units import format_duration, format_moment
from raidctl.watch.memory import DAY, UNUSED, Config, Event, Key, Kind, Look, Memory, Queued, Sighting, Tracked
from raidctl.watch.objects import RULE, Absence, Missed, after_look, problem_key

ENDS: frozenset[Kind] = frozenset({"good", "over", "gone", "known"})
_OF_READING = frozenset({"not_read", UNREAD, *LACKING})
"""Rules about what could not be read."""
_MAX_DOUBLINGS = 6
_STATES = ("good", "aside", "unknown", "bad")
"""Of two sightings of one rule on one object, the worse counts."""
_TIMES = ("since", "reported", "reminded", "milder_since", "good_since", "unknown_since", "normal_since", "ended")


def step(memory: Memory, look: Look, now: float, config: Config) -> tuple[Memory, tuple[Event, ...]]:
    """The memory after a run, and its events, the worst first."""
    if now < memory.at:
        memory = _shifted(memory, now - memory.at)
    known = {_key(one.finding, one.serial): one for one in memory.tracked}
    seen = _sightings(look.sightings, known)
    unread = memory.unread
    if look.read is not None:
        unread = {key: unread.get(key, now) for key in map(problem_key, unread_problems(look.read.problems))}
    absence = Absence(memory.known, look, unread, now)
    kept: list[Tracked] = []
    found: list[tuple[Kind, Tracked]] = []
    for key in [*known, *(key for key in seen if key not in known)]:
        sighting = seen.get(key) or seen.get((*key[:3], None))  # a pass has no topic: it is the end of all of them
        before = known.get(key) or _fresh(seen[key])
        after, kind = _next(before, sighting, absence, config)
        if kind is not None:
            found.append((kind, after if kind not in ENDS else before))
        if _is_needed(after, now):
            kept.append(after)
    found.sort(key=lambda one: (one[1].finding.rank, one[1].finding.where))
    events = [_event(0, _end(kind, one, kept), one, now) for kind, one in found]
    objects, missed = after_look(memory.known, config, absence)
    events = _with_missed(events, missed, now)
    alive = memory.alive
    if config.alive is not None and (alive is None or now - alive >= config.alive):
        alive = now
        events.append(_alive(0, kept, look, now))
    events = [replace(event, id=memory.number + n) for n, event in enumerate(sorted(events, key=_order), 1)]
    following = replace(
        memory, at=now, number=memory.number + len(events), alive=alive, tracked=tuple(kept), known=objects,
        unread=unread,
    )  # fmt: skip
    return following, tuple(events)


def _with_missed(events: Sequence[Event], missed: Sequence[Missed], now: float) -> list[Event]:
    """The events with those of missing objects. The end of a finding gets the severity of its missing object."""
    severities = {(one.known.where, one.known.serial): one.severity for one in missed if one.kind == "gone"}
    found = []
    for event in events:
        lost = severities.get((event.where, event.serial)) if event.kind == "gone" else None
        found.append(replace(event, severity=min(event.severity, lost, key=WEIGHT.__getitem__)) if lost else event)
    reported = {(event.where, event.serial) for event in events if event.kind == "gone"}
    return found + [_missed(0, one, now) for one in missed if (one.known.where, one.known.serial) not in reported]


def _order(event: Event) -> tuple[bool, bool, int]:
    """Sort key, the worst first. What is good follows what is wrong or lost; heartbeats are last."""
    return event.kind == "alive", event.kind in ENDS and event.kind != "gone", WEIGHT[event.severity]


def _end(kind: Kind, one: Tracked, kept: Iterable[Tracked]) -> Kind:
    """The kind of an end. An object with another finding is not good again, such as a volume that is being rebuilt."""
    others = any(other.seen and other.finding.where == one.finding.where for other in kept)
    return "over" if kind == "good" and others else kind


def enqueue(memory: Memory, events: Sequence[Event], channels: Sequence[str], now: float) -> Memory:
    """The memory with events queued for channels. A new channel gets everything that is present.

    A run by hand without the timer's addresses takes nothing from them: events also wait for a channel that this run
    does not use, for a month. A newer heartbeat or reminder replaces an older one in the queue.
    """
    number = memory.number
    used = {name: memory.used.get(name, now) for name in memory.channels} | dict.fromkeys(channels, now)
    used = {name: at for name, at in used.items() if now - at < UNUSED}
    present: list[Queued] = []
    fresh = tuple(name for name in channels if name not in memory.channels)
    reported_now = {_subject(one) for one in events}
    for one in memory.tracked if fresh else ():
        if one.reported is not None and _key(one.finding, one.serial) not in reported_now:
            number += 1
            present.append(Queued(event=_event(number, "still", one, now), channels=fresh))
    queue = [_for_channels(one, used) for one in memory.queue]
    for event in events:
        queue = [_superseded(one, event) for one in queue]
    queue += present
    queue += [Queued(event=event, channels=tuple(used)) for event in events]
    left = tuple(one for one in queue if one.channels)
    return replace(memory, number=number, queue=left, channels=tuple(used), used=used)


def unreported(memory: Memory, look: Look) -> tuple[Problem, ...]:
    """The problems with the reading that no run has reported yet. Waived ones are accepted."""
    if look.read is None:
        return ()
    named = {
        one.finding.where for one in memory.tracked
        if one.finding.rule in _OF_READING and (one.reported is not None or one.unknown_reported)
    }  # fmt: skip
    still = {
        one.finding.where for one in look.sightings
        if one.finding.rule in _OF_READING and one.state in ("bad", "unknown")
    }  # fmt: skip
    return tuple(one for one in unread_problems(look.read.problems) if one.where in still - named)


def waiting(memory: Memory, channel: str) -> tuple[Event, ...]:
    """The events that a channel has not received, worst first. What is good and heartbeats come last."""
    mine = [one.event for one in memory.queue if channel in one.channels]
    return tuple(sorted(mine, key=lambda one: (*_order(one), one.id)))


def delivered(memory: Memory, channel: str, events: Iterable[Event]) -> Memory:
    """The memory after a channel has received events."""
    numbers = {one.id for one in events}
    queue = [
        replace(one, channels=tuple(name for name in one.channels if name != channel))
        if one.event.id in numbers else one
        for one in memory.queue
    ]  # fmt: skip
    return replace(memory, queue=tuple(one for one in queue if one.channels))


def _for_channels(one: Queued, channels: Collection[str]) -> Queued:
    return replace(one, channels=tuple(name for name in one.channels if name in channels))


def _superseded(one: Queued, event: Event) -> Queued:
    """The queue entry, without channels if it is superseded. A newer reminder or heartbeat replaces it."""
    old = one.event
    same = (old.kind, _subject(old)) == (event.kind, _subject(event))
    return replace(one, channels=()) if same and event.kind in ("reminder", "alive") else one


def _key(one: Finding, serial: str | None) -> Key:
    return one.rule, one.where, serial, None if one.outcome == "pass" else topic(one.rule, one.message)


def _subject(one: Event) -> tuple[str | None, ...]:
    """The key of an event's finding."""
    return one.rule, one.where, one.serial, one.rule and topic(one.rule, one.message)


def _sightings(sightings: Iterable[Sighting], known: dict[Key, Tracked]) -> dict[Key, Sighting]:
    """The worst sighting of each key. An unreported serial number is taken from the last run."""
    serials: dict[tuple[str, str, str | None], list[str | None]] = {}
    for rule, where, serial, about in known:
        serials.setdefault((rule, where, about), []).append(serial)
    found: dict[Key, Sighting] = {}
    for one in sightings:
        rule, where, _, about = _key(one.finding, None)
        place = (rule, where, about)
        before = serials.get(place, [])
        if one.serial is None and len(before) == 1:
            one = replace(one, serial=before[0])  # noqa: PLW2901 - the same sighting, with a serial number
        elif one.serial is not None and one.serial not in before and None in before:
            known[rule, where, one.serial, about] = replace(known.pop((rule, where, None, about)), serial=one.serial)
            before[before.index(None)] = one.serial
        key = (rule, where, one.serial, about)
        other = found.get(key)
        if other is None or _STATES.index(one.state) > _STATES.index(other.state):
            found[key] = one
    return found


def _fresh(sighting: Sighting) -> Tracked:
    return Tracked(finding=sighting.finding, serial=sighting.serial, is_object=sighting.is_object)


def _next(one: Tracked, sighting: Sighting | None, absence: Absence, config: Config) -> tuple[Tracked, Kind | None]:
    """One rule on one object after a run, and any event."""
    look, now = absence.look, absence.now
    if sighting is None:
        begun = [at for at in (one.good_since, one.unknown_since) if at is not None]
        shown = absence.hidden(one.finding.where, min(begun, default=None)) is None
        over = shown and not _may_be_there(one, look)
        return _ended(one, look, now, config) if over else _unknown(one, now, config)
    if sighting.state == "good":
        return _ended(one, look, now, config)
    one = replace(one, is_object=one.is_object or sighting.is_object)
    if sighting.normal is not None:
        return _perhaps_normal(one, sighting.finding, sighting.normal, now, config)
    if sighting.state == "aside":
        return replace(one, unknown_since=None), None
    if sighting.state == "unknown":
        fresh = one.reported is None and one.seen == 0
        return _unknown(replace(one, finding=sighting.finding) if fresh else one, now, config)
    return _found(replace(one, finding=sighting.finding, normal_since=None), now, config)


def _perhaps_normal(
    one: Tracked, finding: Finding, longest: float, now: float, config: Config
) -> tuple[Tracked, Kind | None]:
    """The state after a run that found what is normal for a while. After that it is a warning."""
    since = now if one.normal_since is None else one.normal_since
    one = replace(one, normal_since=since, unknown_since=None)
    if now - since < longest:
        return one, None
    message = f"{finding.message} This has lasted for more than {format_duration(int(longest))}."
    return _found(replace(one, finding=replace(finding, severity="warning", message=message)), now, config)


def _found(one: Tracked, now: float, config: Config) -> tuple[Tracked, Kind | None]:
    """The state after a run that found it."""
    since = now if one.since is None else one.since
    one = replace(
        one, seen=one.seen + 1, since=since, good=0, good_since=None, unknown_since=None, unknown_reported=False
    )
    severity = one.finding.severity
    if one.reported is None:
        lasted = now - since if config.by_time else one.seen
        if severity != "critical" and lasted < config.after:
            return one, None
        relapses = one.relapses + 1 if _recent(one, now) else 0
        return replace(one, reported=now, reminded=now, severity=severity, relapses=relapses), "new"
    one = _graded(one, now, config)
    if one.severity is not None and WEIGHT[severity] < WEIGHT[one.severity]:
        relapses = one.relapses + _recent(one, now)
        return replace(one, severity=severity, reminded=now, relapses=relapses), "worse"
    if config.remind is not None and now - (one.reminded or one.reported or now) >= config.remind:
        return replace(one, reminded=now), "reminder"
    return one, None


def _graded(one: Tracked, now: float, config: Config) -> Tracked:
    """The state, with a milder severity that has lasted as long as an end. It can then get worse again."""
    if one.severity is None or WEIGHT[one.finding.severity] <= WEIGHT[one.severity]:
        return replace(one, milder=0, milder_since=None)
    begun = now if one.milder_since is None else one.milder_since
    one = replace(one, milder=one.milder + 1, milder_since=begun)
    if not _lasted(one, one.milder, begun, now, config):
        return one
    return replace(one, severity=one.finding.severity, milder=0, milder_since=None, ended=now)


def _lasted(one: Tracked, looks: int, begun: float, now: float, config: Config) -> bool:
    """Whether an end lasted long enough. Each return within a day doubles the time."""
    needed: float = config.after * 2 ** min(one.relapses, _MAX_DOUBLINGS)
    return (now - begun if config.by_time else looks) >= needed


def _recent(one: Tracked, now: float) -> bool:
    return one.ended is not None and now - one.ended < DAY


def _ended(one: Tracked, look: Look, now: float, config: Config) -> tuple[Tracked, Kind | None]:
    """The state after a run in which it passed. A complete run without it counts, too."""
    known = one.unknown_reported
    one = replace(one, seen=0, unknown_since=None, unknown_reported=False, normal_since=None)
    if one.reported is None:
        return replace(one, since=None), "known" if known else None
    good, begun = one.good + 1, now if one.good_since is None else one.good_since
    one = replace(one, good=good, good_since=begun)
    if not _lasted(one, good, begun, now, config):
        return one, None
    gone = one.is_object and (one.finding.where, one.serial) not in look.objects
    ended = replace(
        one, since=None, reported=None, reminded=None, severity=None, milder=0, milder_since=None, good=0,
        good_since=None, ended=now,
    )  # fmt: skip
    return ended, "gone" if gone else "good"


def _may_be_there(one: Tracked, look: Look) -> bool:
    """Whether its object is there and was read in part, perhaps without its serial number."""
    names = {(one.finding.where, one.serial), (one.finding.where, None)}
    return one.finding.where in look.in_part and not look.objects.isdisjoint(names)


def _unknown(one: Tracked, now: float, config: Config) -> tuple[Tracked, Kind | None]:
    """The state after a run without a result."""
    since = now if one.unknown_since is None else one.unknown_since
    one = replace(one, unknown_since=since)
    if one.unknown_reported or now - since < config.unknown_after:
        return one, None
    return replace(one, unknown_reported=True), "unknown"


def _is_needed(one: Tracked, now: float) -> bool:
    """Whether there is anything to remember about it."""
    since = (one.reported, one.unknown_since, one.normal_since)
    return one.seen > 0 or any(at is not None for at in since) or _recent(one, now)


def _shifted(memory: Memory, by: float) -> Memory:
    """The memory with all times shifted, after the clock was set back."""

    def moved(value: float | None) -> float | None:
        return None if value is None else value + by

    tracked = tuple(replace(one, **{name: moved(getattr(one, name)) for name in _TIMES}) for one in memory.tracked)
    known = tuple(
        replace(one, missing_since=moved(one.missing_since), unknown_since=moved(one.unknown_since))
        for one in memory.known
    )
    unread = {key: at + by for key, at in memory.unread.items()}
    used = {name: at + by for name, at in memory.used.items()}
    moved_at = memory.at + by
    return replace(
        memory, at=moved_at, alive=moved(memory.alive), tracked=tracked, known=known, unread=unread, used=used
    )


def moment(seconds: float) -> str:
    """RFC 3339 in UTC, without fractions."""
    return format_moment(datetime.fromtimestamp(seconds, timezone.utc))


def _event(number: int, kind: Kind, one: Tracked, now: float) -> Event:
    found = one.finding
    since = one.unknown_since if kind == "unknown" else one.since or one.reported
    return Event(
        id=number, at=moment(now), kind=kind, rule=found.rule, severity=one.severity or found.severity,
        where=found.where, serial=one.serial, device=found.device, bay=found.bay, message=found.message,
        remedy=None if kind in ENDS else found.remedy,
        since=None if since is None else moment(since),
    )  # fmt: skip


def _missed(number: int, one: Missed, now: float) -> Event:
    known = one.known
    since = known.missing_since if one.kind == "gone" else known.unknown_since
    return Event(
        id=number, at=moment(now), kind=one.kind, rule=RULE, severity=one.severity, where=known.where,
        serial=known.serial, device=known.device, bay=known.bay, message=one.message,
        since=None if since is None else moment(since),
    )  # fmt: skip


def _alive(number: int, kept: Iterable[Tracked], look: Look, now: float) -> Event:
    """A heartbeat, with the present problems."""
    present = sum(one.reported is not None for one in kept)
    unknown = sum(one.unknown_since is not None for one in kept)
    read = "everything could be read" if look.complete else "not everything could be read"
    message = f"raidctl watches this machine; {read}. Findings reported and present: {present}; unknown: {unknown}; "
    return Event(id=number, at=moment(now), kind="alive", message=f"{message}waived: {look.waived}.")
