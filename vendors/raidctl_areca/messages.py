"""The tool's errors as problems with a remedy."""

from __future__ import annotations

import re

from raidctl.model import Problem
from raidctl_areca.grammar import Trailer

# Documentation/scsi/arcmsr_spec.rst, "Returned data": the controller's own status codes
_EMPTY = {0x44: "no array", 0x45: "no volume set", 0x46: "no drive there"}
_PASSWORD = frozenset({0x4A, 0x4D})


def error_problem(error: Trailer, where: str) -> Problem:
    """``GuiErrMsg<0x46>: …``: any code but 0x00 is a failure, whatever the exit code."""
    code = "" if error.code is None else f" (code 0x{error.code:02x})"
    if error.code in _EMPTY:
        return Problem(
            severity="info", kind="note", where=where, message=f"The tool reports: {_EMPTY[error.code]}{code}.",
        )  # fmt: skip
    if error.code in _PASSWORD or re.search(r"password|permission|privilege", error.text, re.IGNORECASE):
        return Problem(
            severity="error", kind="no_right", where=where, message=f"The tool refused{code}: {error.text[:400]}",
            remedy="Run raidctl as root. For a change: the controller's password in /etc/raidctl/areca-password.",
        )  # fmt: skip
    return Problem(
        severity="error", kind="unread", where=where, message=f"The tool reports a failure{code}: {error.text[:400]}",
        remedy="Run the command by hand, as root, with no other instance of the tool running.",
    )  # fmt: skip
