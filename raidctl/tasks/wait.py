"""Wait for tasks: which have ended, their results, which continue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from raidctl.model import Inventory, Task, hiding_problems
from raidctl.model.task import needs_check
from raidctl.tasks.outcome import ended
from raidctl.tasks.patience import Patience
from raidctl.tasks.report import Ended
from raidctl.tasks.watch import Frame, same_work


class Awaited(Struct):
    """A task that is waited for."""

    task: Task
    before: Inventory
    seen: float
    patience: Patience = field(default_factory=Patience)
    """With unclear readings, which could not show the task. After that, its result counts as unknown."""

    def unclear(self, frame: Frame) -> bool:
        """Whether a reading without the task proves nothing.

        Something is then unread that was readable at the beginning.
        """
        known = {(one.where, one.message) for one in self.before.problems}
        if not any((one.where, one.message) not in known for one in hiding_problems(frame.inventory.problems)):
            return False
        return not self.patience.exhausted(frame.seconds)


class Step(Struct, frozen=True):
    """One reading, and what it shows of the awaited tasks."""

    frame: Frame
    over: tuple[Ended, ...] = ()
    """All that have ended so far."""
    new: tuple[Ended, ...] = ()
    """Those that ended by this reading."""
    left: int = 0


def steps(frames: Iterable[Frame]) -> Iterator[Step]:
    """Yield readings until every task of the first has ended. It also ends with the readings.

    Parity that nothing completes is not waited for.
    """
    awaited: list[Awaited] = []
    over: tuple[Ended, ...] = ()
    for number, frame in enumerate(frames):
        if number == 0:
            awaited = [Awaited(task, frame.inventory, frame.seconds) for task in frame.tasks if not needs_check(task)]
        new: list[Ended] = []
        for one in list(awaited):
            now = next((task for task in frame.tasks if same_work(one.task, task)), None)
            if now is not None:
                one.task, one.seen = now, frame.seconds
                one.patience.renew()
            elif frame.whole and not one.unclear(frame):  # only a complete reading shows its result
                new.append(ended(one.task, one.before, frame.inventory, frame.seconds - one.seen))
                awaited.remove(one)
        over = (*over, *new)
        yield Step(frame, over, tuple(new), len(awaited))
        if not awaited:
            return
