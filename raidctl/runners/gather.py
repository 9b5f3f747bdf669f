"""Combine the simultaneous requests of several threads into one call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from raidctl.request import Answer, Request
from raidctl.runners.interrupted import Interrupted

WINDOW = 0.005
"""Seconds that the first request waits for others."""
Work = Callable[[Sequence[Request[Any]]], Sequence[Answer]]


class _Round:
    """Requests that are carried out together."""

    def __init__(self) -> None:
        self.requests: list[Request[Any]] = []
        self.answers: Sequence[Answer] | None = None
        self.done = threading.Event()


class Gathering:
    """One call for the requests that several threads make within a moment."""

    def __init__(self, work: Work, wait: Callable[[float], None] = time.sleep) -> None:
        """``work`` carries requests out. ``wait`` passes the time in which others may come."""
        self._work, self._wait = work, wait
        self._guard = threading.Lock()
        self._open: _Round | None = None

    def answer(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer requests that are quick, such as files: each waits for all.

        Raises:
            Interrupted: The thread that carried them out was interrupted.
        """
        with self._guard:
            first = self._open is None
            mine = self._open = self._open or _Round()
            begin = len(mine.requests)
            mine.requests += requests
        if first:
            try:
                self._wait(WINDOW)
                with self._guard:
                    self._open = None
                mine.answers = self._work(mine.requests)
            finally:
                with self._guard:
                    self._open = None if self._open is mine else self._open
                mine.done.set()
        mine.done.wait()
        if mine.answers is None:
            raise Interrupted
        return mine.answers[begin : begin + len(requests)]
