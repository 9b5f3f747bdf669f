"""A session with an installed tool: its calls, their outputs and problems.

The family decides which call comes next. The session runs it under the family's lock, keeps the output, and reports a
call that failed, printed nothing, did not end, or died.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct, field

from raidctl.model import Problem, Tool
from raidctl.request import Dialogue, Failure, Run, RunAnswer, ask_all
from raidctl.text import regex
from raidctl.vendor.protocol import Document
from raidctl.vendor.tools import Installed, as_note, call_problem

T = TypeVar("T")

_BY_HAND = "Run the command by hand, as root."
_SIGNALS = {
    4: "Illegal instruction",
    6: "Aborted",
    7: "Bus error",
    8: "Floating point exception",
    9: "Killed",
    11: "Segmentation fault",
    15: "Terminated",
    24: "CPU time limit exceeded",
}
_CRASH = regex(r"illegal instruction|segmentation fault|core dumped|bus error|floating point exception", re.IGNORECASE)
_SHELL_SIGNAL = 128
"""The base of a shell's exit codes for signals. A program that died of a signal gives this plus the signal."""


class Reading(Struct, Generic[T]):
    """The result of a family's reader for one output."""

    value: T
    answered: bool = True
    """Whether the output is complete."""
    shows_end: bool = False
    """Whether ``answered`` is certain: the output itself shows that nothing is missing at its end."""
    problems: Sequence[Problem] = ()
    note_exit: bool = False
    """Whether an exit code other than 0 needs a note. The output itself reports no error."""


class Call(Struct, Generic[T]):
    """A call and its result."""

    request: Run
    answer: RunAnswer
    document: Document | None = None
    """The output; None if there is nothing to read."""
    reading: Reading[T] | None = None
    problems: list[Problem] = field(default_factory=list)

    @property
    def command(self) -> str:
        """The command line."""
        return " ".join(self.request.argv)

    @property
    def value(self) -> T | None:
        """The reader's result."""
        return self.reading.value if self.reading is not None else None

    @property
    def answered(self) -> bool:
        """Whether the output is complete, whatever happened to the tool."""
        return self.reading is not None and self.reading.answered

    @property
    def whole(self) -> bool:
        """Whether the output is complete and the tool ended normally."""
        return self.answer.fine and self.crash is None and self.answered

    @property
    def final(self) -> bool:
        """Whether the next call would fail in the same way. It would if the tool is missing or must not be run."""
        return self.answer.trouble not in (None, Failure.TIMEOUT)

    @property
    def hangs(self) -> bool:
        """Whether the tool had to be killed."""
        return self.answer.trouble in (Failure.TIMEOUT, Failure.FLOOD)

    @property
    def crash(self) -> str | None:
        """``Illegal instruction`` if the tool died of it."""
        # storcli's exit code is the firmware's error number: 132 beside complete JSON is not a signal
        if (signal := signal_of(self.answer)) is not None and not (self.reading and self.reading.shows_end):
            return signal
        match = _CRASH.search(self.answer.error_text[-2000:]) or _CRASH.search(self.answer.text[-300:])
        return match[0].capitalize() if match is not None else None

    @property
    def why(self) -> str:
        """Why the call is not reliable, as part of a sentence."""
        if self.crash is not None:
            return f"the tool died ({self.crash})"
        if self.answer.trouble is Failure.TIMEOUT:
            return f"it did not answer within {self.request.timeout:g} seconds"
        if not self.answer.text.strip():
            return f"it printed nothing (exit code {self.answer.code})"
        return "its output could not be parsed"


class Session(Struct, Generic[T]):
    """An installed tool and its calls."""

    installed: Installed
    kind: str
    """The kind of its documents."""
    lock: str
    timeout: float
    """Seconds for one call."""
    read: Callable[[Document], Reading[T]]
    environment: tuple[tuple[str, str], ...] = ()
    errors: bool = True
    """Whether standard error is read if there is no output."""
    errors_beside: bool = False
    """Whether standard error is also read below an output, if the exit code is not 0."""
    calls: list[Call[T]] = field(default_factory=list)
    forgiven: set[str] = field(default_factory=set)
    """Commands whose failure does not matter, since others gave the same data."""

    @property
    def name(self) -> str:
        """``storcli64``."""
        return self.installed.spec.name

    @property
    def tool(self) -> Tool:
        """The tool as the inventory lists it."""
        return self.installed.tool()

    @property
    def documents(self) -> list[Document]:
        """The outputs."""
        return [call.document for call in self.calls if call.document is not None]

    @property
    def problems(self) -> list[Problem]:
        """The problems, call by call."""
        return [problem for call in self.calls for problem in call.problems]

    def run(self, *words: str) -> Dialogue[Call[T]]:
        """Make one call."""
        [call] = yield from self.run_all([words])
        return call

    def run_all(self, lines: Iterable[Sequence[str]]) -> Dialogue[list[Call[T]]]:
        """Make independent calls."""
        requests = [self._request(line) for line in lines]
        answers = yield from ask_all(requests)
        made = [self._judge(request, answer) for request, answer in zip(requests, answers, strict=True)]
        self.calls += made
        return made

    def _request(self, words: Sequence[str]) -> Run:
        argv = (self.installed.command, *words)
        return Run(argv, timeout=self.timeout, lock=self.lock, environment=self.environment)

    def _judge(self, request: Run, answer: RunAnswer) -> Call[T]:
        """Store the output of a call, read it, and report its problems."""
        call: Call[T] = Call(request, answer)
        failure = call_problem(request, answer)
        call.problems += [failure] if failure is not None else []
        text = answer.text if answer.text.strip() or not self.errors else answer.error_text
        if self.errors_beside and answer.code and answer.text.strip():
            text = f"{answer.text}\n{answer.error_text}"
        # the output of a tool that was ended because it printed too much is not read
        if not text.strip() or answer.trouble is Failure.FLOOD:
            call.problems += [_no_answer(call)] if failure is None else []
            return call
        call.document = Document(call.command, self.kind, text)
        call.reading = self.read(call.document)
        call.problems += call.reading.problems
        if call.crash is not None:
            call.problems = [_no_answer(call), *(as_note(problem) for problem in call.problems)]
        elif call.reading.note_exit and answer.code not in (0, None):
            message = f"The tool answered, but ended with exit code {answer.code}."
            call.problems.append(Problem(severity="info", kind="note", where=call.command, message=message))
        return call


def signal_of(answer: RunAnswer) -> str | None:
    """``Killed`` if the exit code is that of a signal. What was printed until then may lack its end."""
    code = answer.code or 0
    return _SIGNALS.get(-code if code < 0 else code - _SHELL_SIGNAL)


def death(
    answer: RunAnswer, where: str, tool: str = "The tool", lost: str = "some of its values", remedy: str = _BY_HAND
) -> Problem | None:
    """The problem if the exit code is that of a signal; ``lost``: what may be missing."""
    if (signal := signal_of(answer)) is None:
        return None
    message = f"{tool} died ({signal}); {lost} may be missing."
    return Problem(severity="error", kind="unread", where=where, message=message, remedy=remedy)


def _no_answer(call: Call[T]) -> Problem:
    what = f"died ({call.crash})" if call.crash else f"printed nothing and ended with exit code {call.answer.code}"
    return Problem(
        severity="error", kind="unread", where=call.command, message=f"The tool {what}.", remedy=_BY_HAND
    )  # fmt: skip
