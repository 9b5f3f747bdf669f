"""Problems in the tool's status words and error messages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidctl.model import Controller, Problem
from raidctl.text import regex
from raidctl.vendor.tools import NO_CONTROLLER
from raidctl_adaptec.draft import ControllerDraft
from raidctl_adaptec.grammar import plain
from raidctl_adaptec.outline import Answer

_COUNTS = regex(r"(\d{1,5})/(\d{1,5})/(\d{1,5})", re.ASCII)

_UNHEALTHY = frozenset({"failed", "offline", "inactive", "degraded", "rebuilding", "unknown"})
"""Volume states that the controller may count as failed or degraded."""


def counts(found: Controller, controller: ControllerDraft) -> Iterator[Problem]:
    """``Logical devices/Failed/Degraded : 2/0/1`` and ``Defunct disk drive count : 1`` against what is listed."""
    match = _COUNTS.fullmatch((controller.get("count.logical") or "").strip())
    listed = len(found.volumes)
    if match and "logical" in controller.sections and listed < int(match[1]):
        # A complete output may lack one as well. What that is, and which drives it uses, is unknown.
        yield Problem(
            severity="warning", kind="unread", where=found.id,
            message=f"The controller counts {match[1]} logical devices, but {listed} of them were read.",
            remedy="Ask for them with `arcconf getconfig N LD`.",
        )  # fmt: skip
    bad = sum(volume.status in _UNHEALTHY for volume in found.volumes)
    if match and int(match[2]) + int(match[3]) > bad:
        more = f", of which {bad} are listed" if "logical" in controller.sections else ""
        yield Problem(
            severity="error", kind="state", where=found.id,
            message=f"The controller counts {match[2]} failed and {match[3]} degraded logical devices{more}.",
            remedy="List them with `arcconf getconfig N LD`.",
        )  # fmt: skip
    defunct = (controller.get("count.defunct") or "").strip()
    gone = sum(drive.status == "critical" for drive in found.drives)
    if defunct.isdecimal() and len(defunct) < 6 and int(defunct) > gone:
        more = "" if not gone else f", of which {gone} are listed"
        yield Problem(
            severity="warning", kind="state", where=found.id,
            message=f"The controller's count of defunct drives is {int(defunct)}{more}.",
            remedy="Look for a drive that was pulled, or a bay that is dark.",
        )  # fmt: skip


def problems_of_messages(answer: Answer) -> Iterator[Problem]:
    """The problems that an output reports. Causes are a missing controller, a wrong number, or an aborted command."""
    where = answer.output.command
    explained = False
    for message in answer.messages:
        text = plain(message.line.text)[:300]
        if message.kind in {"none", "number"}:
            explained = True
            yield Problem(
                severity="info", kind="note", where=where,
                message=NO_CONTROLLER if message.kind == "none" else f"The tool reports: {text}",
                remedy="If there is one: run as root, and use a version of the tool that supports the controller.",
            )  # fmt: skip
        elif message.kind == "error":
            explained = True
            denied = re.search(r"denied|root|super ?user|privilege", text, re.IGNORECASE)
            yield Problem(
                severity="error", kind="no_right" if denied else "unread", where=where,
                message=f"The tool reports: {text}",
                remedy="Run raidctl as root (sudo)." if denied else "Run the command by hand.",
            )  # fmt: skip
        else:
            explained = True
    if answer.found == 0 and not any(message.kind == "none" for message in answer.messages):
        explained = True
        yield Problem(
            severity="info", kind="note", where=where, message=NO_CONTROLLER,
            remedy="If there is one: run as root, and use a version of the tool that supports the controller.",
        )  # fmt: skip
    if answer.trailer is not None and not answer.trailer.startswith("completed") and not explained:
        yield Problem(
            severity="error", kind="unread", where=where,
            message=f"The tool reports: Command {answer.trailer}.",
            remedy="Run the command by hand; another instance of the tool may be running.",
        )  # fmt: skip
