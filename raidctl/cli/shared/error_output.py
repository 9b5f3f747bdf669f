"""Errors in the formats ``--format nagios`` and ``--json``, for programs.

raidctl's own exit code for wrong usage, 2, would be CRITICAL for Nagios.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import click

from raidctl.text import collapse, printable


def _ours(given: Sequence[str]) -> Sequence[str]:
    return given[: given.index("--")] if "--" in given else given


def json_asked(given: Sequence[str]) -> bool:
    """Return whether a command line asks for JSON."""
    return "--json" in _ours(given)


def emit_error(error: Exception, code: int) -> None:
    """Print an error as a JSON document."""
    from raidctl.cli.shared.terminal import emit_json  # noqa: PLC0415 - rarely needed; it needs this package, too

    emit_json({"error": _sentence(error), "exit_code": code})


def _sentence(error: Exception) -> str:
    if isinstance(error, click.Abort):
        return "interrupted"
    text = error.format_message() if isinstance(error, click.ClickException) else str(error)
    return collapse(printable(text)) or type(error).__name__


def wants_nagios(given: Sequence[str]) -> bool:
    """Return whether a command line asks for the Nagios format. Words after ``--`` are not raidctl's."""
    ours = _ours(given)
    return "--format=nagios" in ours or ("--format", "nagios") in pairwise(ours)


def unknown(error: Exception) -> int:
    """Print the UNKNOWN line with the error, and return its exit code."""
    from raidctl.cli.shared.terminal import emit  # noqa: PLC0415 - rarely needed; it needs this package, too
    from raidctl.output.nagios import Status, of_error  # noqa: PLC0415 - as above

    emit(of_error(_sentence(error)))
    return Status.UNKNOWN
