"""The tools' error messages as problems with a remedy."""

from __future__ import annotations

import re

from msgspec import Struct

from raidctl.model import Controller, Problem, ProblemKind, Severity
from raidctl.text import counted
from raidctl.vendor.tools import NO_CONTROLLER
from raidctl_smartarray.vocabulary import NO_VALUE, normalized


class KnownError(Struct, frozen=True):
    """What an error text of the tools means."""

    code: str
    form: str
    """A regular expression, compiled at the first error, as errors are rare."""
    severity: Severity
    kind: ProblemKind
    message: str
    """``{text}`` is the tool's own sentence."""
    remedy: str | None


_ROOT = "Run raidctl as root (sudo), also on a remote machine; the tools talk to the driver."

KNOWN_ERRORS: tuple[KnownError, ...] = (
    # Error: No controllers detected. Possible causes: …
    KnownError(
        "none", r"no controllers? (?:was |were )?(?:detected|found)", "info", "note",
        NO_CONTROLLER,
        "If there is one: run as root, load its driver (hpsa, smartpqi), or use the tool of another generation.",
    ),
    # Error: The specified device does not have any logical drives.
    KnownError("empty", r"does not have any \w+", "info", "note", "{text}", None),
    # Error: Another instance of ACU is already running (possibly a service). …
    KnownError(
        "busy", r"another instance of|already running", "error", "unread",
        "The tool returned no data: another instance of it is running.",
        "Wait for the other instance to finish or stop it, then retry; a killed one can leave a semaphore (ipcs -s).",
    ),
    # Error: You need to have administrator rights to continue.
    KnownError(
        "denied", r"administrator|root (?:user|access)|must be root|privilege|permission denied|not permitted",
        "error", "no_right", "The tool requires administrator rights: {text}", _ROOT,
    ),
    # Error: The controller identified by "slot=7" was not detected.
    KnownError(
        "gone", r"was not detected|not detected|not found", "warning", "state",
        "The tool did not find the requested object: {text}",
        "List the slots: `ctrl all show`.",
    ),
    # Error: "raid=1" is not a valid option for array A
    KnownError("option", r"is not a valid option", "info", "note", "The tool's reply for a setting: {text}", None),
    # Error: Syntax error at "config"
    # Error: Invalid target syntax. "attr_value_slot_unknown" is not a valid target.
    # Error: The controller must be identified by slot, chassisname, wwn, serialnumber, or IPF information.
    KnownError(
        "syntax", r"syntax|not a valid target|must be (?:identified|specified)|unknown command",
        "error", "unread",
        "The tool rejected the command: {text}", "Use the syntax of this version of the tool.",
    ),
    # Error: This operation is not supported with the current configuration.
    KnownError(
        "unsupported", r"not supported|license key", "error", "unread", "The tool refuses: {text}",
        "Use a newer version of the tool, or the tool for this controller generation.",
    ),
)  # fmt: skip

_OTHER = KnownError("other", "", "error", "unread", "The tool reports an error: {text}", "Run the command by hand.")
_WRAPPER = KnownError(
    "missing", "", "error", "no_tool", "The tool could not be started: {text}",
    "Reinstall its package (ssacli for current controllers, hpssacli or hpacucli for old ones).",
)  # fmt: skip


def meaning(text: str, *, wrapper: bool = False) -> KnownError:
    """What an error text of the tools means.

    ``wrapper``: the text is from the shell, which did not find the program.
    """
    if wrapper:
        return _WRAPPER
    return next((error for error in KNOWN_ERRORS if re.search(error.form, text, re.IGNORECASE)), _OTHER)


def problem(error: KnownError, text: str, where: str) -> Problem:
    """The problem for an error text."""
    bare = re.sub(r"^error:?\s*", "", text, flags=re.IGNORECASE)[:400]
    return Problem(
        severity=error.severity,
        where=where,
        message=error.message.format(text=bare),
        remedy=error.remedy,
        kind=error.kind,
    )


def cache_reason(text: str) -> tuple[Severity, ProblemKind, str, str]:
    """The problem for a reason that the tool prints below the status of the cache."""
    return "warning", "state", f"The cache reports a problem: {text}", "Read the controller's diagnostic report."


def unknown_battery(controller: Controller, count: int | None) -> list[Problem]:
    """A battery that the controller counts, but whose state is unknown."""
    found = controller.batteries[0] if controller.batteries else None
    if found is None or found.status != "unknown":
        return []
    if found.status_text is None or normalized(found.status_text) in NO_VALUE:
        counts = counted(count or 1, "backup power source")
        return [Problem(
            severity="warning", kind="state", where=found.id,
            message=f"The controller counts {counts} (battery or capacitor), but reports no status.",
            remedy="Check the cable between the cache module and its battery or capacitor.",
        )]  # fmt: skip
    return [Problem(
        severity="warning", kind="unread", where=found.id,
        message=f"Unknown battery status: {found.status_text!r}.",
        remedy="Report it with `raidctl record --redact machine.tar.gz`.",
    )]  # fmt: skip
