"""One input of the fuzzer: made from its number, checked, and minimised."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from random import Random
from types import FrameType

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.survey.survey import Survey
from tests.fuzz.mutations import cut, mutated
from tests.fuzz.samples import Sample
from tests.support.conclusions import Conclusions, conclusions, cut_worse, falsely_ok, read_text

SECONDS = 2.0
"""Processor time for one input."""
_STOP = 10.0
"""Processor time after which a reading is given up."""
LARGEST = 256 * 1024
"""Characters of an input; glued and doubled ones are cut there."""


@dataclass(frozen=True)
class Violation:
    """What did not hold."""

    kind: str
    """``exception``, ``time``, ``false OK``, ``improved``."""
    detail: str


class _TooLongError(BaseException):
    """Not an Exception: vendor packages' errors are caught on the way."""


@cache
def whole(sample: Sample) -> tuple[Survey, Conclusions]:
    """An intact output, and what is concluded from it."""
    seen = read_text(sample.text)
    return seen, conclusions(seen)


def made(seed: int, number: int, found: Sequence[Sample]) -> tuple[Sample, str, bool]:
    """Sample and text of a case. The third value is whether the text is only the sample cut off."""
    rng = Random(f"{seed}:{number}")  # noqa: S311 - reproducible on purpose
    sample = _drawn(rng, found)
    if rng.random() < 0.3:
        return sample, cut(rng, sample.text), True
    return sample, mutated(rng, sample.text, [_drawn(rng, found).text for _ in range(3)])[:LARGEST], False


def _drawn(rng: Random, found: Sequence[Sample]) -> Sample:
    """A sample; small ones come more often, since they are read faster."""
    one = rng.choice(found)
    return one if rng.random() < 0.2 else min(one, rng.choice(found), rng.choice(found), key=lambda it: len(it.text))


def check(sample: Sample, text: str, *, only_cut: bool) -> list[Violation]:
    """What does not hold of an input."""
    begun = time.process_time()
    try:
        with _limited():
            seen = read_text(text)
            diagnosis = diagnose(seen.inventory, rules())
            found = [*_failures(seen), *(Violation("false OK", name) for name in falsely_ok(seen.inventory, diagnosis))]
            if only_cut:
                better = cut_worse(*whole(sample), text, seen, diagnosis)
                found += [Violation("improved", one) for one in better]
    except _TooLongError:
        return [Violation("time", f"more than {_STOP:g} seconds")]
    except Exception as error:  # noqa: BLE001 - the finding
        return [Violation("exception", _last(traceback.format_exception(error)))]
    taken = time.process_time() - begun
    return [*found, Violation("time", f"{taken:.1f} seconds")] if taken > SECONDS else found


def _failures(seen: Survey) -> Iterator[Violation]:
    """The exceptions of vendor packages, which the survey reports as problems."""
    yield from (Violation("exception", _last([text])) for text in seen.tracebacks)
    for problem in seen.inventory.problems:
        if "failed while looking at it" in problem.message:
            yield Violation("exception", problem.message)


def _last(texts: Sequence[str]) -> str:
    """The place and the message of a traceback, on one line."""
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    places = [line for line in lines if line.startswith("File ")]
    return f"{lines[-1][:200]} ({places[-1] if places else '?'})"


@contextmanager
def _limited() -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _STOP)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def minimised(text: str, fails: Callable[[str], bool], seconds: float = 10.0) -> str:
    """Fewer lines with which it still fails. Pieces are left out, half the text first, then smaller ones.

    ``seconds`` of processor time, and the attempt that is under way then.
    """
    end = time.process_time() + seconds
    lines = text.splitlines(keepends=True)
    size = max(1, len(lines) // 2)
    while time.process_time() < end:
        at = 0
        while at < len(lines) and time.process_time() < end:
            less = lines[:at] + lines[at + size :]
            if less and fails("".join(less)):
                lines = less
            else:
                at += size
        if size == 1:
            break
        size //= 2
    return "".join(lines)
