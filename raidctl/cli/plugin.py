"""``--format nagios``: whatever goes wrong, a monitoring system gets a line and a code that it understands.

raidctl's own exit code for wrong usage is 2, which is CRITICAL there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import click


def asked(given: Sequence[str]) -> bool:
    """Whether a command line asks for that format; what follows ``--`` is not ours."""
    ours = given[: given.index("--")] if "--" in given else given
    return "--format=nagios" in ours or ("--format", "nagios") in pairwise(ours)


def unknown(error: Exception) -> int:
    """Print the line of UNKNOWN with what happened, and give its exit code."""
    from raidctl.cli.terminal import emit  # noqa: PLC0415 - rarely needed; it needs this package, too
    from raidctl.output.nagios import Status, of_error  # noqa: PLC0415 - as above

    message = error.format_message() if isinstance(error, click.ClickException) else str(error)
    emit(of_error(message or type(error).__name__))
    return Status.UNKNOWN
