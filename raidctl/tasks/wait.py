"""Wait for tasks: which are over, how they ended, which go on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from raidctl.model import Inventory, Task, hides
from raidctl.tasks.outcome import ended
from raidctl.tasks.report import Ended
from raidctl.tasks.watch import Frame, same_work

UNREAD_SECONDS = 900.0
"""How long what became of a task may be unreadable before it counts as unknown."""


class Awaited(Struct):
    """A task that is waited for."""

    task: Task
    before: Inventory
    seen: float
    unread: float | None = None
    """When the first of the latest looks was that could not show what became of it; None: it was not such a look."""

    def unclear(self, frame: Frame) -> bool:
        """Whether a look without the task proves nothing: something could not be read that could at the beginning."""
        known = {(one.where, one.message) for one in self.before.problems}
        if not any(hides(one) and (one.where, one.message) not in known for one in frame.inventory.problems):
            return False
        self.unread = frame.seconds if self.unread is None else self.unread
        return frame.seconds - self.unread < UNREAD_SECONDS


class Step(Struct, frozen=True):
    """One look, and what it shows of the tasks that are waited for."""

    frame: Frame
    over: tuple[Ended, ...] = ()
    """All that have ended so far."""
    new: tuple[Ended, ...] = ()
    """Those that this look shows to have ended."""
    left: int = 0


def steps(frames: Iterable[Frame]) -> Iterator[Step]:
    """The looks until every task of the first one is over, or the looks end."""
    awaited: list[Awaited] = []
    over: tuple[Ended, ...] = ()
    for number, frame in enumerate(frames):
        if number == 0:
            awaited = [Awaited(task, frame.inventory, frame.seconds) for task in frame.tasks]
        new: list[Ended] = []
        for one in list(awaited):
            now = next((task for task in frame.tasks if same_work(one.task, task)), None)
            if now is not None:
                one.task, one.seen, one.unread = now, frame.seconds, None
            elif frame.whole and not one.unclear(frame):  # only a complete look shows how it ended
                new.append(ended(one.task, one.before, frame.inventory, frame.seconds - one.seen))
                awaited.remove(one)
        over = (*over, *new)
        yield Step(frame, over, tuple(new), len(awaited))
        if not awaited:
            return
