"""MegaCli's failures: its sentences, the firmware's reason, exit codes."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import Problem
from raidctl.text import collapse, regex
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.megacli.labels import LABELS
from raidctl_megaraid.vocabulary import normalized

NO_HARDWARE = 0x22
CODES: dict[int, str] = {
    0x02: "invalid controller command", 0x03: "invalid parameter", 0x0C: "no such device",
    0x15: "the cache could not be flushed", 0x17: "a consistency check is under way",
    0x1B: "the virtual drive is not optimal", 0x1C: "a rebuild is under way",
    0x1D: "a reconstruction is under way", 0x1E: "wrong RAID level", NO_HARDWARE: "the hardware is not there",
    0x23: "not found", 0x27: "patrol read is disabled", 0x30: "a flush failed", 0x32: "not possible in this state",
    0x33: "the virtual drive is offline",
    0x3E: "scheduled consistency checks are off", 0x3F: "a copyback is under way",
    0x54: "the cache holds preserved data", 0x55: "already under way",
    0x67: "the configuration has changed meanwhile", 0x73: "an earlier flush is still active", 0xFF: "no answer",
}  # fmt: skip
"""The firmware's status codes, passed on as the tool's exit code. Code 1 is also for the tool's failures."""

# Adapter 0: Virtual Drive 5 Does not Exist.
_ADAPTER = regex(r"Adapter\s*:?\s*(\d{1,3})\s*[:-]", re.IGNORECASE | re.ASCII)
# Adapter 0: Get BBU Status Failed.
_BATTERY = regex(r"\bget bbu\b.{0,40}\bfail|bbu .{0,40}(?:failed|not (?:present|found|supported))", re.IGNORECASE)
# The required hardware component is not present.
_NOT_THERE = regex(
    r"required hardware component is not present|battery is not present|bbu is not present|no bbu\b", re.IGNORECASE
)
_PINNED = regex(r"(?:data|cache).{0,60}(?:pinned|preserved|offline or missing virtual)", re.IGNORECASE)
# ./libstorelib.so: cannot open shared object file: No such file or directory
_LIBRARY = regex(r"cannot open shared object|error while loading shared libraries|symbol lookup error", re.IGNORECASE)
# You must be root
_RIGHTS = regex(r"permission denied|must be (?:run as )?root|operation not permitted|root privilege", re.IGNORECASE)
_MISSING = regex(r"command not found|no such file or directory", re.IGNORECASE)
# User specified controller is not present.
_NO_CONTROLLER = regex(
    r"user specified (?:controller|adapter) is not present|could not detect controller|no adapters? (?:found|present)|"
    r"failed to get (?:cp)?controller ?object",
    re.IGNORECASE,
)
# Virtual Drive 5 Does not Exist.
_DEVICE = regex(r"device.{0,30}(?:is )?not found|is not a valid|does not exist", re.IGNORECASE)
_FAILED = regex(
    r"\bfail(?:ed|ure|s)?\b|^(?:fatal )?error\b|\berror ?:|\binvalid\b(?! dword)|"
    r"\bnot (?:found|present|supported|possible|allowed|"
    r"available|valid|permitted)\b|\bwrong\b|\bcould not\b|\bcannot\b|\bunable\b|\bunsupported\b|\bdenied\b|"
    r"\billegal\b",
    re.IGNORECASE,
)
_SETS = regex(r"\bset\b|\bclear|\bdelete|\bcreate|\bdiscard|\bimport|\bstart|\bstop|\babort|\bsilence", re.IGNORECASE)
# FW error description:
_FIRMWARE = regex(r"FW error description\s*:?\s*(.{0,300})", re.IGNORECASE)
_LONGEST = 300
_LABELS = (
    *(label for labels in LABELS.values() for label in labels),
    "pack is about to fail & should be replaced", "security key failed",
)  # fmt: skip
_SHORTEST_CUT = 8


class Failure(Struct):
    """One failure: the tool's sentence, and the firmware's reason behind it."""

    text: str
    line: Line
    adapter: str | None
    reason: str = ""


def in_words(code: int, printed: str) -> str:
    """An exit code with its meaning and what the tool printed: ``Exit code 0x0c (no such device): …``."""
    meaning = CODES.get(code)
    return f"Exit code {code:#04x}{f' ({meaning})' if meaning else ''}{f': {printed}' if printed else ''}"


def failures(lines: list[tuple[str | None, Line]]) -> list[Failure]:
    """The failures among lines that are not other sentences."""
    found: list[Failure] = []
    waiting = False
    for adapter, line in lines:
        text = collapse(line.text[: _LONGEST * 2])
        described = _FIRMWARE.fullmatch(text)
        if described or waiting:
            # FW error description:
            #  The required hardware component is not present.
            mark_read(line)
            reason = described[1] if described else text
            waiting = not reason
            if reason:
                _reason(found, reason, line, adapter)
        elif _is_failure(text):
            mark_read(line)
            match = _ADAPTER.match(text)
            found.append(Failure(text, line, str(int(match[1])) if match else adapter))
    return found


def _is_failure(text: str) -> bool:
    """Whether a line is an error of the tool or the shell."""
    if len(text) > _LONGEST:
        return False
    forms = (_LIBRARY, _RIGHTS, _MISSING, _NO_CONTROLLER, _DEVICE, _BATTERY)
    short = len(text.split()) <= 30 and _FAILED.search(text) is not None
    return (short or any(form.search(text) for form in forms)) and not _is_cut_label(text)


def _is_cut_label(text: str) -> bool:
    """Whether a text ends in the middle of a label: ``Pack is about to fail & should``, ``Predictive Failure Cou``."""
    key = normalized(text)
    return len(key) >= _SHORTEST_CUT and any(label.startswith(key) for label in _LABELS)


def _reason(found: list[Failure], reason: str, line: Line, adapter: str | None) -> None:
    if found and not found[-1].reason:
        found[-1].reason = reason
    else:
        found.append(Failure("The firmware refused.", line, adapter, reason))


def problems(
    found: list[Failure], code: int | None, controller_of: Callable[[str | None], ControllerDraft], output: Output
) -> list[Problem]:
    """Turn failures into problems. An absent battery and a pinned cache are facts about the controller."""
    made = []
    for failure in found:
        printed = f"{failure.text} {failure.reason}"
        if _BATTERY.search(failure.text):
            controller = controller_of(failure.adapter)
            if _NOT_THERE.search(printed) or code == NO_HARDWARE:
                controller.put(failure.line, "bbu_present", value=False)
                continue
        elif _PINNED.search(printed):
            controller_of(failure.adapter).put(failure.line, "cache.preserved_data", value=True)
        made.append(_problem(failure, code, output.command))
    return made


def _problem(failure: Failure, code: int | None, where: str) -> Problem:
    text = failure.text
    printed = f"{text.rstrip('.')}: {failure.reason}" if failure.reason else text
    meaning = CODES.get(code or 0)
    if meaning and not failure.reason:
        printed = f"{printed.rstrip('.')} (exit code {code:#04x}: {meaning})."
    if _LIBRARY.search(text):
        return Problem(
            severity="error", kind="no_tool", where=where, message=f"The tool could not start: {printed}",
            remedy="Install the library that it names, or the vendor's complete package.",
        )  # fmt: skip
    if _RIGHTS.search(text):
        return Problem(
            severity="error", kind="no_right", where=where, message=f"Permission to run the tool was denied: {printed}",
            remedy="Run it as root.",
        )  # fmt: skip
    if _MISSING.search(text):
        return Problem(
            severity="error", kind="no_tool", where=where, message=f"The tool was not found: {printed}",
            remedy="Install MegaCli, or give its path.",
        )  # fmt: skip
    if (_SETS.search(text) or _PINNED.search(printed)) and not _BATTERY.search(text):
        return Problem(
            severity="warning", kind="state", where=where, message=f"A command failed: {printed}",
            remedy="Nothing was changed; see the tool's message.",
        )  # fmt: skip
    return Problem(
        severity="error", kind="unread", where=where, message=f"The tool reports: {printed}",
        remedy="Run the command by hand, as root.",
    )  # fmt: skip


def ended_with_code(code: int, where: str) -> Problem:
    """The problem of a command that ended with only a code."""
    meaning = CODES.get(code)
    return Problem(
        severity="warning", kind="unread", where=where,
        message=f"The tool ended with exit code {code:#04x}{f': {meaning}' if meaning else ''}; "
        "its output may be incomplete.",
        remedy="Run the command by hand, as root.",
    )  # fmt: skip


def no_controller(where: str) -> Problem:
    """The problem of ``Controller Count: 0.``."""
    return Problem(
        severity="warning", kind="unread", where=where,
        message="The tool counts no controllers: none is supported, or it was not run as root.",
        remedy="Run it as root.",
    )  # fmt: skip


def empty_output(where: str) -> Problem:
    """The problem of an output that is nothing but ``Exit Code: 0x00``."""
    return Problem(
        severity="error", kind="unread", where=where,
        message="The tool printed nothing: it was not run as root, or no controller is supported.",
        remedy="Run it as root.",
    )  # fmt: skip
