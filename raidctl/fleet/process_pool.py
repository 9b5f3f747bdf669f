"""Parallel processes, with results in the order of the pieces. Few pieces are in memory."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from typing import Any, TypeVar

from raidctl.errors import CannotTell
from raidctl.fleet.sources import Piece
from raidctl.fleet.work import freeze_objects
from raidctl.runners.parent_death import die_with

T = TypeVar("T")
_AHEAD = 2
"""Pieces per process, running or waiting."""
_ALONE = 2
"""Maximum number of pieces done in this process. Starting other processes would take longer."""
_work: Callable[[Piece], Any] | None = None


def cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def results(pieces: Iterable[Piece], work: Callable[[Piece], T], jobs: int) -> Iterator[T]:
    """Yield the result of each piece, in their order.

    Raises:
        CannotTell: One of the processes was killed.
    """
    source = iter(pieces)
    begin = list(islice(source, _ALONE + 1))
    if jobs == 1 or len(begin) <= _ALONE:
        if len(begin) > _ALONE:
            freeze_objects()
        yield from map(work, chain(begin, source))
        return
    # forked, so that the rules need not be built again or serialized
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(work, os.getpid()))
    try:
        waiting: deque[Future[T]] = deque()
        for piece in chain(begin, source):
            waiting.append(pool.submit(_do, piece))
            if len(waiting) >= _AHEAD * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise CannotTell("A process was killed; is memory short? --jobs 1 needs the least.") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start(work: Callable[[Piece], Any], parent: int) -> None:
    global _work  # noqa: PLW0603 - each process has one for its whole life
    _work = work
    die_with(parent)  # workers would wait for pieces that never come
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the first process, which ends these
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    freeze_objects()


def _do(piece: Piece) -> Any:
    assert _work is not None  # noqa: S101 - _start has set it
    return _work(piece)
