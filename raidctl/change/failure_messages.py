"""What went wrong with a change, in sentences; and whether only a right or a program was missing."""

from __future__ import annotations

import re
import signal
from collections.abc import Collection, Sequence

from raidctl.errors import EXIT_ACCESS, ChangeUndone
from raidctl.model import Controller, Drive, Problem
from raidctl.request import Answer, Failure, Run, Write

DENIED = re.compile(r"permission denied|not permitted|must be (?:root|superuser)", re.IGNORECASE)
"""What programs say for want of a right."""


class RightMissing(ChangeUndone):
    """A change failed, and only because a right or a program is missing; what was there is there."""

    exit_code = EXIT_ACCESS

    def __init__(self, message: str, *, touched: bool) -> None:
        """``touched``: whether something was changed before, and put back."""
        super().__init__(message)
        self.touched = touched


def barred(request: Run | Write, answer: Answer, fault: str) -> bool:
    """Whether a request failed for want of a right, or of the program."""
    if answer.trouble is None:
        return DENIED.search(fault) is not None
    return answer.trouble is Failure.DENIED or (answer.trouble is Failure.MISSING and isinstance(request, Run))


def trouble_text(answer: Answer) -> str:
    """Why a request was not carried out."""
    what = {
        Failure.TIMEOUT: "did not end in time and was ended",
        Failure.DENIED: "the right to do it is missing",
        Failure.MISSING: "it is not there",
        Failure.FLOOD: "printed more than it should and was ended",
        Failure.UNRECORDED: "a recorded machine cannot be changed",
    }.get(answer.trouble or Failure.FAILED, "failed")
    return f"{what} ({answer.detail})" if answer.detail else what


def interruption(error: BaseException) -> str:
    """What came in the way of a change: a key, a signal (the command line makes an end with 128 + its number of it)."""
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted by Ctrl-C"
    if isinstance(error, SystemExit) and isinstance(error.code, int) and error.code > _SHELLS:
        number = error.code - _SHELLS
        name = next((known.name for known in signal.Signals if known == number), f"signal {number}")
        return f"it was ended by {name}"
    return "it was cut off by a fault of raidctl's own"


_SHELLS = 128
"""What is added to the number of a signal to have the exit code."""


def silent(controllers: Sequence[Controller], problems: Sequence[Problem], ids: Collection[str]) -> dict[str, str]:
    """The drives among these objects of which a program got no answer in the last look, each with what was said.

    A problem of a call stands at its command line (``hdparm -I -W /dev/sdb``), or at the node that was asked.
    """
    unread = [problem for problem in problems if (problem.kind, problem.severity) == ("unread", "error")]
    found: dict[str, str] = {}
    for drive in (drive for card in controllers for drive in card.drives if drive.id in ids):
        said = next((problem.message for problem in unread if _asked(problem, drive)), None)
        if said is not None:
            found[drive.id] = f"{drive.id} ({drive.device}) did not answer: {said.rstrip('.')}"
    return found


def _asked(problem: Problem, drive: Drive) -> bool:
    first, *rest = problem.where.split()
    return drive.device is not None and bool(rest) and not first.startswith("/") and drive.device in rest
