"""How many threads carry work out."""

from __future__ import annotations

import threading

import pytest

from raidctl.request import Answer, ReadAnswer
from raidctl.runners.parallel import Task, WorkerPool
from tests.support.waiting import PATIENCE


def test_reading_that_waits_does_not_hold_up_what_comes_behind_it() -> None:
    """One thread begins with all the files. If one file blocks it, others continue with the rest."""
    second_was_read = threading.Event()

    def first() -> Answer:
        return ReadAnswer(data=b"first" if second_was_read.wait(PATIENCE) else None)

    def second() -> Answer:
        second_was_read.set()
        return ReadAnswer(data=b"second")

    tasks = [Task(first, patience=PATIENCE), Task(second, patience=PATIENCE)]
    WorkerPool([[task] for task in tasks], threading.Event()).work()
    assert [task.answer for task in tasks] == [ReadAnswer(data=b"first"), ReadAnswer(data=b"second")]


def test_programs_run_side_by_side_and_files_beside_them() -> None:
    """Work with time limits has separate threads. Three that wait for each other all finish."""
    meeting = threading.Barrier(3)

    def meet() -> Answer:
        meeting.wait(PATIENCE)
        return Answer()

    tasks = [Task(meet, patience=PATIENCE), Task(meet), Task(meet)]
    WorkerPool([[task] for task in tasks], threading.Event()).work()
    assert [task.answer for task in tasks] == [Answer()] * 3


def test_no_more_threads_work_than_permitted() -> None:
    """With one thread everything is done one after the other, programs first."""
    order: list[str] = []

    def named(name: str) -> Answer:
        order.append(name)
        return Answer()

    tasks = [Task(lambda: named("file"), patience=30.0), Task(lambda: named("program"))]
    WorkerPool([[task] for task in tasks], threading.Event(), width=1).work()
    assert order == ["program", "file"]


class _InterruptedAtItsStart(WorkerPool):
    """Ctrl-C arrives while the first thread is started."""

    def _start_thread(self) -> None:
        super()._start_thread()
        raise KeyboardInterrupt


def test_an_interruption_while_threads_start_ends_what_runs() -> None:
    """The running task has ended before the caller is interrupted, and no other one begins."""
    running, stop = threading.Event(), threading.Event()
    ended: list[str] = []

    def program() -> Answer:
        running.set()
        stop.wait(60)
        ended.append("program")
        return Answer()

    pool = _InterruptedAtItsStart([[Task(program)], [Task(program)]], stop)
    with pytest.raises(KeyboardInterrupt):
        pool.work()
    assert len(ended) == running.is_set()
    assert stop.is_set()
