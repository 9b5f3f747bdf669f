"""Work on pieces in parallel processes; yield the results in order.

Few pieces are in memory at a time. Their inventories reach a process through shared memory, unless they are a place in
one already: a pipe takes as long as decoding them.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from itertools import chain, islice
from typing import Any, TypeVar

from raidctl.errors import CannotTell
from raidctl.fleet.audit_piece import freeze_objects
from raidctl.fleet.rereadable_input import Span
from raidctl.fleet.sources import BLOCK, Piece
from raidctl.runners.parent_death import die_with

T = TypeVar("T")
_AHEAD = 2
"""Pieces per process, running or waiting."""
_ALONE = 2
"""Maximum number of pieces done in this process. Starting other processes would take longer."""
_SLOT = 2 * BLOCK
"""Bytes of shared memory for a piece. It is a block, behind the inventory that the one before began."""
_work: Callable[[Piece, int, int], Any] | None = None


class Slots:
    """Shared memory for the pieces that run or wait."""

    def __init__(self, number: int) -> None:
        self._memory = [mmap.mmap(-1, _SLOT) for _ in range(number)]

    def put(self, number: int, piece: Piece) -> tuple[Piece, int, int]:
        """Move the data of the n-th piece into its slot. Return the rest, the slot and the bytes there."""
        slot, data = number % len(self._memory), piece.data
        if isinstance(data, Span) or not 0 < len(data) <= _SLOT:
            return piece, slot, 0
        length = len(data)
        self._memory[slot][:length] = data
        return replace(piece, data=b""), slot, length

    def get(self, piece: Piece, slot: int, length: int) -> Piece:
        """Return the piece with the data that :meth:`put` moved."""
        return replace(piece, data=self._memory[slot][:length]) if length else piece


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
    slots = Slots(_AHEAD * jobs)
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(work, slots, os.getpid()))
    try:
        waiting: deque[Future[T]] = deque()
        for number, piece in enumerate(chain(begin, source)):
            waiting.append(pool.submit(_do, *slots.put(number, piece)))
            if len(waiting) >= _AHEAD * jobs:  # the next piece gets the slot of the one that is done
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise CannotTell("A process was killed, perhaps for lack of memory: --jobs 1 needs the least.") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start(work: Callable[[Piece], Any], slots: Slots, parent: int) -> None:
    global _work  # noqa: PLW0603 - each process has one for its whole life
    _work = lambda piece, slot, length: work(slots.get(piece, slot, length))  # noqa: E731 - as short as it is clear
    die_with(parent)  # workers would wait for pieces that never come
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the first process, which ends these
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    freeze_objects()


def _do(piece: Piece, slot: int, length: int) -> Any:
    assert _work is not None  # noqa: S101 - _start has set it
    return _work(piece, slot, length)
