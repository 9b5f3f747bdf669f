"""Parallel runs of tasks, in sequence where needed. Tasks that hang are given up."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from raidctl.request import Answer
from raidctl.runners.interrupted import Interrupted

WIDTH = 16
"""Number of tasks at a time."""
POLL_INTERVAL = 0.2
"""Seconds between checks for an interruption or a read that hangs."""
SINGLE_THREAD_SECONDS = 0.005
"""Seconds that the threads get for quick tasks (reading files). Then one more is started, which costs more."""
STOP_SECONDS = 6.0
"""Seconds that interrupted tasks get to end their programs."""


class Task(Struct):
    """A task and, at the end, its answer.

    After ``patience`` seconds it is given up and answered by ``late``: reading a file of a dead device can hang in
    the kernel forever, even with signals. Without ``patience`` the task has its own limit.
    """

    work: Callable[[], Answer]
    patience: float | None = None
    late: Answer | None = None
    answer: Answer | None = None
    fault: BaseException | None = None
    began: float | None = None

    @property
    def done(self) -> bool:
        """Whether there is an answer, or an error in raidctl."""
        return self.answer is not None or self.fault is not None


class Switch:
    """A switch that ends a runner's calls from another thread. There is one event per call; closing sets them all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._events: set[threading.Event] = set()

    @contextmanager
    def event(self) -> Iterator[threading.Event]:
        """Yield a call's event, already set if the switch is closed."""
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
        """End the running calls and refuse later ones."""
        with self._lock:
            self._closed = True
            for stop in self._events:
                stop.set()


class WorkerPool:
    """Threads that run chains of tasks. The tasks of one chain run in sequence."""

    def __init__(self, chains: Sequence[Sequence[Task]], stop: threading.Event, width: int = WIDTH) -> None:
        # programs first, which have their own limits: they take long, and each gets a thread
        self.long = sum(1 for chain in chains if chain and _is_long(chain))
        self.waiting = deque(sorted((chain for chain in chains if chain), key=_is_long, reverse=True))
        self.tasks = [task for chain in chains for task in chain]
        self.open = len(self.tasks)
        self.width = width
        self.stop = stop
        self.change = threading.Condition()

    def work(self) -> None:
        """Run all tasks.

        Raises:
            Interrupted: ``stop`` was set.
            BaseException: Raised by a task (a bug), or an interruption of this thread. Running tasks were stopped
                first.
        """
        started = min(self.width, self.long + (self.long < len(self.waiting)))
        try:
            for _ in range(started):
                self._start_thread()
            with self.change:
                self._start_more_threads(self.width - started)
                while not self._is_finished():
                    self.change.wait(POLL_INTERVAL)
                    self._give_up_late_tasks()
        except BaseException:
            self._stop_tasks()
            raise
        if self.open:
            self._stop_tasks()
            raise Interrupted
        for task in self.tasks:
            if task.fault is not None:
                raise task.fault

    def _start_more_threads(self, most: int) -> None:
        """Start a thread after each ``SINGLE_THREAD_SECONDS`` while tasks wait, at most ``most``."""
        for _ in range(most):
            if self.change.wait_for(self._is_finished, SINGLE_THREAD_SECONDS) or not self.waiting:
                return
            self._start_thread()

    def _is_finished(self) -> bool:
        """Whether all tasks are done, or the work is stopped."""
        return not self.open or self.stop.is_set()

    def _stop_tasks(self) -> None:
        """Stop the running tasks and wait for their end. The wait is at most ``STOP_SECONDS`` seconds."""
        self.stop.set()
        with self.change:
            self.waiting.clear()
            self.change.wait_for(self._idle, STOP_SECONDS)

    def _start_thread(self) -> None:
        # a daemon, not joined at exit: a thread that hangs in the kernel must not block it
        threading.Thread(target=self._run_chains, name="raidctl-request", daemon=True).start()

    def _run_chains(self) -> None:
        while True:
            with self.change:
                if not self.waiting or self.stop.is_set():
                    return
                chain = self.waiting.popleft()
            for task in chain:
                if not self._carry_out(task):
                    return

    def _carry_out(self, task: Task) -> bool:
        """Run one task. False if it was given up meanwhile, or the work is stopped."""
        with self.change:  # the thread that stops the work sees every task that will still run
            if self.stop.is_set():
                return False
            task.began = time.monotonic()
        answer, fault = None, None
        try:
            answer = task.work()
        except BaseException as error:  # noqa: BLE001 - raised again in the calling thread
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

    def _give_up_late_tasks(self) -> None:
        now = time.monotonic()
        for task in self.tasks:
            began = task.began
            if task.patience is not None and began is not None and not task.done and now - began > task.patience:
                task.answer = task.late
                self._finished()
                self._start_thread()

    def _idle(self) -> bool:
        """Whether no running task has its own limit."""
        return not any(task.began is not None and task.patience is None for task in self.tasks)


def _is_long(chain: Sequence[Task]) -> bool:
    """Whether a chain has a task with its own limit."""
    return any(task.patience is None for task in chain)
