from __future__ import annotations

import pytest

from raidctl.model import Problem, ProblemKind, Severity
from tests.vendors.megaraid.megaraid_card_texts import GOOD, HEAD, SHOW_ALL, read

MAIN = "storcli64 /c0 show all nolog"


def failed(description: str = "None", rows: str = "", number: int = 0) -> str:
    """An answer that failed; ``rows`` are those of ``Detailed Status``."""
    detail = f"\nDetailed Status :\n===============\n\n{rows}\n" if rows else ""
    return f"{HEAD}Controller = {number}\nStatus = Failure\nDescription = {description}\n{detail}\n"


def rows(*cells: tuple[str, str, str], column: str = "Drive") -> str:
    """A table of object, error code and message."""
    printed = [f"{name:<14} Failed {code:>5} {message:<60} " for name, code, message in cells]
    head = f"{column:<14} Status ErrCd {'ErrMsg':<60} "
    rule = "-" * len(head)
    return "\n".join((rule, head, rule, *printed, rule))


def told(text: str, command: str = MAIN) -> list[Problem]:
    """The problems of an output; none of its lines is left over."""
    found = read(text, command=command)
    assert found.unparsed == []
    return found.problems


def only(text: str, command: str = MAIN) -> Problem:
    """The only problem."""
    (problem,) = told(text, command)
    assert problem.where == command
    return problem


def test_megaraid_failure_success_is_no_problem() -> None:
    """A good answer has none."""
    assert told(SHOW_ALL) == []
    assert told(GOOD) == []


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
def test_megaraid_failure_description_is_judged(description: str, severity: Severity, kind: ProblemKind) -> None:
    """What the tool says decides how bad it is; its sentence is in the message or was understood."""
    problem = only(failed(description))
    assert (problem.severity, problem.kind) == (severity, kind)


@pytest.mark.parametrize("description", ["No VD's have been configured.", "No drive found!", "No PDs found"])
def test_megaraid_failure_nothing_there_is_an_answer(description: str) -> None:
    """A card without volumes or drives is no trouble."""
    assert told(failed(description)) == []


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
def test_megaraid_failure_row_is_judged_by_its_words_or_its_number(code: str, message: str, kind: ProblemKind) -> None:
    """A question that the card has no answer to is a note; the firmware's numbers are known."""
    problem = only(failed(rows=rows(("0", code, message), column="Ctrl")), "storcli64 /c0/bbu show all")
    assert problem.kind == kind
    assert f"error {code}" in problem.message


def test_megaraid_failure_main_question_without_an_answer_is_not_a_note() -> None:
    """Where the inventory itself is refused, something is not shown."""
    assert only(failed("Un-supported Command"), MAIN).kind == "unread"
    assert only(failed("Un-supported Command"), "storcli64 /c0 show cc").kind == "note"


def test_megaraid_failure_with_complete_data_tells_what_failed() -> None:
    """Data and a failed row are both told: the card is read, the row is a problem."""
    text = SHOW_ALL.replace("= Success", "= Failure").replace(
        "Basics :",
        f"Detailed Status :\n===============\n\n{rows(('0', '2', 'command invalid'), column='Ctrl')}\n\nBasics :",
    )
    found = read(text, command=MAIN)
    assert found.controller.get("model") == "MegaRAID 9399-8i"
    assert [problem.kind for problem in found.problems] == ["note"]


def test_megaraid_failure_rows_of_one_cause_are_one_problem() -> None:
    """Many drives with one error are told together, the first by name."""
    many = [(f"/c0/e8/s{slot}", "46", "Scsi IO failed") for slot in range(30)]
    problem = only(failed("Show Drive Information Failed.", rows(*many)))
    assert "/c0/e8/s0, /c0/e8/s1" in problem.message
    assert "and 22 more" in problem.message


def test_megaraid_failure_one_bad_row_among_good_ones_is_told_alone() -> None:
    """Rows that succeeded are no problem."""
    mixed = rows(("/c0/e8/s1", "0", "-"), ("/c0/e8/s2", "46", "Scsi IO failed")).replace("Failed     0", "Success    0")
    assert "/c0/e8/s1" not in only(failed("None", mixed)).message


def test_megaraid_failure_without_a_reason_is_still_one() -> None:
    """A failure that says nothing is told."""
    assert "no reason" in only(failed()).message


def test_megaraid_failure_names_the_controller() -> None:
    """An answer for one of several cards names it."""
    assert "controller 3" in only(failed("image corrupted", number=3)).message


def test_megaraid_failure_with_very_many_causes_is_cut_off_and_says_so() -> None:
    """Rubbish with a thousand messages does not flood the screen."""
    many = [(f"/c0/e8/s{slot}", "99", f"cause {slot}") for slot in range(1000)]
    problems = told(failed(rows=rows(*many)))
    assert len(problems) == 51
    assert "950 more causes" in problems[-1].message
