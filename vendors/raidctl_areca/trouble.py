"""What the tool's status words tell of trouble, and its errors, as problems with a remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable

from raidctl.model import Controller, Problem
from raidctl_areca.grammar import Trailer

# Documentation/scsi/arcmsr_spec.rst, "Returned data": the card's own status codes
_EMPTY = {0x44: "no RAID set", 0x45: "no volume set", 0x46: "no drive there"}
_PASSWORD = frozenset({0x4A, 0x4D})


def state_problems(controller: Controller) -> Iterable[Problem]:
    """Degraded RAID sets and volumes, failed drives, a battery that is not good."""
    for battery in controller.batteries:
        if battery.status not in {"ok", "missing", "unknown"}:
            remedy = "Wait until it is charged; replace it when it stays so."
            told = battery.status_text or battery.status
            yield _state(battery.id, f"The {battery.kind} is {battery.status}: {told}.", remedy)
    for array in controller.arrays:
        if array.status in {"warning", "critical"}:
            yield _state(array.id, f"The RAID set is {array.status_text}.", "Look at its drives.")
    for volume in controller.volumes:
        if volume.status in {"degraded", "failed", "offline", "rebuilding"}:
            yield _state(volume.id, f"The volume is {volume.status}: {volume.status_text}.", "Look at its drives.")
    for drive in controller.drives:
        if drive.status in {"warning", "critical"}:
            remedy = "Replace the drive; let the rebuild finish before the next one."
            yield _state(drive.id, f"The drive's state is {drive.status_text}.", remedy)
    if any(volume.cache is not None and volume.cache.drive_write_cache == "enabled" for volume in controller.volumes):
        yield _state(
            controller.id,
            "The drives' own write caches are on: what they hold is lost when the power fails, whatever backs the "
            "controller's cache.",
            "Set Disk Write Cache Mode to Disabled, unless the server's power cannot fail.",
        )


def error_problem(error: Trailer, where: str) -> Problem:
    """``GuiErrMsg<0x46>: …``: any code but 0x00 is a failure, whatever the exit code."""
    code = "" if error.code is None else f" (code 0x{error.code:02x})"
    if error.code in _EMPTY:
        return Problem(
            severity="info", kind="note", where=where, message=f"The tool says: {_EMPTY[error.code]}{code}.",
        )  # fmt: skip
    if error.code in _PASSWORD or re.search(r"password|permission|privilege", error.text, re.IGNORECASE):
        return Problem(
            severity="error", kind="no_right", where=where, message=f"The tool refuses{code}: {error.text[:400]}",
            remedy="Run raidctl as root; raidctl never enters the card's password.",
        )  # fmt: skip
    return Problem(
        severity="error", kind="unread", where=where, message=f"The tool reports a failure{code}: {error.text[:400]}",
        remedy="Run the command by hand, as root, with no other instance of the tool running.",
    )  # fmt: skip


def _state(where: str, message: str, remedy: str) -> Problem:
    return Problem(severity="warning", kind="state", where=where, message=message, remedy=remedy)
