"""Several processes side by side; results come in the order of the pieces, and few pieces are under way at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice

from raidctl.errors import CannotTell
from raidctl.fleet.sources import Piece
from raidctl.fleet.work import Result, settle
from raidctl.runners.parent_death import die_with

Work = Callable[[Piece], Result]
_AHEAD = 2
"""Pieces for each process that are under way or wait to be taken."""
_ALONE = 2
"""So few pieces are done here: starting processes would take longer."""
_work: Work | None = None


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def results(pieces: Iterable[Piece], work: Work, jobs: int) -> Iterator[Result]:
    """What ``work`` makes of each piece, in their order.

    Raises:
        CannotTell: One of the processes was killed.
    """
    source = iter(pieces)
    begin = list(islice(source, _ALONE + 1))
    if jobs == 1 or len(begin) <= _ALONE:
        if len(begin) > _ALONE:
            settle()
        yield from map(work, chain(begin, source))
        return
    # forked, so that the rules need not be made again, nor written down for another process
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(work, os.getpid()))
    try:
        waiting: deque[Future[Result]] = deque()
        for piece in chain(begin, source):
            waiting.append(pool.submit(_do, piece))
            if len(waiting) >= _AHEAD * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise CannotTell("A process of the audit was killed; is there enough memory? --jobs 1 needs least.") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start(work: Work, parent: int) -> None:
    global _work  # noqa: PLW0603 - each process has one, from its beginning to its end
    _work = work
    die_with(parent)  # these wait for pieces, which nobody would send them any more
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C ends the first process, and that ends these
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    settle()


def _do(piece: Piece) -> Result:
    assert _work is not None  # noqa: S101 - _start has set it
    return _work(piece)
