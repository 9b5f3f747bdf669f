"""Problems of an inventory, and what they mean for the reading: whether a detail or an object may be missing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Literal

from raidctl.described import doc
from raidctl.model.block_layer import Model
from raidctl.text import regex

Severity = Literal["info", "warning", "error"]
ProblemKind = Literal["note", "state", "unread", "no_tool", "no_right"]
ASK_OWN_TOOL = "Ask the controller's own tool."
"""The remedy if a source does not report a value that the controller's own tool does."""
_NUMBER = regex(r"/c(\d+)\b", re.ASCII)
"""The number of a controller in a command line."""
UNREAD_KINDS: frozenset[ProblemKind] = frozenset({"unread", "no_tool", "no_right"})
"""Kinds of problems with the reading itself: something was not queried, or not understood."""


class Problem(Model, frozen=True):
    """Something unreadable, missing, or reported by a tool."""

    severity: Annotated[Severity, doc("`error`: something is not shown; `warning`: check it; `info`: for information.")]
    where: Annotated[str, doc("The object, command or file concerned.")]
    message: Annotated[str, doc("What happened, one sentence.")]
    remedy: Annotated[str | None, doc("What to do; null: nothing.")] = None
    kind: Annotated[
        ProblemKind,
        doc(
            "`note`: exit code stays 0; `state`: the hardware or its tool reports a problem, exit code 0; "
            "`unread`: could not be read or understood, exit code 3; `no_tool`, `no_right`: exit code 4."
        ),
    ] = "note"


def unread_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems with the reading, those that only lack a detail included."""
    return tuple(one for one in problems if one.kind in UNREAD_KINDS)


def hides(problem: Problem) -> bool:
    """Whether a problem may hide objects.

    Examples are output that could not be read and a controller that could not be queried.

    A missing tool that only adds details of plain drives hides none: its fields are null.
    """
    return problem.kind == "unread" or (problem.kind in ("no_tool", "no_right") and problem.severity == "error")


def program_of(where: str) -> str:
    """The tool of a command line, as in a problem's ``where``."""
    return where.split(" ", 1)[0].rpartition("/")[2]


def is_command_for(where: str, tool: str | None, identifier: str) -> bool:
    """Whether a problem's place is a command of the tool that reported a controller, and not only for another one."""
    number = _NUMBER.search(where)
    mine = number is None or identifier.endswith(f":{number[1]}")
    return tool is not None and program_of(where) == tool and mine


def hiding_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that may hide objects. A list made of such an inventory may lack some."""
    return tuple(one for one in problems if hides(one))


def state_problems(problems: Iterable[Problem], *names: str) -> tuple[Problem, ...]:
    """The faults that tools report of these objects. Information is left out."""
    return tuple(one for one in problems if one.kind == "state" and one.severity != "info" and one.where in names)


def failed_readings(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The errors among the problems that may hide objects. A tool failed, is missing, or may not be run."""
    return tuple(one for one in hiding_problems(problems) if one.severity == "error")
