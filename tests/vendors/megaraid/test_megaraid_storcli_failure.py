"""What storcli reports as failed becomes a problem of the right kind."""

from __future__ import annotations

import pytest

from raidctl.model import Problem, ProblemKind, Severity
from tests.vendors.megaraid.storcli_controller_outputs import GOOD, HEAD, SHOW_ALL, read

MAIN = "storcli64 /c0 show all nolog"


def failed(description: str = "None", rows: str = "", number: int = 0) -> str:
    """A failed output; ``rows`` are those of ``Detailed Status``."""
    detail = f"\nDetailed Status :\n===============\n\n{rows}\n" if rows else ""
    return f"{HEAD}Controller = {number}\nStatus = Failure\nDescription = {description}\n{detail}\n"


def rows(*cells: tuple[str, str, str], column: str = "Drive") -> str:
    """A table of object, error code and message."""
    printed = [f"{name:<14} Failed {code:>5} {message:<60} " for name, code, message in cells]
    head = f"{column:<14} Status ErrCd {'ErrMsg':<60} "
    rule = "-" * len(head)
    return "\n".join((rule, head, rule, *printed, rule))


def problems_of(text: str, command: str = MAIN) -> list[Problem]:
    """The problems of an output, none of whose lines is unparsed."""
    found = read(text, command=command)
    assert found.unparsed == []
    return found.problems


def only(text: str, command: str = MAIN) -> Problem:
    """The only problem."""
    (problem,) = problems_of(text, command)
    assert problem.where == command
    return problem


def test_a_success_is_no_problem() -> None:
    """A successful output has no problem."""
    assert problems_of(SHOW_ALL) == []
    assert problems_of(GOOD) == []


@pytest.mark.parametrize(
    ("description", "severity", "kind"),
    [
        ("Controller 5 not found", "error", "unread"),
        ("No Controller found", "info", "note"),
        ("syntax error, unexpected TOKEN_UNKNOWN, expecting $end", "error", "unread"),
        ("Invalid VD number", "warning", "unread"),
        ("Incomplete foreign configuration", "warning", "state"),
        ("User does not have administrator rights", "error", "no_right"),
        ("image corrupted", "warning", "unread"),
    ],
)
def test_the_description_gives_the_problem(description: str, severity: Severity, kind: ProblemKind) -> None:
    """The tool's description gives severity and kind of the problem."""
    problem = only(failed(description))
    assert (problem.severity, problem.kind) == (severity, kind)


@pytest.mark.parametrize("description", ["No VD's have been configured.", "No drive found!", "No PDs found"])
def test_an_empty_list_is_no_problem(description: str) -> None:
    """A controller without volumes or drives is not a problem. The tool reports that as a failure."""
    assert problems_of(failed(description)) == []


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        ("255", "use /cx/cv", "note"),
        ("255", "Un-supported Command", "note"),
        ("255", "Operation not allowed.", "note"),
        ("34", "The required hardware component is not present", "note"),
        ("39", "-", "note"),
        ("59", "Incomplete foreign configuration", "state"),
        ("84", "LD cache pinned", "state"),
        ("46", "-", "state"),
        ("99", "-", "unread"),
    ],
)
def test_the_message_or_number_of_a_row_gives_the_problem(code: str, message: str, kind: ProblemKind) -> None:
    """An unsupported command is a note; the firmware's numbers are known."""
    problem = only(failed(rows=rows(("0", code, message), column="Ctrl")), "storcli64 /c0/bbu show all")
    assert problem.kind == kind
    assert f"error {code}" in problem.message


def test_a_refused_main_command_is_more_than_a_note() -> None:
    """A refused ``show all`` is unread, another refused command a note."""
    assert only(failed("Un-supported Command"), MAIN).kind == "unread"
    assert only(failed("Un-supported Command"), "storcli64 /c0 show cc").kind == "note"


def test_a_failed_row_beside_complete_data_is_a_problem() -> None:
    """The controller is read, and the failed row is a problem."""
    text = SHOW_ALL.replace("= Success", "= Failure").replace(
        "Basics :",
        f"Detailed Status :\n===============\n\n{rows(('0', '2', 'command invalid'), column='Ctrl')}\n\nBasics :",
    )
    found = read(text, command=MAIN)
    assert found.controller.get("model") == "MegaRAID 9399-8i"
    assert [problem.kind for problem in found.problems] == ["note"]


def test_rows_of_one_cause_are_one_problem() -> None:
    """Many drives with the same error are one problem with their number."""
    many = [(f"/c0/e8/s{slot}", "46", "Scsi IO failed") for slot in range(30)]
    problem = only(failed("Show Drive Information Failed.", rows(*many)))
    assert "/c0/e8/s0, /c0/e8/s1" in problem.message
    assert "and 22 more" in problem.message


def test_rows_that_succeeded_are_not_reported() -> None:
    """Only failed rows are reported."""
    mixed = rows(("/c0/e8/s1", "0", "-"), ("/c0/e8/s2", "46", "Scsi IO failed")).replace("Failed     0", "Success    0")
    assert "/c0/e8/s1" not in only(failed("None", mixed)).message


def test_a_failure_without_a_reason_is_a_problem() -> None:
    """A failure without a description is a problem."""
    assert "no reason" in only(failed()).message


def test_a_failure_names_its_controller() -> None:
    """The problem contains the controller's number."""
    assert "controller 3" in only(failed("image corrupted", number=3)).message


def test_very_many_causes_are_limited() -> None:
    """Of a thousand causes 50 are reported. The number of the others is reported too."""
    many = [(f"/c0/e8/s{slot}", "99", f"cause {slot}") for slot in range(1000)]
    problems = problems_of(failed(rows=rows(*many)))
    assert len(problems) == 51
    assert "950 more causes" in problems[-1].message
