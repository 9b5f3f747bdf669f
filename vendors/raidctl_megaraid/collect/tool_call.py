"""One tool being asked: its calls, what they told, and what went wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from raidctl.model import Problem, Tool
from raidctl.request import Dialogue, Failure, Run, RunAnswer, ask_all
from raidctl.vendor.protocol import Document
from raidctl.vendor.tools import Installed, as_note, call_problem
from raidctl_megaraid.draft import Cards, ControllerDraft
from raidctl_megaraid.merge import put_together
from raidctl_megaraid.read_document import Told, told

LOCK = "megaraid"
"""All tools of the family share it: they talk to the same firmware."""
TIMEOUT = 120.0
"""Seconds for one call; ``show all`` waits long for a drive that dies."""

_SIGNALS = {
    4: "Illegal instruction",
    6: "Aborted",
    7: "Bus error",
    8: "Floating point exception",
    11: "Segmentation fault",
}
_CRASH = re.compile(
    r"illegal instruction|segmentation fault|core dumped|bus error|floating point exception", re.IGNORECASE
)
_SHELL_SIGNAL = 128


@dataclass
class Call:
    """A call that was made."""

    request: Run
    answer: RunAnswer
    told: Told | None = None
    problems: list[Problem] = field(default_factory=list)

    @property
    def command(self) -> str:
        """The command line."""
        return " ".join(self.request.argv)

    @property
    def whole(self) -> bool:
        """Whether the answer can be relied on: it came, and it is complete."""
        return self.answer.fine and self.crash is None and self.told is not None and self.told.answered

    @property
    def hangs(self) -> bool:
        """Whether the tool had to be ended, or may not be run at all: asking it again gives the same."""
        return self.answer.trouble in (Failure.TIMEOUT, Failure.FLOOD)

    @property
    def crash(self) -> str | None:
        """``Illegal instruction``, where the program died of it."""
        code = self.answer.code or 0
        signal = -code if code < 0 else code - _SHELL_SIGNAL
        if signal in _SIGNALS and not self._has_answer:
            return _SIGNALS[signal]
        match = _CRASH.search(self.answer.error_text[-2000:]) or _CRASH.search(self.answer.text[-300:])
        return match[0].capitalize() if match is not None else None

    @property
    def _has_answer(self) -> bool:
        # storcli's exit code is the firmware's error number: 132 beside complete JSON is no signal
        return self.told is not None and self.told.answered

    @property
    def why(self) -> str:
        """What was wrong with the answer, for a sentence."""
        if self.crash is not None:
            return f"the tool died ({self.crash})"
        if self.answer.trouble is Failure.TIMEOUT:
            return f"it did not answer within {self.request.timeout:g} seconds"
        if not self.answer.text.strip():
            return f"it printed nothing (exit code {self.answer.code})"
        return "its output could not be parsed"


@dataclass
class Session:
    """An installed program and what came of asking it."""

    installed: Installed
    kind: str
    """``storcli``, ``storcli2``, ``megacli``: the grammar that it is expected to speak."""
    calls: list[Call] = field(default_factory=list)
    cards: Cards = field(default_factory=Cards)
    problems: list[Problem] = field(default_factory=list)
    """Beyond those of its calls."""

    @property
    def name(self) -> str:
        """``storcli64``."""
        return self.installed.spec.name

    @property
    def seen(self) -> list[ControllerDraft]:
        """The cards that it told of."""
        return list(self.cards.cards.values())

    def tool(self) -> Tool:
        """The program as the inventory lists it."""
        version = next((call.told.version for call in self.calls if call.told and call.told.version), None)
        return self.installed.tool(version)

    def run(self, document_kind: str, *lines: Iterable[str]) -> Dialogue[list[Call]]:
        """Make some calls that do not depend on each other; what they tell is put onto the cards."""
        requests = [Run((self.installed.command, *line), timeout=TIMEOUT, lock=LOCK) for line in lines]
        answers = yield from ask_all(requests)
        made = [_judged(request, answer, document_kind) for request, answer in zip(requests, answers, strict=True)]
        for call in made:
            self.calls.append(call)
            if call.told is not None:
                put_together(self.cards, call.told.cards)
        return made

    def problems_of_calls(self) -> list[Problem]:
        """What went wrong, call by call."""
        return [*self.problems, *(problem for call in self.calls for problem in call.problems)]


def _judged(request: Run, answer: RunAnswer, document_kind: str) -> Call:
    call = Call(request, answer)
    trouble = call_problem(request, answer)
    if trouble is not None:
        call.problems.append(trouble)
    text = answer.text
    if not text.strip() or answer.trouble is Failure.FLOOD:
        if trouble is None:
            call.problems.append(_silent(call))
        return call
    call.told = told(Document(call.command, document_kind, text))
    call.problems += call.told.problems
    if call.crash is not None:
        call.problems = [_silent(call), *(as_note(problem) for problem in call.problems)]
    return call


def _silent(call: Call) -> Problem:
    return Problem(
        severity="error", kind="unread", where=call.command,
        message=f"The tool did not answer: {call.why}.", remedy="Run the command by hand, as root.",
    )  # fmt: skip
