"""Errors in the formats ``--format nagios`` and ``--json``, for programs.

raidctl's own exit code for wrong usage, 2, would be CRITICAL for Nagios.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import click

from raidctl.cli.shared.reader_gone import EXIT_READER_GONE, ReaderGoneError
from raidctl.errors import CannotTell
from raidctl.text import collapse, printable


def _ours(given: Sequence[str]) -> Sequence[str]:
    return given[: given.index("--")] if "--" in given else given


def for_programs(error: Exception, code: int, given: Sequence[str], *, printed: bool) -> int:
    """Print an error in the format that the command line asks for, and return the exit code.

    Without such a format, nothing is printed. An error that cannot be printed keeps its exit code.

    Args:
        error: The error; it was printed on standard error.
        code: The exit code of the error.
        given: The words of the command line.
        printed: Whether something is on standard output already, after which there can be no JSON.
    """
    nagios = _wants_nagios(given)
    try:
        if nagios:
            return _unknown(error)
        if json_requested(given) and not printed:
            _emit_error(error, code)
    except ReaderGoneError:
        return EXIT_READER_GONE
    except CannotTell as unwritten:
        return unwritten.exit_code if nagios else code  # 3 is UNKNOWN for Nagios, too
    return code


def json_requested(given: Sequence[str]) -> bool:
    """Return whether a command line asks for JSON."""
    return "--json" in _ours(given)


def _emit_error(error: Exception, code: int) -> None:
    """Print an error as a JSON document."""
    from raidctl.cli.shared.terminal import emit_json  # noqa: PLC0415 - rarely needed

    emit_json({"error": _sentence(error), "exit_code": code})


def _sentence(error: Exception) -> str:
    if isinstance(error, click.Abort):
        return "interrupted"
    if isinstance(
        error, getattr(click.exceptions, "NoArgsIsHelpError", ())
    ):  # since click 8.2; its message is the help
        return "Missing command."
    text = error.format_message() if isinstance(error, click.ClickException) else str(error)
    return collapse(printable(text)) or type(error).__name__


def _wants_nagios(given: Sequence[str]) -> bool:
    """Return whether a command line asks for the Nagios format. Words after ``--`` are not raidctl's."""
    ours = _ours(given)
    return "--format=nagios" in ours or ("--format", "nagios") in pairwise(ours)


def _unknown(error: Exception) -> int:
    """Print the UNKNOWN line with the error, and return its exit code."""
    from raidctl.cli.shared.terminal import emit  # noqa: PLC0415 - rarely needed
    from raidctl.output.nagios import Status, of_error  # noqa: PLC0415 - as above

    emit(of_error(_sentence(error)))
    return Status.UNKNOWN
