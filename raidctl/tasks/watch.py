"""Repeated readings of running operations: the kernel's files often, vendors' tools rarely.

A tool may disturb its controller, so it runs after 30 seconds, then less and less often. What a family reads from
kernel files alone (:class:`raidctl.vendor.protocol.ReportsProgress`) is read every second. Time is a :class:`Clock`, so
tests do not sleep.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.model import Inventory, Progress, Task
from raidctl.tasks.derive import REBUILDS

KERNEL_SECONDS = 1.0
"""Seconds between two readings of the kernel's files."""
FIRST_SECONDS, LONGEST_SECONDS, GROWTH = 30.0, 300.0, 1.5
"""Seconds of the first and longest pause, and the growth factor. The pauses are between two readings with tools."""
MIN_SECONDS = 10.0
"""Least seconds between two readings to estimate the remaining time."""

Quick = Callable[[], Mapping[str, Progress | None]]


class Clock(Protocol):
    """The passing of time."""

    def now(self) -> float:
        """Seconds since an arbitrary moment."""

    def sleep(self, seconds: float) -> None:
        """Let time pass."""


SLEEP_SECONDS = 0.5
"""Longest single sleep."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds, never set back."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Sleep. Python notices a signal that arrives right before a sleep only after it, so each is short."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, SLEEP_SECONDS))


class Frame(Struct, frozen=True):
    """One reading."""

    seconds: float
    """Seconds since the first reading."""
    inventory: Inventory
    """The inventory of the last complete reading."""
    tasks: tuple[Task, ...]
    whole: bool
    """Whether everything was read, not only the kernel's files."""


class Rates(Struct):
    """Estimates of the remaining time that no tool reports, from earlier percentages."""

    seen: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    """Time and percentage at the first sight of each operation and object."""

    def estimated(self, tasks: tuple[Task, ...], now: float) -> tuple[Task, ...]:
        """The tasks with estimates; ended ones are forgotten."""
        known = {(task.operation, task.object_id): task for task in tasks if task.percent is not None}
        self.seen = {key: sample for key, sample in self.seen.items() if key in known}
        return tuple(self._estimated(task, now) for task in tasks)

    def _estimated(self, task: Task, now: float) -> Task:
        if task.percent is None:
            return task
        began, first = self.seen.setdefault((task.operation, task.object_id), (now, task.percent))
        if task.percent < first:  # it was started again
            self.seen[task.operation, task.object_id] = now, task.percent
            return task
        gained, passed = task.percent - first, now - began
        if (task.remaining_seconds is not None and not task.estimated) or passed < MIN_SECONDS or gained <= 0:
            return task
        return replace(task, remaining_seconds=round((100 - task.percent) * passed / gained), estimated=True)


def _operations(inventory: Inventory) -> object:
    return {(task.operation, task.object_id) for task in inventory.tasks}


class Watch(Struct):
    """The readings of a machine, until ``at_most`` seconds have passed."""

    look: Callable[[], Inventory]
    quick: Quick
    clock: Clock
    at_most: float | None = None
    every: float = KERNEL_SECONDS
    """Seconds between two readings of the kernel's files."""
    first: float = FIRST_SECONDS
    longest: float = LONGEST_SECONDS
    steady: bool = False
    """Whether more than tasks is followed. Then kernel files and tools are read even without operations."""
    same: Callable[[Inventory], object] = _operations
    """A function of a complete reading. It extracts what makes the tools run sooner if it changes."""
    pause: float = 0.0
    """Seconds until the next complete reading."""
    kernel: frozenset[str] = frozenset()
    """Ids of objects whose progress the kernel's files report."""
    rates: Rates = field(default_factory=Rates)

    def __post_init__(self) -> None:
        self.pause = self.first

    def frames(self) -> Iterator[Frame]:
        """Yield readings, the first at once, until the time is up."""
        begun = self.clock.now()
        inventory, read_at = self.look(), self.clock.now()
        tasks = self._settled(inventory)
        yield Frame(self.clock.now() - begun, inventory, tasks, whole=True)
        while self.at_most is None or self.clock.now() < begun + self.at_most:
            self._sleep_until_due(tasks, read_at, begun)
            due = self.clock.now() >= read_at + self._patience(tasks)
            if due or (newer := self._newer(tasks)) is None:
                before = self.same(inventory)
                inventory, read_at = self.look(), self.clock.now()
                tasks = self._settled(inventory)
                same = before == self.same(inventory)
                self.pause = min(self.pause * GROWTH, self.longest) if same else self.first
                yield Frame(self.clock.now() - begun, inventory, tasks, whole=True)
            else:
                tasks = newer
                yield Frame(self.clock.now() - begun, inventory, tasks, whole=False)

    def _patience(self, tasks: tuple[Task, ...]) -> float:
        """Seconds until the next complete reading. The kernel's files show the end of the tasks that are in them."""
        asked = self.steady or any(task.object_id not in self.kernel for task in tasks)
        return self.pause if asked else self.longest

    def _sleep_until_due(self, tasks: tuple[Task, ...], read_at: float, begun: float) -> None:
        now = self.clock.now()
        wake = read_at + self._patience(tasks)
        if self.kernel or self.steady:
            wake = min(wake, now + self.every)
        if self.at_most is not None:
            wake = min(wake, begun + self.at_most)
        self.clock.sleep(max(wake - now, 0.0))

    def _settled(self, inventory: Inventory) -> tuple[Task, ...]:
        """Return the tasks of a complete reading. Note those that the kernel's files report as well."""
        found = {name for name, work in self.quick().items() if work is not None} if inventory.tasks else set()
        self.kernel = frozenset(task.object_id for task in inventory.tasks if task.object_id in found)
        return self.rates.estimated(inventory.tasks, self.clock.now())

    def _newer(self, tasks: tuple[Task, ...]) -> tuple[Task, ...] | None:
        """The tasks with the kernel's figures. None if one of them has ended, or its files could not be read."""
        if not self.kernel:
            return tasks
        found = self.quick()
        if any(found.get(name) is None for name in self.kernel):
            return None
        return self.rates.estimated(
            tuple(
                _with_progress(task, found.get(task.object_id) if task.object_id in self.kernel else None)
                for task in tasks
            ),
            self.clock.now(),
        )


def _with_progress(task: Task, work: Progress | None) -> Task:
    if work is None:
        return task
    return replace(
        task, percent=work.percent, rate_bytes=work.rate_bytes, remaining_seconds=work.remaining_seconds,
        estimated=False, state=work.state or ("running" if work.percent is not None else None), reason=work.reason,
    )  # fmt: skip


def same_work(one: Task, other: Task) -> bool:
    """Whether two tasks of different readings are the same. A rebuild may move from its volume to its drive."""
    kin = one.operation == other.operation or {one.operation, other.operation} <= REBUILDS
    return kin and not {one.object_id, *one.also}.isdisjoint((other.object_id, *other.also))
