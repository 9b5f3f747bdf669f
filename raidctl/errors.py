"""The error classes; each has the program's exit code.

::

    RaidctlError            3
    ├── UsageError          2   the command line is invalid
    ├── CannotTell          3   something could not be read or understood
    │   ├── RecordError         a recording, or a file given to --replay, cannot be used
    │   └── BenchError          nothing could be measured, or what was to be written to is refused
    ├── UnreachableError    8   another machine cannot be reached, or has no shell for us
    ├── AccessMissing       4   a tool or a permission is missing
    ├── ChangeUndone        5   a change failed and was undone
    ├── ChangeNotUndone     6   a change failed and could not be undone, or was not confirmed
    └── UnderWay            7   begun; waits for a person or for the hardware

Their text is for the user: one sentence with the fact, then the remedy. Any other exception is a bug in raidctl.
"""

from __future__ import annotations

EXIT_FINE = 0
EXIT_NO = 1
EXIT_USAGE = 2
EXIT_CANNOT_TELL = 3
EXIT_ACCESS = 4
EXIT_UNDONE = 5
EXIT_NOT_UNDONE = 6
EXIT_UNDER_WAY = 7
EXIT_UNREACHABLE = 8
EXIT_INTERRUPTED = 130


class RaidctlError(Exception):
    """An expected failure; ``exit_code`` is the program's."""

    exit_code = EXIT_CANNOT_TELL

    @property
    def lines(self) -> tuple[str, ...]:
        """The message as lines for a terminal; one unless it lists several mistakes."""
        return (str(self),)


class UsageError(RaidctlError):
    """The command line is invalid."""

    exit_code = EXIT_USAGE


class CannotTell(RaidctlError):
    """Something could not be read or understood."""


class RecordError(CannotTell):
    """A recording, or a file given to ``--replay``, cannot be used."""


class BenchError(CannotTell):
    """A failure to measure anything, or a refused target for writes."""


class UnreachableError(RaidctlError):
    """Another machine cannot be reached: its state is unknown.

    ``passing``: it may be reachable in a moment (refused, timed out, closed), unlike one whose key has changed.
    """

    exit_code = EXIT_UNREACHABLE

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing


class AccessMissing(RaidctlError):
    """A tool or a permission is missing."""

    exit_code = EXIT_ACCESS


class ChangeUndone(RaidctlError):
    """A change failed and the previous state was restored."""

    exit_code = EXIT_UNDONE


class ChangeNotUndone(RaidctlError):
    """A failed change impossible to undo, or one not confirmed by rereading."""

    exit_code = EXIT_NOT_UNDONE


class UnderWay(RaidctlError):
    """An operation under way that waits for a person or the hardware."""

    exit_code = EXIT_UNDER_WAY
