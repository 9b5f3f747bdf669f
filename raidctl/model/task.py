"""Background operations: the progress of one, and the list of all.

Progress belongs to an object, the list to a machine.

They are names of :mod:`raidctl.model`, and part of its contract.
"""

from __future__ import annotations

from typing import Annotated, Literal

from raidctl.described import doc
from raidctl.model.block_layer import Model

Operation = Literal[
    "rebuild", "recovery", "resync", "check", "repair", "reshape", "initialize", "expand", "migrate", "parity",
    "copyback", "erase", "learn", "self_test", "patrol_read", "unknown",
]  # fmt: skip
FILLING: frozenset[Operation] = frozenset(("rebuild", "recovery", "resync", "copyback"))
"""Operations that fill a drive with the data of an array."""
CHECKS: tuple[Operation, ...] = ("check", "repair")
"""Operations that compare the data of a complete array with its redundancy."""
TaskState = Literal["running", "queued", "paused"]

_Percent = Annotated[float | None, doc("Progress, percent; null: not reported.")]


class Progress(Model, frozen=True, kw_only=True):
    """A background operation on a volume or drive."""

    operation: Annotated[Operation, doc("Kind of operation.")] = "unknown"
    percent: _Percent = None
    remaining_seconds: Annotated[int | None, doc("Remaining time estimated by the tool, seconds.")] = None
    rate_bytes: Annotated[int | None, doc("Speed reported by the tool, bytes per second.")] = None
    state: Annotated[
        TaskState | None, doc("`queued`: waits for something else; `paused`: suspended; null: not reported.")
    ] = None
    reason: Annotated[str | None, doc("Why it is queued or paused; null: not reported.")] = None


class Alarm(Model, frozen=True, kw_only=True):
    """The audible alarm of a controller; null: not reported."""

    present: Annotated[bool | None, doc("Whether there is one.")] = None
    on: Annotated[bool | None, doc("Whether it is switched on.")] = None


class Rates(Model, frozen=True, kw_only=True):
    """How much of a controller's time background operations get.

    In the tool's unit: percent of the controller's time (`30%`), a level (`medium`), or `1` to `5`.
    """

    rebuild: Annotated[str | None, doc("Rebuild; null: not reported.")] = None
    check: Annotated[str | None, doc("Consistency check.")] = None
    patrol_read: Annotated[str | None, doc("Patrol read.")] = None
    initialize: Annotated[str | None, doc("Background initialisation.")] = None
    expand: Annotated[str | None, doc("Expansion and migration.")] = None


class Task(Model, frozen=True, kw_only=True):
    """A background operation of a machine."""

    operation: Annotated[Operation, doc("Kind of operation.")]
    object_id: Annotated[str, doc("Id of the volume, drive, battery or controller that it is reported for.")]
    also: Annotated[
        tuple[str, ...], doc("Ids of other objects with the same operation: the drives that a volume is rebuilt on.")
    ] = ()
    device: Annotated[str | None, doc("Device of the object, or of the only volume that it belongs to.")] = None
    percent: _Percent = None
    rate_bytes: Annotated[int | None, doc("Speed, bytes per second; null: not reported.")] = None
    remaining_seconds: Annotated[int | None, doc("Remaining time, seconds; null: unknown.")] = None
    estimated: Annotated[
        bool, doc("The remaining time was calculated by raidctl from two readings, and not reported by the tool.")
    ] = False
    state: Annotated[TaskState | None, doc("`queued` and `paused` have a reason, if it is known; null: unknown.")] = (
        None
    )
    reason: Annotated[str | None, doc("Why it is queued or paused; null: unknown.")] = None


def needs_check(work: Progress | Task | None) -> bool:
    """Whether parity is not complete, and nothing is known to complete it. A check does."""
    return work is not None and work.operation == "parity" and work.state == "paused"
