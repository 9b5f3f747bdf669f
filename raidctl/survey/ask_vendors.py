"""Run the dialogues of several vendor packages with one machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from msgspec import Struct

from raidctl.host import HostView
from raidctl.request import (
    Asked,
    Dialogue,
    Glob,
    Read,
    Run,
    Runner,
    UdevDatabase,
    Which,
    answers_at_once,
    converse,
    requests_of,
    shares_rounds,
    together,
)
from raidctl.vendor.protocol import Observation, Vendor

T = TypeVar("T")
Outcome = Observation | Exception
"""The result of a vendor package, or the error of its failure."""
_LOOKUPS = (Glob, Read, UdevDatabase, Which)
"""Requests that start no program and need no network."""


def ask_vendors(
    vendors: Sequence[Vendor], view: HostView, runner: Runner, meanwhile: Callable[[], None] = lambda: None
) -> list[Outcome]:
    """Run the dialogue of each vendor package.

    They run in parallel where the runner waits. The outcomes are in their order.

    ``meanwhile`` is called while tools run in several threads. The first lookups (:func:`_after_lookups`) are shared: a
    file that hangs delays the tools of all families by the time limit for files.

    Raises:
        Interrupted: The runner was closed.
    """
    dialogues = [_with_errors(vendor, view) for vendor in vendors]
    if answers_at_once(runner):
        return [converse(dialogue, runner) for dialogue in dialogues]
    if shares_rounds(runner):
        return converse(together(dialogues), runner)
    if len(dialogues) == 1:
        return [converse(dialogues[0], runner)]
    opened = _after_lookups(dialogues, runner)
    # when this thread is interrupted, the owner of the runner closes it, which ends the others
    started = [one if isinstance(one, _Ended) else _DialogueThread(one.rest(), runner) for one in opened]
    if not all(isinstance(one, _Ended) for one in opened):
        _import_readers(vendor for vendor, one in zip(vendors, opened, strict=True) if one.runs_tool)
        meanwhile()
    return [one.result() for one in started]


def warm(vendors: Sequence[Vendor]) -> None:
    """Make vendor packages import what their dialogues need, without starting these.

    It takes no extra time while the other vendors' tools run. Errors are ignored: the dialogue will raise them again.
    """
    for vendor in vendors:
        with suppress(Exception):
            vendor.observe(HostView()).close()


def _import_readers(vendors: Iterable[Vendor]) -> None:
    """Make vendor packages import what reads their tools' outputs. Errors are ignored, as in :func:`warm`."""
    for vendor in vendors:
        with suppress(Exception):
            vendor.read(())


def _with_errors(vendor: Vendor, view: HostView) -> Dialogue[Outcome]:
    """The dialogue of a vendor package. An error of the package becomes its outcome, so that the others continue."""
    try:
        return (yield from vendor.observe(view))
    except Exception as error:  # noqa: BLE001 - the survey reports it
        return error


class _Ended(Struct, Generic[T], frozen=True):
    """A dialogue without further requests."""

    outcome: T
    runs_tool = False

    def result(self) -> T:
        """Return the outcome."""
        return self.outcome


class _Open(Struct, Generic[T], frozen=True):
    """A dialogue with a pending request."""

    question: Asked
    dialogue: Dialogue[T]

    @property
    def runs_tool(self) -> bool:
        """Whether the request starts a program."""
        return any(isinstance(request, Run) for request in requests_of(self.question))

    def rest(self) -> Dialogue[T]:
        """The dialogue from this request on."""
        question = self.question
        try:
            while True:
                question = self.dialogue.send((yield question))
        except StopIteration as end:
            result: T = end.value
            return result


def _after_lookups(dialogues: Sequence[Dialogue[T]], runner: Runner) -> list[_Open[T] | _Ended[T]]:
    """Answer the first lookups of all dialogues in one call. Return where each dialogue is then.

    Most families only check whether their tools are installed, and a thread for each would cost more than that.
    """
    return converse(together(_first_lookup(dialogue) for dialogue in dialogues), runner)


def _first_lookup(dialogue: Dialogue[T]) -> Dialogue[_Open[T] | _Ended[T]]:
    """Answer the first request of a dialogue if it starts no tool. Return where the dialogue is then."""
    try:
        question = next(dialogue)
        if all(isinstance(request, _LOOKUPS) for request in requests_of(question)):
            reply = yield question
            question = dialogue.send(reply)
    except StopIteration as end:
        return _Ended(end.value)
    return _Open(question, dialogue)


class _DialogueThread(threading.Thread):
    """A dialogue in a thread, started at once; importing ``concurrent.futures`` takes long."""

    def __init__(self, dialogue: Dialogue[Outcome], runner: Runner) -> None:
        super().__init__(name="vendor")
        self._parts = dialogue, runner
        self._outcome: Outcome = Observation()
        self._error: BaseException | None = None
        self._ended = threading.Event()
        self.start()

    def run(self) -> None:
        """Converse; what is raised is kept for `result`."""
        try:
            self._outcome = converse(*self._parts)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asks for the result
            self._error = error
        self._ended.set()

    def result(self) -> Outcome:
        """Wait for the end. Return the outcome, or raise what was raised, such as an interruption."""
        # an interrupted join() treats the thread as ended (Python 3.11), and nothing waits for it at the exit
        self._ended.wait()
        if self._error is not None:
            raise self._error
        return self._outcome
