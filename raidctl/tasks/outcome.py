"""The result of a task, from its object before and after. Pure.

A task that is no longer reported has not necessarily succeeded: a rebuild also vanishes if the drive fails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from raidctl.health.redundancy import NOT_WHOLE, OUT_OF_REACH
from raidctl.model import Battery, Drive, Inventory, Operation, Task, Volume, has_failed, unread_problems
from raidctl.model.raid_levels import PARITY
from raidctl.select import Item, object_of
from raidctl.tasks.derive import REBUILDS
from raidctl.tasks.report import Ended, Result
from raidctl.text import counted, regex
from raidctl.units import format_percent

WORDS: Mapping[Operation, str] = {
    "parity": "parity initialisation", "initialize": "initialisation", "expand": "expansion", "migrate": "migration",
    "learn": "learn cycle", "self_test": "self-test", "patrol_read": "patrol read", "erase": "erasure",
    "unknown": "operation",
}  # fmt: skip
"""Names of operations for people, where they differ."""
_RESTORES: frozenset[Operation] = frozenset(("rebuild", "recovery", "copyback"))
_PROVEN: frozenset[Operation] = _RESTORES | {"resync", "learn"}
"""Operations whose end shows in the state of the object. Others may have been stopped."""
_STOPPED = regex(r"abort|interrupted", re.IGNORECASE)
"""Words of tools for a self-test that was stopped."""
_OUTSIDE = ("unassigned", "passthrough", "spare")
_EARLY_SECONDS = 60


def word(operation: Operation) -> str:
    """The name of an operation in messages."""
    return WORDS.get(operation, operation)


def ended(task: Task, before: Inventory, after: Inventory, since_seen: float) -> Ended:
    """The result of a task that is no longer reported.

    Args:
        task: The task in its last reading.
        before: The machine in its first reading.
        after: The machine now.
        since_seen: Seconds since its last reading.
    """
    item = _item(after, task.object_id)
    result, why = _result(task, _item(before, task.object_id), item, after)
    if task.operation == "self_test" and isinstance(item, Drive) and result == "reached":
        result, why = _self_test(item, before, after) or (result, why)
    if result == "reached" and _early(task, since_seen):
        far = f" at {format_percent(task.percent)}" if task.percent is not None else ""
        result, why = "unknown", f"it was seen last{far}, and may have been stopped"
    names = {"reached": "ended", "worse": "failed", "unknown": "ended, the result is unknown"}
    message = f"{word(task.operation).capitalize()} of {task.object_id} {names[result]}: {why}."
    return Ended(operation=task.operation, object_id=task.object_id, result=result, message=message)


def _item(inventory: Inventory, name: str) -> Item | None:
    return object_of(inventory, name)


def _result(task: Task, before: Item | None, after: Item | None, now: Inventory) -> tuple[Result, str]:
    if after is None:
        hidden = unread_problems(now.problems)
        if hidden:
            return "unknown", f"not everything could be read ({hidden[0].where})"
        return "worse", "the object is no longer there"
    # of a drive that is rebuilt, the state shows the end, even if another one has taken its bay meanwhile
    if not (isinstance(after, Drive) and task.operation in _RESTORES) and _exchanged(before, after):
        return "unknown", f"{task.object_id} is another {'drive' if isinstance(after, Drive) else 'volume'} now"
    if after.status == "unknown":
        return "unknown", "the state is not reported"
    state = f"it is {after.status}"
    if isinstance(after, Volume):
        result, differ = _volume(task, before if isinstance(before, Volume) else None, after), _differ(task, after)
        wrong = differ is not None and (after.raid_level in PARITY or not after.mismatch_count)
        return ("worse" if wrong else result), f"{state}, and {differ}" if differ is not None else state
    if isinstance(after, Drive):
        if task.operation in REBUILDS and after.role in _OUTSIDE and getattr(before, "role", None) != after.role:
            return "worse", f"it is {after.role} and not in the array"
        bad = has_failed(after)
        return ("worse" if bad or (task.operation in _RESTORES and after.status == "warning") else "reached"), state
    if isinstance(after, Battery):
        if after.replace:
            return "worse", f"{state}, and its controller reports that it must be replaced"
        return ("reached" if after.status in ("ok", "charging") else "worse"), state
    return "reached", state


def _exchanged(before: Item | None, after: Item) -> bool:
    """Whether an id belongs to another object than before: volumes were renumbered, or a drive was replaced."""
    pairs = [(getattr(before, name, None), getattr(after, name, None)) for name in ("unique_id", "serial")]
    return any(old and new and old != new for old, new in pairs)


def _self_test(drive: Drive, before: Inventory, after: Inventory) -> tuple[Result, str] | None:
    """Whether a self-test has failed, or was stopped. None: neither is reported."""
    old = {(one.where, one.message) for one in before.problems}
    for one in after.problems:
        if one.kind == "state" and one.where in (drive.id, drive.device) and (one.where, one.message) not in old:
            return "worse", one.message.rstrip(".")
    # Extended offline Aborted by host 90% 12345
    last = drive.details.get("Last self-test", "")
    return ("unknown", f"its last self-test is {last}") if _STOPPED.search(last) else None


def _volume(task: Task, before: Volume | None, after: Volume) -> Result:
    if after.status in OUT_OF_REACH:
        return "worse"
    if task.operation in _RESTORES and after.status in NOT_WHOLE:
        return "worse"
    whole = before is None or before.status not in NOT_WHOLE
    if whole and after.status in NOT_WHOLE:
        return "worse"
    left = before.failures_tolerated if before is not None else None
    if left is not None and after.failures_tolerated is not None and after.failures_tolerated < left:
        return "worse"
    return "reached"


def _differ(task: Task, after: Volume) -> str | None:
    """What a check that has ended found. On mirrors of md, a few different sectors are often harmless."""
    if task.operation != "check":
        return None
    if after.mismatch_count:
        return f"{counted(after.mismatch_count, 'sector')} {'differs' if after.mismatch_count == 1 else 'differ'}"
    scrub = after.consistency_check
    return "the check found errors" if scrub is not None and scrub.last_result == "failed" else None


def _early(task: Task, since_seen: float) -> bool:
    """Whether much more time was left than has passed. Tools' estimates are off by a factor of two at most."""
    if task.operation in _PROVEN or task.remaining_seconds is None:
        return False
    return task.remaining_seconds > 2 * since_seen + _EARLY_SECONDS
