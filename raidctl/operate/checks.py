"""The consistency checks of each volume, from every source. Pure.

A stopped check has not passed: a check is "complete" only if its end was seen, in the kernel log or by the program that
watched it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from raidctl.described import doc
from raidctl.model import Controller, Inventory, Problem, RaidLevel, Scrub, Volume
from raidctl.model.raid_levels import WITHOUT_REDUNDANCY
from raidctl.operate.check_history import CheckRecord, History, newest
from raidctl.units import format_moment, parse_moment
from raidctl.vendor.checks import CheckEvent, CheckKind, CheckReading, busy_with

State = Literal[
    "running",
    "waiting",
    "paused",
    "complete",
    "interrupted",
    "ended",
    "none",
    "unknown",
    "not_reported",
    "not_redundant",
]
_SLACK = 2.0
"""Seconds by which a log entry may precede the start in a record without ``log_seconds``."""


class VolumeCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The running check of a volume, or the last known one."""

    volume: Annotated[str, doc("Id of the volume.")]
    device: Annotated[str | None, doc("Its device.")] = None
    raid_level: Annotated[RaidLevel | None, doc("Its level.")] = None
    state: Annotated[
        State,
        doc(
            "`running`; `waiting` for another operation; `paused`; `complete`: all of it was checked; `interrupted`: "
            "it was stopped before its end; `ended`: it ended, whether all was checked is unknown; `none`: none is "
            "known; `unknown`; `not_reported` by the tool; `not_redundant`: nothing to compare."
        ),
    ]
    kind: Annotated[CheckKind | None, doc("`repair` also corrects; null: unknown, or none.")] = None
    percent: Annotated[float | None, doc("Progress of a running one, percent.")] = None
    remaining_seconds: Annotated[int | None, doc("Remaining time estimated by the tool, seconds.")] = None
    began: Annotated[str | None, doc("Start, RFC 3339 in UTC; null: unknown.")] = None
    ended: Annotated[str | None, doc("End, RFC 3339; null: unknown, or still running.")] = None
    complete: Annotated[bool | None, doc("Whether all of it was checked; null: unknown, or still running.")] = None
    differ: Annotated[int | None, doc("Sectors that differed in what was checked; null: unknown.")] = None
    errors: Annotated[int | None, doc("Read errors of the members meanwhile; null: unknown.")] = None
    faults: Annotated[
        bool | None, doc("Whether it found differences or errors, by the tool's result; null: the tool gives none.")
    ] = None
    by: Annotated[str | None, doc("Who started it: `raidctl`, `mdcheck`; null: unknown.")] = None
    why: Annotated[str | None, doc("More about it, one sentence.")] = None


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence of how checks ended, besides the inventory."""

    readings: Mapping[str, CheckReading] = {}
    """Readings by the volume's id, of families that read checks."""
    events: Sequence[CheckEvent] | None = None
    """The ends of checks in the log of this boot. None: not read."""
    history: History = History()
    boot: str = ""
    """The kernel's id of the boot; empty: unknown."""
    uptime: float | None = None
    now: datetime | None = None


def checks(inventory: Inventory, evidence: Evidence, ids: Collection[str] | None = None) -> list[VolumeCheck]:
    """The check of each volume, or of those with these ids."""
    return [
        _of(controller, volume, evidence)
        for controller in inventory.controllers
        for volume in controller.volumes
        if ids is None or volume.id in ids
    ]


def _of(controller: Controller, volume: Volume, evidence: Evidence) -> VolumeCheck:
    base = VolumeCheck(volume=volume.id, device=volume.device, raid_level=volume.raid_level, state="unknown")
    if volume.raid_level in WITHOUT_REDUNDANCY:
        return replace(base, state="not_redundant", why="It has no copies or parity that could be compared.")
    if volume.status == "inactive":
        return replace(base, why="The volume is not running.")
    reading = evidence.readings.get(volume.id)
    found = _of_hardware(base, controller, volume) if reading is None else _of_kernel(base, volume, reading, evidence)
    progress = volume.progress
    if found.state in ("running", "paused") and progress is not None:
        found = replace(found, percent=progress.percent, remaining_seconds=progress.remaining_seconds)
    return found


def _of_hardware(base: VolumeCheck, controller: Controller, volume: Volume) -> VolumeCheck:
    """A hardware controller's checks, from the model."""
    work = volume.progress
    kind = busy_with(work.operation) if work else "check" if volume.status == "checking" else None
    if kind:
        state = _STATES.get(work.state if work else None, "running")
        return replace(base, state=state, kind=kind)
    known = _of_scrub(base, volume.consistency_check or controller.consistency_check, None)
    if known is not None:
        return known
    words = next((f"{label}: {text}" for label, text in volume.details.items() if label.lower() in _LABELS), None)
    why = f'The tool reports "{words}", but not when the volume was last checked.' if words else _SILENT
    return replace(base, state="not_reported", why=why)


_STATES: Mapping[str | None, State] = {"paused": "paused", "queued": "waiting"}
_WAITS = "It begins when the operation on another array with the same drives has ended."
_LABELS = ("consist", "consistent")
_SILENT = "The controller's tool does not report when the volume was last checked."


def _of_scrub(base: VolumeCheck, scrub: Scrub | None, by: str | None) -> VolumeCheck | None:
    if scrub is None or not (scrub.last_at or scrub.last_result):
        return None
    base = replace(base, kind="check", ended=scrub.last_at, by=by)
    if scrub.last_result == "unfinished":
        last = f"; the last complete one ended at {scrub.last_at}" if scrub.last_at else ""
        why = f"When it was stopped is not reported{last}."
        return replace(base, state="interrupted", complete=False, ended=None, why=why)
    if scrub.last_result == "failed":
        return replace(base, state="complete", complete=True, faults=True, why="It found differences or errors.")
    if scrub.last_result == "ok":
        return replace(base, state="complete", complete=True, faults=False)
    return replace(base, state="ended")


def _of_kernel(base: VolumeCheck, volume: Volume, reading: CheckReading, evidence: Evidence) -> VolumeCheck:
    record = newest(evidence.history.of(volume.unique_id))
    if reading.running:
        mine = record if record is not None and record.end is None and record.boot == evidence.boot else None
        return replace(
            base,
            state="waiting" if reading.waiting else "running" if reading.paused_at is None else "paused",
            kind=reading.running,
            differ=reading.differ,
            began=mine.began if mine else None,
            by="raidctl" if mine else None,
            why=_WAITS if reading.waiting else f"Paused at sector {reading.paused_at}." if reading.paused_at else None,
        )
    found = [(at, one) for at, one in _candidates(base, volume, reading, evidence) if one is not None]
    if found:
        return max(found, key=itemgetter(0))[1]
    if not (reading.known and reading.last_known):
        return replace(base, why="The kernel does not show the last operation.")
    return replace(base, state="none", why="None since the volume was started, and none is recorded.")


def _candidates(
    base: VolumeCheck, volume: Volume, reading: CheckReading, evidence: Evidence
) -> Iterator[tuple[str, VolumeCheck | None]]:
    """The last check according to each source, with its latest known time, empty if none is known.

    One that the kernel shows is later than a record that it is not of.
    """
    record = newest(evidence.history.of(volume.unique_id))
    record = settled(record, volume, reading, evidence) if record is not None else None
    scrub = _of_scrub(base, volume.consistency_check, "mdcheck" if volume.consistency_check else None)
    shown = None
    if record is None or record.boot != evidence.boot or _another_since(record, reading):
        shown = _since_boot(base, volume, reading, evidence)
    yield (shown.ended if shown is not None else None) or "", shown
    if record is not None and shown is None:
        yield record.ended or record.began or "", _of_record(base, record)
    at = volume.consistency_check.last_at if volume.consistency_check is not None else None
    if shown is None or shown.ended is not None or not _before_boot(at, evidence):
        yield at or "", scrub


def _another_since(record: CheckRecord, reading: CheckReading) -> bool:
    """Whether somebody else has checked the volume after the end of a record of this boot."""
    if record.end not in ("complete", "interrupted") or reading.last is None:
        return False
    counted = record.differ is not None and reading.differ is not None
    return (
        reading.last != record.kind
        or (reading.stopped_at is not None and record.complete)
        or (counted and record.differ != _differ(record, reading))
    )


def _before_boot(at: str | None, evidence: Evidence) -> bool:
    """Whether the end of a check is known to be before the machine was started."""
    ended = parse_moment(at)
    if ended is None or evidence.now is None or evidence.uptime is None:
        return False
    return ended < evidence.now - timedelta(seconds=evidence.uptime)


def _of_record(base: VolumeCheck, record: CheckRecord) -> VolumeCheck:
    if record.end == "paused":
        why = f"It continues at sector {record.place or 0} with `raidctl check resume {base.volume}`."
        return replace(
            base, state="paused", kind=record.kind, began=record.began, by="raidctl", differ=record.differ, why=why
        )  # fmt: skip
    state: State = "unknown" if record.end in (None, "unknown") else "complete" if record.complete else "interrupted"
    return replace(
        base, state=state, kind=record.kind, began=record.began, ended=record.ended, by="raidctl",
        complete={"complete": True, "interrupted": False}.get(state), differ=record.differ, errors=record.errors,
        why="Its end was not seen: interrupted, or complete and not recorded." if state == "unknown" else None,
    )  # fmt: skip


def _since_boot(base: VolumeCheck, volume: Volume, reading: CheckReading, evidence: Evidence) -> VolumeCheck | None:
    """A check since the boot that raidctl did not start."""
    last = next(iter(reversed(_ends(volume, evidence))), None)
    if reading.last is None and last is None:
        return None
    base = replace(base, kind=reading.last or (last.kind if last else None), ended=_moment(last, evidence))
    differ = reading.differ if reading.last else None
    if reading.stopped_at is not None or (last is not None and not last.done):
        return replace(base, state="interrupted", complete=False, differ=differ)
    if last is not None:
        why = "It ran to the end of the volume; whether from its beginning is unknown."
        return replace(base, state="ended", differ=differ, why=why)
    return replace(base, state="ended", differ=differ, why="Its end was not seen: it may have been interrupted.")


def settled(record: CheckRecord, volume: Volume, reading: CheckReading, evidence: Evidence) -> CheckRecord:
    """A record with its end, if known by now. One that has an end, or whose check still runs, is unchanged.

    The first end in the log after its start belongs to it: raidctl starts each check at the beginning of the volume.
    """
    if record.end is not None or reading.running:
        return record
    if not evidence.boot or record.boot != evidence.boot:
        return replace(record, end="unknown") if evidence.boot else record
    ends = [event for event in _ends(volume, evidence) if _after(event, record)]
    own = ends[0] if ends else None
    alone = len(ends) <= 1 and reading.last == record.kind
    at = _moment(own, evidence) or (format_moment(evidence.now) if evidence.now else None)
    errors = _errors(record, reading.read_errors)
    if own is not None and own.done:
        differ = _differ(record, reading) if alone else None
        return replace(record, end="complete", complete=True, ended=at, differ=differ, errors=errors)
    if own is not None or (reading.stopped_at is not None and alone):
        return replace(
            record, end="interrupted", ended=at, differ=_differ(record, reading) if alone else None, errors=errors
        )
    return record if evidence.events is None else replace(record, end="unknown")


def _differ(record: CheckRecord, reading: CheckReading) -> int | None:
    """The sectors that differed in all parts of a check."""
    return None if reading.differ is None else record.differ_before + reading.differ


def _errors(record: CheckRecord, now: int | None) -> int | None:
    if now is None or record.read_errors is None or now < record.read_errors:
        return None
    return now - record.read_errors


def _ends(volume: Volume, evidence: Evidence) -> list[CheckEvent]:
    name = (volume.device or "").removeprefix("/dev/")
    return [event for event in evidence.events or () if event.device == name]


def last_end(volume: Volume, evidence: Evidence) -> float | None:
    """Return the time of the last end of a check in the log, by the log's clock. 0: none; None: not read."""
    if evidence.events is None:
        return None
    return max((event.seconds for event in _ends(volume, evidence)), default=0.0)


def _after(event: CheckEvent, record: CheckRecord) -> bool:
    """Whether an end in the log is after the start of a check.

    The log's clock and that of the uptime drift apart, by minutes in a year. So ends are compared with an older end.
    """
    if event.kind != record.kind:
        return False
    if record.log_seconds is not None:
        return event.seconds > record.log_seconds
    return record.seconds is not None and event.seconds >= record.seconds - _SLACK


def _moment(event: CheckEvent | None, evidence: Evidence) -> str | None:
    """The time of an event of the log."""
    if event is None or evidence.now is None or evidence.uptime is None:
        return None
    return format_moment(evidence.now - timedelta(seconds=evidence.uptime - event.seconds))


def with_history(inventory: Inventory, history: History) -> Inventory:
    """The inventory with the ends of checks that raidctl has recorded. The rules use it."""
    inventory = replace(inventory, problems=(*inventory.problems, *unread(history)))
    if not history.records:
        return inventory
    controllers = tuple(
        replace(controller, volumes=tuple(_with_records(volume, history) for volume in controller.volumes))
        for controller in inventory.controllers
    )
    return replace(inventory, controllers=controllers)


def unread(history: History) -> list[Problem]:
    """The problem that results could not be read. A failed check may be among them."""
    if history.unread is None:
        return []
    remedy = (
        "Results of checks are missing, perhaps of one that failed: repair the file or its permissions, or delete it, "
        "and check again."
    )
    return [Problem("warning", "check results", history.unread, remedy, "unread")]


def _with_records(volume: Volume, history: History) -> Volume:
    scrub = volume.consistency_check or Scrub()
    known = parse_moment(scrub.last_at)
    for record in history.of(volume.unique_id):
        at = parse_moment(record.ended)
        if at is None or (known is not None and known > at):
            continue
        if record.complete:
            scrub = replace(scrub, last_at=record.ended, last_result=_result(record))
        else:
            scrub = replace(scrub, last_result="unfinished")
    return volume if scrub == (volume.consistency_check or Scrub()) else replace(volume, consistency_check=scrub)


def _result(record: CheckRecord) -> Literal["ok", "failed"] | None:
    """The result of a complete check; None: unknown."""
    if record.differ or record.errors:
        return "failed"
    return None if record.differ is None else "ok"


def newly_settled(inventory: Inventory, evidence: Evidence) -> list[CheckRecord]:
    """The open records whose end is known now."""
    found = []
    for volume in (volume for controller in inventory.controllers for volume in controller.volumes):
        reading, record = evidence.readings.get(volume.id), newest(evidence.history.of(volume.unique_id))
        if reading is not None and record is not None and record.end is None:
            fresh = settled(record, volume, reading, evidence)
            found += [fresh] if fresh.end is not None else []
    return found
