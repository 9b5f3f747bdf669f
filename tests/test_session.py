"""A session with a tool. It shows what is kept of a call, and what is reported of one that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raidctl.request import Answer, Dialogue, Failure, Request, RunAnswer, converse
from raidctl.vendor.protocol import Document, ToolSpec
from raidctl.vendor.session import Call, Reading, Session
from raidctl.vendor.tools import Installed


class One:
    """Answers each request in the same way."""

    def __init__(self, answer: Answer) -> None:
        """Keep the answer."""
        self.answer = answer

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer."""
        return [self.answer for _ in requests]


def read(document: Document) -> Reading[str]:
    """A reader that accepts what begins with ``Plum``."""
    plum = document.text.startswith("Plum")
    return Reading(document.text.strip(), answered=plum, note_exit=plum)


def called(answer: RunAnswer, *, errors: bool = True) -> Call[str]:
    """A call with that answer."""
    session = Session(Installed(ToolSpec("plum"), "/sbin/plum"), "show", "plum", 10.0, read, errors=errors)
    dialogue: Dialogue[Call[str]] = session.run("show")
    call = converse(dialogue, One(answer))
    assert session.problems == call.problems
    assert session.documents == ([call.document] if call.document else [])
    return call


def test_a_call_that_failed_is_one_problem() -> None:
    """An answer has no problem.

    Silence, a signal, a timeout and a missing right have one each, with the command line.
    """
    expected = {
        "": RunAnswer(code=0, out=b"Plum 1\n"),
        "ended with exit code 3": RunAnswer(code=3, out=b"Plum 1\n"),
        "printed nothing and ended with exit code 4": RunAnswer(code=4),
        "died (Segmentation fault)": RunAnswer(code=-11),
        "died (Illegal instruction)": RunAnswer(code=132, err=b" \n"),
        "did not answer within 10 seconds": RunAnswer(trouble=Failure.TIMEOUT),
        "may not be run": RunAnswer(trouble=Failure.DENIED),
        "printed more than it should": RunAnswer(trouble=Failure.FLOOD, out=b"Plum 1\n"),
    }
    for words, answer in expected.items():
        call = called(answer)
        assert len(call.problems) == (1 if words else 0), words
        assert all(words in problem.message and problem.where == "plum show" for problem in call.problems), words
        assert call.whole == bool(answer.out and answer.trouble is None), words


def test_a_tool_that_dies_in_its_output_is_not_whole() -> None:
    """What a dying tool printed is kept and read. Its death is reported first."""
    call = called(RunAnswer(code=0, out=b"Plum 1\nSegmentation fault (core dumped)\n"))
    assert call.answered
    assert not call.whole
    assert "died" in call.problems[0].message


def test_standard_error_is_read_if_there_is_no_output() -> None:
    """The exception is a tool that never prints its output there."""
    answer = RunAnswer(code=1, err=b"Plum error\n")
    assert called(answer).value == "Plum error"
    assert called(answer, errors=False).value is None


def test_what_would_fail_again_is_final() -> None:
    """A tool that cannot be started is final. One that was slow or printed something else is not."""
    assert called(RunAnswer(trouble=Failure.DENIED)).final
    assert not called(RunAnswer(trouble=Failure.TIMEOUT)).final
    assert not called(RunAnswer(code=1, out=b"words\n")).final
