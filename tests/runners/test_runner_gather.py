"""Requests of several threads at the same moment, by one call."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from raidctl.request import Answer, Read, ReadAnswer, Request
from raidctl.runners import gather
from raidctl.runners.interrupted import Interrupted


def test_each_thread_gets_its_own_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request is carried out once, and answered to its caller. Calls may coincide in any way."""
    monkeypatch.setattr(gather, "WINDOW", 0.001)
    calls: list[int] = []

    def work(requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        calls.append(len(requests))
        return [ReadAnswer(data=one.path.encode()) for one in requests if isinstance(one, Read)]

    gathering = gather.Gathering(work)
    wrong: list[str] = []

    def ask(name: str) -> None:
        for turn in range(30):
            asked = [Read(f"{name}/{turn}/{number}") for number in range(1 + turn % 3)]
            got = gathering.answer(asked)
            if [one.data for one in got if isinstance(one, ReadAnswer)] != [one.path.encode() for one in asked]:
                wrong.append(f"{name} {turn}")

    threads = [threading.Thread(target=ask, args=(f"t{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert sum(calls) == 8 * 60


def test_an_interruption_reaches_all_that_wait() -> None:
    """Nothing waits for an answer that will not come. The next call is carried out."""
    waiting, begun = threading.Barrier(2), threading.Event()

    def hold(_: float) -> None:
        if not begun.is_set():
            waiting.wait(60)

    def work(requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        begun.set()
        if len(requests) > 1:
            raise Interrupted
        return [ReadAnswer(data=b"x")]

    gathering = gather.Gathering(work, hold)
    ended: list[type[BaseException]] = []

    def ask() -> None:
        try:
            gathering.answer([Read("/a")])
        except Interrupted as error:
            ended.append(type(error))

    first = threading.Thread(target=ask)
    first.start()
    second = threading.Thread(target=ask)
    second.start()
    while not gathering._open or len(gathering._open.requests) < 2:  # both are in one round
        pass
    waiting.wait(60)
    first.join()
    second.join()
    assert ended == [Interrupted, Interrupted]
    assert gathering.answer([Read("/a")]) == [ReadAnswer(data=b"x")]
