"""Why a change failed, and whether a permission or tool was missing."""

from __future__ import annotations

import re
import signal
from collections.abc import Collection, Sequence

from raidctl.change.journal import Begin
from raidctl.errors import EXIT_ACCESS, ChangeUndone, RaidctlError
from raidctl.model import Controller, Drive, Problem
from raidctl.request import Answer, Failure, Run, RunAnswer, Write
from raidctl.text import regex
from raidctl.vendor.session import signal_of

DENIED = regex(r"permission denied|not permitted|must be (?:root|super-?user)", re.IGNORECASE)
"""Messages of tools that lack a permission."""


class RightMissing(ChangeUndone):
    """Failure of a change only because a permission or tool is missing. The previous settings are restored."""

    exit_code = EXIT_ACCESS

    def __init__(self, message: str, *, touched: bool) -> None:
        """``touched``: whether something was changed and restored."""
        super().__init__(message)
        self.touched = touched


def is_denied(request: Run | Write, answer: Answer, fault: str) -> bool:
    """Whether a request failed because a permission or the tool is missing."""
    if answer.trouble is None:
        return DENIED.search(fault) is not None
    return answer.trouble is Failure.DENIED or (answer.trouble is Failure.MISSING and isinstance(request, Run))


def has_ended(answer: Answer) -> bool:
    """Whether a command has ended, or never started. Else it hung or was killed, and may take effect later."""
    # storcli's exit code is the firmware's error number, printed with its words
    killed = isinstance(answer, RunAnswer) and signal_of(answer) is not None and not answer.out.strip()
    return not killed and answer.trouble not in (Failure.TIMEOUT, Failure.FAILED, Failure.FLOOD)


def trouble_text(answer: Answer) -> str:
    """Explain why a request was not carried out."""
    what = {
        Failure.TIMEOUT: "did not finish in time and was killed",
        Failure.DENIED: "permission denied",
        Failure.MISSING: "not found",
        Failure.FLOOD: "printed too much and was killed",
        Failure.UNRECORDED: "a recorded machine cannot be changed",
    }.get(answer.trouble or Failure.FAILED, "failed")
    return f"{what} ({answer.detail})" if answer.detail else what


def interruption(error: BaseException) -> str:
    """Describe what interrupted a change: failure, Ctrl-C, signal, or bug.

    Failures are those that raidctl expects. A signal is an exit code of 128 + its number.
    """
    if isinstance(error, RaidctlError):
        return str(error)
    if isinstance(error, KeyboardInterrupt):
        return "interrupted by Ctrl-C"
    if isinstance(error, SystemExit) and isinstance(error.code, int) and error.code > _SHELLS:
        number = error.code - _SHELLS
        name = next((known.name for known in signal.Signals if known == number), f"signal {number}")
        return f"ended by {name}"
    return "stopped by a bug in raidctl"


_SHELLS = 128
"""A shell's exit code for a signal is this plus its number."""


def what_is_undone(begin: Begin, *, undone: bool, resumed: bool) -> str:
    """Describe the state after a failed change, and how to continue.

    Args:
        begin: The beginning of the change.
        undone: Whether any step was undone.
        resumed: Whether earlier steps of the same operation are kept.
    """
    if begin.kind != "operation":
        return "The previous settings were restored and read again." if undone else "Nothing was changed."
    if resumed:
        text = f"{'The last steps were undone' if undone else 'Nothing more was done'}; the earlier steps are kept."
        return f'{text} Continue with "{begin.resume}".' if begin.resume else text
    return "What had been done was undone." if undone else "Nothing was done."


def silent(controllers: Sequence[Controller], problems: Sequence[Problem], ids: Collection[str]) -> dict[str, str]:
    """Describe drives among ``ids`` that did not respond to the last reading.

    The place of a failed call's problem is its command line (``hdparm -I -W /dev/sdb``), or the device node.
    """
    unread = [problem for problem in problems if (problem.kind, problem.severity) == ("unread", "error")]
    found: dict[str, str] = {}
    for drive in (drive for controller in controllers for drive in controller.drives if drive.id in ids):
        message = next((problem.message for problem in unread if _names_drive(problem, drive)), None)
        if message is not None:
            found[drive.id] = f"{drive.id} ({drive.device}) did not respond: {message.rstrip('.')}"
    return found


def _names_drive(problem: Problem, drive: Drive) -> bool:
    first, *rest = problem.where.split()
    return drive.device is not None and bool(rest) and not first.startswith("/") and drive.device in rest
