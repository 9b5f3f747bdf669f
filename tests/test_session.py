"""A session with a tool. It shows what is kept of a call, and what is reported of one that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from raidctl.request import Answer, Dialogue, Failure, Request, Run, RunAnswer, converse
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import survey
from raidctl.vendor.protocol import Document, ToolSpec
from raidctl.vendor.registry import vendors
from raidctl.vendor.session import Call, Reading, Session, death
from raidctl.vendor.tools import Installed
from tests.support.machines import recording


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
    """The output of a crashing tool is kept and read. The crash is reported first."""
    call = called(RunAnswer(code=0, out=b"Plum 1\nSegmentation fault (core dumped)\n"))
    assert call.answered
    assert not call.whole
    assert "died" in call.problems[0].message


def test_the_death_of_a_tool_names_the_tool_and_what_may_be_missing() -> None:
    """An exit code of the tool is not a death."""
    died = death(RunAnswer(code=137, out=b"half"), "plum show", "plum")
    assert died is not None
    assert (died.kind, died.severity) == ("unread", "error")
    assert died.message == "plum died (Killed); some of its values may be missing."
    assert death(RunAnswer(code=3), "plum show") is None


@pytest.mark.parametrize("code", [137, 139, 143, -9])
def test_what_a_killed_tool_printed_is_not_whole(code: int) -> None:
    """Its last lines may be missing, unless the output itself shows its end."""
    call = called(RunAnswer(code=code, out=b"Plum 1\n"))
    assert (call.answered, call.whole, [problem.kind for problem in call.problems]) == (True, False, ["unread"])
    session = Session(
        Installed(ToolSpec("plum"), "/sbin/plum"), "show", "plum", 10.0, lambda one: Reading(one.text, shows_end=True)
    )
    whole: Call[str] = converse(session.run("show"), One(RunAnswer(code=code, out=b"Plum 1\n")))
    assert (whole.whole, whole.problems) == (True, [])


@pytest.mark.parametrize(
    ("machine", "command"),
    [
        ("drives-ahci", "hdparm -I -W /dev/sda"), ("drives-nvme", "nvme smart-log /dev/nvme0n1"),
        ("smartarray-p400", "hpacucli ctrl all show config detail"), ("lab-md", "mdadm --detail /dev/md0"),
        ("threeware-9690sa-rebuilding", "tw_cli /c6 show all"), ("zfs-raidz2-resilvering", "zpool list -p"),
    ],
)  # fmt: skip
def test_a_killed_tool_of_any_family_is_a_problem(machine: str, command: str) -> None:
    """The kernel kills a process if memory is short: the end of its output is missing."""
    known, recorded = vendors()[0], recording(machine)
    runner, request = ReplayRunner(recorded), Run(tuple(command.split()))
    before = survey(runner, known).inventory.problems
    [answer] = runner.carry_out([request])
    assert isinstance(answer, RunAnswer)
    lines = answer.out.splitlines(keepends=True)
    killed = msgspec.structs.replace(answer, code=137, out=b"".join(lines[: len(lines) * 3 // 4]))
    after = survey(runner.with_answers({request: killed}), known).inventory.problems
    assert any(problem.kind == "unread" for problem in after if problem not in before)


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
