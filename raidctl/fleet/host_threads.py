"""Read many hosts, several at a time. Unreachable ones are tried again after the others."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from raidctl.errors import CannotTell, RaidctlError, UnreachableError, UsageError
from raidctl.fleet.hosts import Host

T = TypeVar("T")
PAUSE = 3.0
"""Seconds before an unreachable host is tried again."""


class Closeable(Protocol):
    """An object that an interruption closes: a runner."""

    def close(self) -> None:
        """End what runs."""


class Outcome(Struct, Generic[T], frozen=True):
    """The value of a host, or why there is none."""

    host: Host
    tries: int
    value: T | None = None
    error: RaidctlError | None = None


Work = Callable[[Host, Callable[[Closeable], None]], T]
"""A function that reads a host. It passes to the second argument all that an interruption has to close."""


class HostThreads(Generic[T]):
    """Threads that read hosts."""

    def __init__(
        self, hosts: Sequence[Host], work: Work[T], *, jobs: int, retries: int = 1, pause: float | None = None
    ) -> None:
        """Prepare the threads; :meth:`outcomes` starts them.

        Args:
            hosts: The hosts, each once.
            work: The function for each host, run in a thread.
            jobs: Hosts at a time.
            retries: Further tries for a host that cannot be reached.
            pause: Seconds before them; None: `PAUSE`.
        """
        self._work, self._retries = work, retries
        self._pause = PAUSE if pause is None else pause
        self._waiting = deque((host, 1) for host in hosts)
        self._later: deque[tuple[float, Host, int]] = deque()
        self._left = len(hosts)
        self._jobs = min(jobs, len(hosts))
        self._open: list[Closeable] = []
        self._change = threading.Condition()
        self._stopped = False
        self._found: queue.SimpleQueue[Outcome[T]] = queue.SimpleQueue()

    def outcomes(self) -> Generator[Outcome[T], None, None]:
        """Yield the outcome of each host as it comes. Leaving it early ends what runs."""
        left = self._left
        try:
            for _ in range(self._jobs):
                threading.Thread(target=self._query_hosts, name="raidctl-host", daemon=True).start()
            while left:
                yield self._found.get()
                left -= 1
        finally:
            self._stop()

    def _stop(self) -> None:
        with self._change:
            self._stopped = True
            self._change.notify_all()
            running, self._open = self._open, []
        for one in running:
            one.close()

    def _close_at_stop(self, one: Closeable) -> None:
        with self._change:
            if not self._stopped:
                self._open.append(one)
                return
        one.close()

    def _query_hosts(self) -> None:
        while (task := self._next()) is not None:
            outcome = self._one(*task)
            with self._change:
                if self._stopped:
                    return
                if _passing(outcome.error) and outcome.tries <= self._retries:
                    self._later.append((time.monotonic() + self._pause, outcome.host, outcome.tries + 1))
                else:
                    self._left -= 1
                    self._found.put(outcome)
                self._change.notify_all()

    def _next(self) -> tuple[Host, int] | None:
        """Return the next host and the number of the try. None: no host is left."""
        with self._change:
            while not self._stopped and self._left:
                if self._waiting:
                    return self._waiting.popleft()
                due = self._later[0][0] - time.monotonic() if self._later else None
                if due is not None and due <= 0:
                    return self._later.popleft()[1:]
                self._change.wait(due)
        return None

    def _one(self, host: Host, number: int) -> Outcome[T]:
        held: list[Closeable] = []

        def hold(one: Closeable) -> None:
            held.append(one)
            self._close_at_stop(one)

        try:
            if host.refused:
                return Outcome(host, number, error=UsageError(host.refused))
            return Outcome(host, number, value=self._work(host, hold))
        except RaidctlError as error:
            return Outcome(host, number, error=error)
        except Exception as error:  # noqa: BLE001 - a bug triggered by one host must not hide the others
            what = CannotTell(f"internal error: {type(error).__name__}: {error}")
            what.__cause__ = error
            return Outcome(host, number, error=what)
        finally:
            with self._change:
                self._open = [one for one in self._open if one not in held]


def _passing(error: RaidctlError | None) -> bool:
    """Whether a host may be reachable in a moment."""
    return isinstance(error, UnreachableError) and error.passing
