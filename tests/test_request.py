"""Dialogues, and what carries out their requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from raidctl.request import Answer, Dialogue, Read, ReadAnswer, Request, ask, ask_all, converse, together


class Echo:
    """Answers a Read with its own path, and counts the rounds."""

    def __init__(self) -> None:
        self.rounds: list[int] = []

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """One round."""
        self.rounds.append(len(requests))
        return [ReadAnswer(data=request.path.encode()) for request in requests if isinstance(request, Read)]


def walk(name: str, steps: int) -> Dialogue[list[str | None]]:
    """A dialogue of several questions, one of them double."""
    seen = []
    for step in range(steps):
        answer = yield from ask(Read(f"{name}/{step}"))
        seen.append(answer.text)
    both = yield from ask_all([Read(f"{name}/x"), Read(f"{name}/y")])
    return seen + [answer.text for answer in both]


def test_a_dialogue_gets_its_answers_in_order() -> None:
    """Single requests and batches are answered to the dialogue that made them."""
    assert converse(walk("a", 2), Echo()) == ["a/0", "a/1", "a/x", "a/y"]


@given(st.lists(st.integers(0, 5), max_size=6))
def test_dialogues_led_together_give_what_each_gives_alone(steps: list[int]) -> None:
    """Leading dialogues in step changes only the number of rounds. The longest decides it."""
    runner = Echo()
    led = converse(together([walk(str(n), count) for n, count in enumerate(steps)]), runner)
    assert led == [converse(walk(str(n), count), Echo()) for n, count in enumerate(steps)]
    assert len(runner.rounds) == (max(steps) + 1 if steps else 0)


def test_nothing_asked_is_no_round() -> None:
    """An empty batch costs nothing."""
    runner = Echo()
    assert converse(ask_all([]), runner) == ()
    assert runner.rounds == []
