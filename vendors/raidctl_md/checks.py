"""Consistency checks (scrubs) of md arrays, from sysfs and the kernel log. Pure.

Sysfs shows the same for a check that was stopped as for one that passed, except ``sync_min``: the place where it
stopped, and 0 as well if that was in the first sixteenth. The kernel log has "data-check done." and "data-check
interrupted.". Facts from the kernel's drivers/md/md.c and Documentation/admin-guide/md.rst.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from raidctl.model import Controller, Volume
from raidctl.request import Dialogue, Read, Run, ask, ask_all
from raidctl.text import regex
from raidctl.units import whole_number
from raidctl.vendor.checks import CheckEvent, CheckKind, CheckReading, Glance
from raidctl.vendor.protocol import Vendor
from raidctl_md.monitoring import stopped
from raidctl_md.schedule_family import ScheduleFamily
from raidctl_md.schedule_steps import cron_times
from raidctl_md.schedules import schedules

__all__ = ["LOG", "cron_times", "events", "glance", "readings", "schedule_family", "schedules"]

LOG = Run(("dmesg",))
_ACTIONS = frozenset({"idle", "check", "repair", "resync", "recover", "reshape", "frozen"})
_KINDS: Mapping[str, CheckKind] = {"check": "check", "repair": "repair"}
_LOGGED: Mapping[str, CheckKind] = {"data-check": "check", "requested-resync": "repair"}
# [  125.413370] md: md0: data-check interrupted.
_END = regex(r"\[ *(\d{1,12}\.\d{1,9})\] md: (md[\w.-]{1,60}): (data-check|requested-resync) (done|interrupted)\.")
_COMPLETED = regex(r"(\d{1,18}) / \d{1,18}", re.ASCII)


def readings(controller: Controller) -> Mapping[str, CheckReading]:
    """The running check of each array, and the last one's result."""
    return {volume.id: _reading(volume, _errors(controller, volume)) for volume in controller.volumes}


def _errors(controller: Controller, volume: Volume) -> int | None:
    """The read errors of all members, as counted by the kernel. None if one of the counts is unknown."""
    counts = [drive.errors.media for drive in controller.drives if drive.array == volume.array]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _reading(volume: Volume, errors: int | None) -> CheckReading:
    details = volume.details
    action = details.get("sync_action", "")
    progress = volume.progress.operation if volume.progress else None
    running = _KINDS.get(action) or (_KINDS.get(progress or "") if not action else None)
    last = _KINDS.get(details.get("last_sync_action", ""))
    return CheckReading(
        running=running,
        known=action in _ACTIONS or progress is not None,
        # "delayed": the arrays on the same drives are checked one after the other
        waiting=bool(running) and details.get("sync_completed") == "delayed",
        paused_at=_paused(details) if running else None,
        last=last,
        last_known="last_sync_action" in details,
        stopped_at=stopped(details),
        differ=volume.mismatch_count if running or last else None,
        read_errors=errors,
    )


def _paused(details: Mapping[str, str]) -> int | None:
    """The place at which a check waits. ``sync_max`` is then a number, and ``sync_completed`` has come so far."""
    limit = whole_number(details.get("sync_max", ""))
    completed = _COMPLETED.fullmatch(details.get("sync_completed", ""))
    return limit if limit is not None and completed and int(completed[1]) >= limit else None


def glance(volumes: Sequence[Volume]) -> Dialogue[Mapping[str, Glance]]:
    """The kernel's word for each array's action, and mdstat's percentage."""
    names = [(volume.device or "").removeprefix("/dev/") for volume in volumes]
    mdstat = yield from ask(Read("/proc/mdstat"))
    actions = yield from ask_all(Read(f"/sys/block/{name}/md/sync_action") for name in names)
    found: dict[str, Glance] = {}
    for volume, name, answer in zip(volumes, names, actions, strict=True):
        word = (answer.text or "").strip()
        found[volume.id] = Glance(
            running=word in _KINDS if word in _ACTIONS else None, percent=_percent(mdstat.text or "", name)
        )  # fmt: skip
    return found


def _percent(mdstat: str, name: str) -> float | None:
    """``[==>.....]  check = 18.9% (88587813/468718592)`` of an array."""
    match = re.search(rf"(?m)^{re.escape(name)} : .*(?:\n +.*)*?\n +.*= *(\d{{1,3}}\.\d)%", mdstat)
    return float(match[1]) if match else None


def schedule_family(calendars: Sequence[str]) -> Vendor:
    """The schedules as the change engine sees them."""
    return ScheduleFamily(calendars)


def events() -> Dialogue[Sequence[CheckEvent] | None]:
    """The ends of checks in the kernel log. None if it could not be read."""
    answer = yield from ask(LOG)
    if not answer.fine or answer.code != 0:
        return None
    return [
        CheckEvent(device=match[2], kind=_LOGGED[match[3]], done=match[4] == "done", seconds=float(match[1]))
        for match in map(_END.match, answer.text.splitlines())
        if match
    ]
