"""The neutral state of an array, from the words of each source."""

from __future__ import annotations

from msgspec import Struct

from raidctl.model import Operation, Progress, VolumeStatus
from raidctl.text import regex
from raidctl_md.vocabulary import OPERATIONS

# words of "State :" in mdadm --detail, in lower case; of raid0 and linear it prints the word of sysfs ("broken")
_QUIET = frozenset(
    {"clean", "active", "active-idle", "write-pending", "readonly", "read-auto", "dirty", "no-errors", "suspended"}
)
_LOST = frozenset({"failed", "broken", "errors"})
_INACTIVE = frozenset({"inactive", "not started", "clear"})
_UNDER_WAY = regex(r"(recovering|resyncing|reshaping|checking)(?: \((DELAYED|PENDING|REMOTE)\))?")
_WORK_STATUS: dict[Operation, VolumeStatus] = {
    "recovery": "rebuilding", "resync": "checking", "check": "checking", "repair": "checking", "reshape": "migrating",
}  # fmt: skip

_FIRST_WRITE = "starts with the first write to the array"
_READ_ONLY = "the array is read-only"
_OTHER_FIRST = "another array on the same drives is first"
_REASONS = {"PENDING": "not started yet", "DELAYED": _OTHER_FIRST, "REMOTE": "another node of the cluster does it"}


class State(Struct, frozen=True):
    """The state of an array according to one source."""

    status: VolumeStatus
    progress: Progress | None = None
    waiting: bool = False
    """The operation is delayed or pending."""


def waits_for(word: str, state: str = "") -> str | None:
    """Why an operation waits: ``PENDING``, ``DELAYED``, ``REMOTE``; ``state``: the words for the array's state."""
    if word == "PENDING" and is_auto_read_only(state):
        return _FIRST_WRITE
    return _READ_ONLY if word == "PENDING" and is_read_only(state) else _REASONS.get(word)


def is_auto_read_only(state: str) -> bool:
    """Whether an array takes writes, but starts nothing before the first one (md(4))."""
    # array_state: read-auto        md0 : active (auto-read-only) raid1 sdb1[1] sda1[0]
    return "read-auto" in state.lower() or "(auto-read-only)" in state


def is_read_only(state: str) -> bool:
    """Whether an array takes no writes until ``mdadm --readwrite``."""
    # array_state: readonly        md0 : active (read-only) raid1 sdb1[1] sda1[0]
    return "readonly" in state.lower() or "(read-only)" in state


def judge(*, lost: bool, inactive: bool, degraded: bool, work: Operation | None, waiting: bool) -> VolumeStatus:
    """The status that follows from what is known, the worst first."""
    if lost:
        return "failed"
    if inactive:
        return "inactive"
    if work == "recovery" and not waiting:
        return "rebuilding"
    if degraded:
        return "degraded"
    return _WORK_STATUS[work] if work else "ok"


def of_detail(text: str) -> State | None:
    """The state of ``clean, degraded, recovering``. None if one of its words is unknown."""
    lost = inactive = degraded = waiting = False
    work: Operation | None = None
    reason: str | None = None
    for word in (part.strip() for part in text.split(",")):
        lower = word.lower()
        match = _UNDER_WAY.fullmatch(word)
        if match:
            work, waiting = OPERATIONS[match[1]], match[2] is not None
            reason = waits_for(match[2], text) if match[2] else None
        elif lower in _LOST:
            lost = True
        elif lower in _INACTIVE:
            inactive = True
        elif lower == "degraded":
            degraded = True
        elif lower not in _QUIET:
            return None
    status = judge(lost=lost, inactive=inactive, degraded=degraded, work=work, waiting=waiting)
    progress = Progress(operation=work, state="queued" if waiting else "running", reason=reason) if work else None
    return State(status, progress, waiting)
