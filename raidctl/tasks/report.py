"""The report of ``raidctl tasks``: operations, unreadable parts, and results of awaited tasks. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Struct

from raidctl.described import doc
from raidctl.model import Host, Inventory, Operation, Problem, Task, unread_problems

Result = Literal["reached", "worse", "unknown"]


class Ended(Struct, frozen=True, kw_only=True):
    """A task that has ended."""

    operation: Annotated[Operation, doc("Kind of operation.")]
    object_id: Annotated[str, doc("Id of its object.")]
    result: Annotated[
        Result,
        doc(
            "`reached`: the object is as it should be afterwards; `worse`: it is not, or is gone; `unknown`: it "
            "could not be read, or the operation may have been stopped early."
        ),
    ]
    message: Annotated[str, doc("The result in one sentence.")]


class TaskReport(Struct, frozen=True, kw_only=True):
    """The running operations of a machine."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("The machine.")]
    tasks: Annotated[tuple[Task, ...], doc("Operations that are running, queued or paused.")]
    ended: Annotated[tuple[Ended, ...], doc("With --wait: awaited tasks that have ended since the start.")] = ()
    unknown: Annotated[tuple[str, ...], doc("Ids of volumes whose state is unknown: a task may be missing.")] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read: a task may be missing.")] = ()

    @property
    def complete(self) -> bool:
        """Whether every task is listed."""
        return not self.unknown and not self.problems


def report(inventory: Inventory, tasks: Sequence[Task] | None = None, ended: Sequence[Ended] = ()) -> TaskReport:
    """The report of an inventory; ``tasks``: with newer figures than its own."""
    return TaskReport(
        host=inventory.host,
        tasks=inventory.tasks if tasks is None else tuple(tasks),
        ended=tuple(ended),
        unknown=tuple(
            v.id for controller in inventory.controllers for v in controller.volumes if v.status == "unknown"
        ),
        problems=unread_problems(inventory.problems),
    )
