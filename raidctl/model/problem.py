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
_CONTROLLER = regex(r"/c(\d+)\b", re.ASCII)
"""A controller in a command line: ``storcli64 /c1 show``."""
_NUMBER = regex(r"(?<!\d)\d+\b", re.ASCII)
"""A number that may be a controller's: ``arcconf getconfig 1``, ``ssacli ctrl slot=1 show``, ``megacli -a1``."""
ACCESS_KINDS: frozenset[ProblemKind] = frozenset({"no_tool", "no_right"})
"""Kinds of problems for which a tool or a permission is missing."""
UNREAD_KINDS: frozenset[ProblemKind] = ACCESS_KINDS | {"unread"}
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
    return problem.kind == "unread" or (problem.kind in ACCESS_KINDS and problem.severity == "error")


def program_of(where: str) -> str:
    """The tool of a command line, as in a problem's ``where``."""
    return where.split(" ", 1)[0].rpartition("/")[2]


def is_command_for(where: str, tool: str | None, identifier: str, controllers: Iterable[str]) -> bool:
    """Whether a problem's place is a command of the tool that reported a controller, and not only for another one.

    ``controllers``: the ids of all controllers that this tool reported.
    """
    return tool is not None and program_of(where) == tool and not names_another(where, identifier, controllers)


def names_another(command: str, identifier: str, controllers: Iterable[str]) -> bool:
    """Whether a command line has the number of another controller, and not this one's.

    A number that may mean something else counts only if one of ``controllers``, which the same tool reports, has it.
    A controller whose id has no number may be meant by any.
    """
    own = _number(identifier)
    if not own:
        return False
    named = _CONTROLLER.search(command)
    if named is not None:
        return named[1] != own
    numbers = {number for word in command.split()[1:] for number in _NUMBER.findall(word)}
    return own not in numbers and not numbers.isdisjoint(map(_number, controllers))


def _number(identifier: str) -> str:
    """The number in the id of a controller: ``1`` of ``megaraid:1``. Empty if it has none."""
    found = identifier.rpartition(":")[2]
    return found if found.isdecimal() else ""


def hiding_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that may hide objects. A list made of such an inventory may lack some."""
    return tuple(one for one in problems if hides(one))


def state_problems(problems: Iterable[Problem], *names: str) -> tuple[Problem, ...]:
    """The faults that tools report of these objects. Information is left out."""
    return tuple(one for one in problems if one.kind == "state" and one.severity != "info" and one.where in names)


def failed_readings(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The errors among the problems that may hide objects. A tool failed, is missing, or may not be run."""
    return tuple(one for one in hiding_problems(problems) if one.severity == "error")
