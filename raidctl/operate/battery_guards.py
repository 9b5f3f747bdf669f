"""Reasons to refuse a learn cycle: guards B1 to B3. Pure.

A learn cycle discharges the battery and charges it again. Until it is charged, unwritten data would be lost in a power
failure, so every volume must be in write-through by then, or fall back to it. B4 (modes that switch a battery off, or
seal it) has no guard: no family has a command for it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from datetime import datetime, timedelta

from raidctl.change.lookup import owner
from raidctl.health.phrases import has_state
from raidctl.model import Controller, Volume, unread_problems
from raidctl.operate.deed_subjects import whole
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.text import listing, regex
from raidctl.units import format_duration, parse_moment
from raidctl.vendor.events import EventLog
from raidctl.vendor.plan import Deed, Denial
from raidctl.vendor.unreported import Fact

PAUSE = timedelta(hours=24)
"""Least time between two learn cycles."""
HOURS = (
    "Volumes in protected write-back may be in write-through until the cycle has ended and the battery is charged: "
    "hours, and up to a day. It cannot be ended."
)
"""B3: the warning of the plan."""


def denials(
    deed: Deed, seen: Survey, last: str | None, now: datetime, *, reported: bool = False,
    unreported: Container[tuple[str, Fact]] = (),
) -> list[Denial]:  # fmt: skip
    """Why a learn cycle must not be started now.

    Args:
        deed: On a controller.
        seen: The machine.
        last: When the last one ended or was started, RFC 3339; None: none is known.
        now: The present time, with its time zone.
        reported: Whether a log that would contain an earlier one could be read.
        unreported: The facts that no tool of a family can report.
    """
    controller = owner(seen.inventory.controllers, deed.object_id)
    if controller is None:
        return []  # printed with the plan
    if not controller.batteries:
        return [Denial(deed=deed, reason=f"No battery of {controller.id} is listed.")]
    found = [*_pack(deed, controller), *_volumes(deed, controller)]
    found += _preserved(deed, controller, reported=(family_of(controller), "preserved_data") not in unreported)
    found += _recent(deed, last, now, reported=reported)
    return [*whole(deed, seen.inventory, controller), *found]


def _pack(deed: Deed, controller: Controller) -> Iterator[Denial]:
    """B1: the battery is good and charged. B2: it is not learning already."""
    for battery in controller.batteries:
        if battery.status == "learning":
            yield Denial(deed=deed, guard="B2", reason=f"{battery.id} is learning.", alternative="raidctl tasks")
        elif battery.status in ("failed", "missing", "degraded"):
            reason = f"{battery.id} {has_state(battery.status)}: a learn cycle does not repair it."
            yield Denial(deed=deed, guard="B1", reason=reason)
        elif battery.status == "charging":
            yield Denial(deed=deed, guard="B1", reason=f"{battery.id} is charging: wait until it is charged.")
        elif battery.status == "unknown":
            yield Denial(deed=deed, guard="B1", reason=f"The state of {battery.id} is unknown.", unknown=True)


def _volumes(deed: Deed, controller: Controller) -> Iterator[Denial]:
    """B1: every volume is complete, and in write-through or able to fall back to it."""
    for volume in controller.volumes:
        yield from _volume(deed, volume)
    cache = controller.cache
    if cache is not None and cache.no_battery_write_cache:
        reason = f"{controller.id} keeps write-back on without a battery: a power failure would lose data."
        yield Denial(deed=deed, guard="B1", reason=reason)


def _preserved(deed: Deed, controller: Controller, *, reported: bool) -> Iterator[Denial]:
    """B1: the cache holds no data of lost volumes. ``reported``: whether the family's tools can report such data."""
    cache, way = controller.cache, f"raidctl preserved show {controller.id}"
    if controller.preserved or (cache is not None and cache.preserved_data):
        reason = f"The cache of {controller.id} holds preserved data that only the battery keeps."
        yield Denial(deed=deed, guard="B1", reason=reason, alternative=way)
    elif reported and (cache is None or cache.preserved_data is None):
        reason = f"Whether the cache of {controller.id} holds preserved data, which only the battery keeps, is unknown."
        yield Denial(deed=deed, guard="B1", reason=reason, alternative=way, overridable=True, unknown=True)


def _volume(deed: Deed, volume: Volume) -> Iterator[Denial]:
    if volume.status == "unknown":
        yield Denial(deed=deed, guard="B1", reason=f"The state of {volume.id} is unknown.", unknown=True)
    elif volume.status != "ok":
        yield Denial(
            deed=deed, guard="B1", reason=f"{volume.id} is {volume.status}: wait until it is complete and idle."
        )
    cache = volume.cache
    policy = cache.write_policy if cache is not None else None
    if policy in ("protected_write_back", "write_through", "off"):
        return
    if policy == "unprotected_write_back":
        reason = f"{volume.id} stays in write-back while the battery learns: a power failure would lose data."
        way = f"raidctl cache set {volume.id} --write protected-write-back"
        yield Denial(deed=deed, guard="B1", reason=reason, alternative=way)
    elif cache is None or cache.write_active not in ("write_through", "off"):
        reason = f"Whether {volume.id} falls back to write-through is not reported."
        yield Denial(deed=deed, guard="B1", reason=reason, unknown=True)


def _recent(deed: Deed, last: str | None, now: datetime, *, reported: bool) -> Iterator[Denial]:
    """B2: not within a day of the last one."""
    moment = parse_moment(last)
    if moment is None and not (last is None and reported):
        reason = "The time of the last learn cycle is not reported."
        way = "If it was more than a day ago, override with --unsafe REASON."
        yield Denial(deed=deed, guard="B2", reason=reason, alternative=way, overridable=True, unknown=True)
    elif moment is not None and now - moment < PAUSE:
        ago = format_duration(max(0, int((now - moment).total_seconds())))
        yield Denial(deed=deed, guard="B2", reason=f"The last learn cycle was {ago} ago; the minimum is a day.")


def affected(controller: Controller) -> str:
    """The volumes that B3 is about, as a sentence."""
    falling = [volume.id for volume in controller.volumes if volume.cache is not None
               and volume.cache.write_policy == "protected_write_back"]  # fmt: skip
    return f"In write-through meanwhile: {listing(falling)}." if falling else "No volume is in write-back."


def last_learn(logs: Sequence[EventLog], controller: str, now: datetime) -> tuple[str | None, bool]:
    """The time of the last learn cycle in a controller's log. The second value is whether the log covers a day.

    Logs have ``Battery relearn started``, ``Battery relearn completed``; those of 3ware controllers ``Battery capacity
    test started`` and ``completed`` (``overdue`` is not a cycle).
    """
    mine = [log for log in logs if log.controller == controller]
    moments = [event.host_at for log in mine for event in log.events if event.host_at and _LEARN.search(event.text)]
    undated = any(event.host_at is None and _LEARN.search(event.text) for log in mine for event in log.events)
    clear = bool(mine) and not undated and not any(unread_problems(log.problems) for log in mine)
    oldest = [moment for log in mine for event in log.events[:1] if (moment := parse_moment(event.host_at))]
    whole_day = any(not log.limited for log in mine) or any(now - moment > PAUSE for moment in oldest)
    return max(moments, default=None), clear and whole_day


_LEARN = regex(r"\b(?:re)?learn|\bcapacity test (?!is overdue)", re.IGNORECASE)
