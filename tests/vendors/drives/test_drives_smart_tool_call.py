"""The dialogue with smartctl for a live drive. The machine is small and scripted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from raidctl.evidence import Output
from raidctl.model import Problem
from raidctl.request import Answer, Failure, Request, Run, RunAnswer, converse
from raidctl_drives.smart import query_smartctl
from tests.vendors.drives.smart_outputs import Reported, reported
from tests.vendors.drives.smart_text_outputs import BANNER, FULL, NO_LOG, NVME, SAS

FIRST = ("smartctl", "-n", "standby", "-x", "-f", "old", "/dev/sdq")
Answered = tuple[list[Reported], list[Output], list[Problem]]


class Machine:
    """A runner with scripted replies; any other command is "not installed"."""

    def __init__(self, answers: dict[tuple[str, ...], RunAnswer]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, ...]] = []

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer in order."""
        runs = [request for request in requests if isinstance(request, Run)]
        self.asked += [run.argv for run in runs]
        return [self.answers.get(run.argv, RunAnswer(trouble=Failure.MISSING)) for run in runs]


def asked(answers: dict[tuple[str, ...], RunAnswer], **options: str) -> tuple[Answered, Machine]:
    """The result of the dialogue, and the machine."""
    machine = Machine(answers)
    drafts, outputs, problems = converse(query_smartctl("/dev/sdq", **options), machine)
    return (reported(drafts), outputs, problems), machine


def printed(text: str, code: int = 0) -> RunAnswer:
    """The reply of a tool that printed an output."""
    return RunAnswer(code=code, out=text.encode())


@pytest.mark.parametrize(("text", "serial"), [(FULL, "HBQ40A17"), (SAS, "HS12K7700014A"), (NVME, "QZ98A1004417")])
def test_one_call_is_enough(text: str, serial: str) -> None:
    """Smartctl is run once per drive."""
    (parts, outputs, problems), machine = asked({FIRST: printed(text)})
    assert machine.asked == [FIRST]
    assert [(part.device, part.serial) for part in parts] == [("/dev/sdq", serial)]
    assert len(outputs) == 1
    assert problems == []


def test_an_old_release_is_asked_for_the_plain_table() -> None:
    """A smartctl that refuses an option is called again without it."""
    plain = ("smartctl", "-n", "standby", "-a", "/dev/sdq")
    (parts, _, problems), machine = asked(
        {FIRST: printed("=======> INVALID ARGUMENT TO -f: old\n", 1), plain: printed(SAS)}
    )
    assert machine.asked == [FIRST, plain]
    assert parts[0].serial == "HS12K7700014A"
    assert problems == []


def test_two_zeros_are_no_temperature() -> None:
    """If smartctl's two zeros mean no temperature log, the temperature is unknown."""
    (parts, _, _), _ = asked({FIRST: printed(NO_LOG)})
    assert parts[0].temperature_celsius is None


def test_the_type_of_a_drive_behind_a_controller_is_passed_on() -> None:
    """With ``-d`` the drive is queried through its controller."""
    argv = (*FIRST[:-1], "-d", "megaraid,7", "/dev/sdq")
    (parts, _, _), machine = asked({argv: printed(SAS)}, kind="megaraid,7")
    assert machine.asked == [argv]
    assert parts[0].model == "HS1200 K10"
    assert (parts[0].device, parts[0].address) == (None, "/dev/sdq megaraid,7")


def test_a_sleeping_drive_is_left_asleep() -> None:
    """Exit status 2 with STANDBY is a note, not a failure."""
    (parts, _, problems), _ = asked({FIRST: printed(f"{BANNER}Device is in STANDBY mode, exit(2)\n", 2)})
    assert parts == []
    assert [(problem.where, problem.kind, problem.severity) for problem in problems] == [("/dev/sdq", "note", "info")]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (RunAnswer(trouble=Failure.MISSING), "no_tool"),
        (RunAnswer(trouble=Failure.DENIED), "no_right"),
        (RunAnswer(trouble=Failure.TIMEOUT, detail="60 s"), "unread"),
        (RunAnswer(trouble=Failure.UNRECORDED), "unread"),
        (RunAnswer(trouble=Failure.FAILED, detail="ssh: broken pipe"), "unread"),
        (printed("", 2), "unread"),
        (printed(f"{BANNER}Smartctl open device: /dev/sdq failed: Permission denied\n", 2), "no_right"),
        (printed(f"{BANNER}Smartctl open device: /dev/sdq failed: No such device\n", 2), "unread"),
        (printed(f"{BANNER}/dev/sdq: Unable to detect device type\n"
                 "Please specify device type with the -d option.\n", 1), "unread"),
        (printed(f"{BANNER}/dev/sdq: Unknown USB bridge [0x1234:0x5678 (0x100)]\n"
                 "Please specify device type with the -d option.\n", 1), "unread"),
    ],
)  # fmt: skip
def test_each_failure_is_a_separate_kind_of_problem(answer: RunAnswer, kind: str) -> None:
    """Not installed, not allowed, not answering and not reachable are different problems."""
    (parts, _, problems), _ = asked({FIRST: answer, ("smartctl", "-n", "standby", "-a", "/dev/sdq"): answer})
    assert parts == []
    assert [problem.kind for problem in problems] == [kind]
    assert problems[0].where == "/dev/sdq"


def test_the_exit_status_is_compared_with_the_output() -> None:
    """A failing exit-status bit without an output line is a problem."""
    (_, _, problems), _ = asked({FIRST: printed(FULL, 8)})
    assert ["exit status" in problem.message for problem in problems] == [True]
