"""Several pieces of work side by side, in order where they have to be, given up where they never come back."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from raidctl.request import Answer
from raidctl.runners.process import Interrupted

WIDTH = 16
"""Pieces of work under way at a time."""
GLANCE = 0.2
"""Seconds between two looks at what nobody reports: an interruption, a read that hangs."""
BRIEF = 0.005
"""Seconds that one thread gets for all that is usually done at once (reading files): threads cost more than that."""
PARTING = 6.0
"""Seconds that interrupted work gets to end its programs."""


class Task(Struct):
    """A piece of work and, at the end, its answer.

    After ``patience`` seconds it is given up, and ``late`` is its answer: reading a file of a dead device can hang in
    the kernel for ever, and no signal ends that. Without ``patience`` the work bounds itself.
    """

    work: Callable[[], Answer]
    patience: float | None = None
    late: Answer | None = None
    answer: Answer | None = None
    fault: BaseException | None = None
    began: float | None = None

    @property
    def done(self) -> bool:
        """Whether there is an answer, or a fault of ours."""
        return self.answer is not None or self.fault is not None


class Switch:
    """Ends the work of a runner from another thread: each call has an event of its own, closing sets them all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._events: set[threading.Event] = set()

    @contextmanager
    def event(self) -> Iterator[threading.Event]:
        """An event for one call; set from the start when the switch is closed."""
        stop = threading.Event()
        with self._lock:
            self._events.add(stop)
            if self._closed:
                stop.set()
        try:
            yield stop
        finally:
            with self._lock:
                self._events.discard(stop)

    def close(self) -> None:
        """End what is under way; nothing is carried out any more."""
        with self._lock:
            self._closed = True
            for stop in self._events:
                stop.set()


class Crew:
    """Threads that carry chains of tasks out; the tasks of one chain one after the other."""

    def __init__(self, chains: Sequence[Sequence[Task]], stop: threading.Event, width: int = WIDTH) -> None:
        # what bounds itself (programs) first: it takes long, and each gets a thread
        self.long = sum(1 for chain in chains if chain and _is_long(chain))
        self.waiting = deque(sorted((chain for chain in chains if chain), key=_is_long, reverse=True))
        self.tasks = [task for chain in chains for task in chain]
        self.open = len(self.tasks)
        self.width = width
        self.stop = stop
        self.change = threading.Condition()

    def work(self) -> None:
        """Carry everything out.

        Raises:
            Interrupted: ``stop`` was set by somebody.
            BaseException: What a piece of work raised (a fault of ours), or an interruption of this thread; the work
                under way has been told to end by then.
        """
        hired = min(self.width, self.long + (self.long < len(self.waiting)))
        for _ in range(hired):
            self._hire()
        try:
            with self.change:
                self.change.wait_for(self._over, BRIEF)
                for _ in range(min(self.width - hired, len(self.waiting))):
                    self._hire()
                while not self._over():
                    self.change.wait(GLANCE)
                    self._give_up_the_late()
        except BaseException:
            self._part()
            raise
        if self.open:
            self._part()
            raise Interrupted
        for task in self.tasks:
            if task.fault is not None:
                raise task.fault

    def _over(self) -> bool:
        """Whether everything is done, or nothing more is wanted."""
        return not self.open or self.stop.is_set()

    def _part(self) -> None:
        """Tell the work under way to end, and wait until it has, within bounds."""
        self.stop.set()
        with self.change:
            self.waiting.clear()
            self.change.wait_for(self._idle, PARTING)

    def _hire(self) -> None:
        # not joined at the end of the program: one that hangs in the kernel must not keep it
        threading.Thread(target=self._labour, name="raidctl-request", daemon=True).start()

    def _labour(self) -> None:
        while True:
            with self.change:
                if not self.waiting or self.stop.is_set():
                    return
                chain = self.waiting.popleft()
            for task in chain:
                if not self._carry_out(task):
                    return

    def _carry_out(self, task: Task) -> bool:
        """Do one task; False when it was given up meanwhile, or nothing more is wanted."""
        if self.stop.is_set():
            return False
        task.began = time.monotonic()
        answer, fault = None, None
        try:
            answer = task.work()
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that asked
            fault = error
        with self.change:
            task.began = None
            if task.done:
                return False
            task.answer, task.fault = answer, fault
            self._finished()
        return True

    def _finished(self) -> None:
        self.open -= 1
        if not self.open or self.stop.is_set():
            self.change.notify_all()

    def _give_up_the_late(self) -> None:
        now = time.monotonic()
        for task in self.tasks:
            began = task.began
            if task.patience is not None and began is not None and not task.done and now - began > task.patience:
                task.answer = task.late
                self._finished()
                self._hire()

    def _idle(self) -> bool:
        """Whether nothing is under way that ends by itself."""
        return not any(task.began is not None and task.patience is None for task in self.tasks)


def _is_long(chain: Sequence[Task]) -> bool:
    """Whether a chain has work that bounds itself."""
    return any(task.patience is None for task in chain)
