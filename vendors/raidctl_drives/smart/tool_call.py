"""A live drive: one call of smartctl.

``smartctl -n standby -x -f old DEVICE`` reports everything in one call: the tables of ``-x`` (write cache, link
speed, SCSI's background scan and SAS ports), and a drive that sleeps is left asleep.
"""

from __future__ import annotations

from raidctl.evidence import Output
from raidctl.model import Problem, Severity
from raidctl.request import Dialogue, Failure, Run, RunAnswer, ask
from raidctl.vendor.session import death
from raidctl_drives.smart.draft import SmartDraft
from raidctl_drives.smart.text import read_text

Answered = tuple[list[SmartDraft], list[Output], list[Problem]]
"""A drive's drafts, their source outputs, and the problems of the calls."""

TIMEOUT = 60.0
"""Time limit of a call, in seconds. A drive in trouble repeats a command for half a minute and more."""
_FULL = ("smartctl", "-n", "standby", "-x", "-f", "old")
_PLAIN = ("smartctl", "-n", "standby", "-a")
_CHECK = "Run smartctl -x {} and check its output."
_COMMAND_LINE, _NOT_OPENED, _FAILING = 1, 2, 8
"""Bits of smartctl's exit status."""


def query_smartctl(device: str, *, kind: str | None = None) -> Dialogue[Answered]:
    """Ask smartctl about a drive.

    Args:
        device: The node, ``/dev/sda`` or ``/dev/nvme0n1``.
        kind: Type for smartctl's ``-d``, if the drive needs one (``sat``, ``megaraid,5``). None: smartctl finds it.

    Returns:
        The drafts (none if the drive could not be read), their outputs, and the problems of the call.
        Their name is ``smartctl:DEVICE``. What is wrong with one drive is a problem; nothing is raised.
    """
    target = (("-d", kind) if kind else ()) + (device,)
    command = _FULL + target
    answer = yield from ask(Run(command, timeout=TIMEOUT))
    if answer.fine and answer.code is not None and answer.code & _COMMAND_LINE:
        # an old release, which does not support an option
        command = _PLAIN + target
        answer = yield from ask(Run(command, timeout=TIMEOUT))
    if not answer.fine and answer.trouble is not Failure.FLOOD:
        return [], [], [_not_queried(device, answer)]
    text = answer.text if answer.text.strip() else answer.error_text
    drafts, output = read_text(" ".join(command), text, f"smartctl:{device}")
    found, problems = _of_the_drive(device, drafts, answer)
    return found, [output], problems


def _of_the_drive(device: str, drafts: list[SmartDraft], answer: RunAnswer) -> tuple[list[SmartDraft], list[Problem]]:
    """The first draft with facts, and the problems that belong to none."""
    found = [draft for draft in drafts if not draft.empty][:1]
    for draft in drafts:
        if all(draft is not one for one in found):
            draft.drop_evidence()
        elif draft.get("address") is None:
            draft.at_device(device)
    problems = [problem for draft in drafts if draft.empty for problem in draft.problems(device)]
    code = answer.code or 0
    if answer.trouble is Failure.FLOOD:
        problems.append(_problem(device, "smartctl printed more than raidctl reads; the rest is missing"))
    # no exit status of smartctl's own has this bit beside others: it ends at once then
    died = death(answer, device, "smartctl", remedy=_CHECK.format(device)) if code & _COMMAND_LINE else None
    if died is not None:
        problems.append(died)
    if not found and not problems:
        why = "could not open the drive" if code & _NOT_OPENED else "printed nothing about the drive"
        problems.append(_problem(device, f"smartctl {why} (exit status {answer.code})"))
    if found and code & _FAILING and found[0].get("status") not in ("critical", "warning"):
        problems.append(
            _problem(device, "smartctl's exit status reports a failing drive, its output does not", "warning")
        )
    return found, problems


def _problem(device: str, message: str, severity: Severity = "error") -> Problem:
    return Problem(
        severity=severity, where=device, message=f"{message}.", kind="unread", remedy=_CHECK.format(device)
    )  # fmt: skip


def _not_queried(device: str, answer: RunAnswer) -> Problem:
    if answer.trouble is Failure.MISSING:
        return Problem(
            severity="warning", where=device, message="smartctl is not installed: the drive's health is unknown.",
            remedy="Install the package smartmontools.", kind="no_tool",
        )  # fmt: skip
    if answer.trouble is Failure.DENIED:
        return Problem(
            severity="error", where=device, message="smartctl could not be run: permission denied.",
            remedy="Run raidctl as root.", kind="no_right",
        )  # fmt: skip
    why = {Failure.TIMEOUT: "timed out", Failure.UNRECORDED: "is not part of the recording"}
    reason = why.get(answer.trouble or Failure.FAILED, "could not be run")
    return _problem(device, f"smartctl {reason}{f' ({answer.detail})' if answer.detail else ''}")
