"""The failures that storcli and its relatives report.

Neither the exit code nor ``Status`` decides: a failure can carry complete data (one bad drive among fourteen makes the
command fail with 46), and what one controller does not support is not a problem when another was meant. Each row of
``Detailed Status`` is judged on its own; the numbers are the firmware's status codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from raidctl.model import Problem, ProblemKind, Severity
from raidctl.text import collapse, counted, regex
from raidctl.vendor.tools import NO_CONTROLLER
from raidctl_megaraid.storcli.controller_words import word
from raidctl_megaraid.storcli.outline import Answer, Row

_MAX_OBJECTS = 8
_MAX_CAUSES = 50
_LONGEST = 300
_JUDGED = 1000
"""Characters of a sentence that are examined. The tools' own are shorter than a line."""


class KnownError(NamedTuple):
    """What a failure means."""

    form: re.Pattern[str]
    codes: frozenset[int]
    severity: Severity
    kind: ProblemKind
    message: str
    """``{text}`` is the tool's own sentence."""
    remedy: str | None = None


def _known(  # noqa: PLR0917 - the columns of the table below
    form: str, codes: tuple[int, ...], severity: Severity, kind: ProblemKind, message: str, remedy: str | None = None
) -> KnownError:
    return KnownError(regex(form, re.IGNORECASE), frozenset(codes), severity, kind, message, remedy)


_EMPTY = regex(
    r"no (?:vds?|(?:virtual |physical )?drives?|pds?|enclosures?|jbods?|foreign \w+|events?|drive groups?|dgs?)"
    r"(?:'s)?\b.*|(?:drives|vds|pds|enclosures|virtual drives) not found"
    r"|(?:could ?n[o']?t|cannot) find any foreign config.*|.*\bno data (?:available|found)|.*have been configured",
    re.IGNORECASE,
)
"""``No VDs have been configured``, ``No drive found!``: an answer, not a failure."""

_OTHER_TOOL = (
    "Run as root. Use perccli for a Dell PERC, storcli2 or perccli2 for a controller on the mpi3mr driver, "
    "MegaCli for a controller of the first generation."
)
_OPTIONAL = "The tool does not support one of the queries: {text}"

KNOWN_ERRORS: tuple[KnownError, ...] = (
    # Description = No Controller found
    _known(r"^no controllers?\b", (), "info", "note", NO_CONTROLLER, _OTHER_TOOL),
    # Description = Controller 5 not found
    _known(
        r"controller\b.*\bnot found|invalid controller", (), "error", "unread",
        "The tool does not find the requested object: {text}", _OTHER_TOOL,
    ),
    # Description = syntax error, unexpected TOKEN_WRITE_CACHE, expecting $end
    _known(
        r"syntax error|unexpected token|invalid (?:option|argument|syntax)|incomplete command|unknown command", (),
        "error", "unread", "The tool did not accept the command: {text}",
        "Use the syntax of this version of the tool.",
    ),
    _known(
        r"permission|privilege|administrator|super ?user|\broot\b|access (?:is )?denied", (), "error", "no_right",
        "The tool needs more privileges: {text}", "Run raidctl as root (sudo).",
    ),
    # ErrMsg use /cx/cv, ErrCd 255: the controller has a CacheVault in place of a battery
    _known(r"^use /c", (), "info", "note", "The query applies to another kind of battery: {text}"),
    # ErrCd 34: The required hardware component is not present.
    _known(
        r"\babsent\b|not present|(?:battery|bbu|cache ?vault|cv|pack|alarm) do(?:es)? ?n[o']t exist"
        r"|no (?:battery|cache ?vault)|hardware .*(?:missing|not)",
        (34,), "info", "note", "The controller does not have the requested component: {text}",
    ),
    _known(
        r"un-?supported|not supported|command invalid|invalid (?:d?cmd|command|dcmd)|not allowed|not applicable"
        r"|not permitted in", (1, 2), "info", "note", _OPTIONAL,
    ),
    _known(r"^\b$", (39, 62, 96), "info", "note", _OPTIONAL),
    # ErrMsg Incomplete foreign configuration, ErrCd 59
    _known(
        r"incomplete foreign", (59,), "warning", "state", "A foreign configuration is incomplete: {text}",
        "Insert the missing drives, then import the configuration, or clear it.",
    ),
    _known(
        r"pinned|preserved cache|offline vd", (84,), "warning", "state",
        "The controller has preserved cache of an offline volume: {text}",
        "Reconnect the volume's drives; discarding the cache loses data.",
    ),
    _known(
        r"scsi .*(?:fail|error)|i/?o (?:has )?failed|device.*not (?:responding|available)", (45, 46), "warning",
        "state", "A drive did not respond correctly: {text}", "Check the drives' error counters and cables.",
    ),
    # ErrMsg Invalid VD number, ErrCd 255
    _known(
        r"invalid \w+ (?:number|id)|not found|not exist", (12, 35), "warning", "unread",
        "The tool does not find the requested object: {text}",
    ),
)  # fmt: skip
_OTHER = _known("", (), "warning", "unread", "The tool reports a failure: {text}", "Run the command by hand.")

_MAIN = regex(r"\s/c\w+(?:\s?/[vdes]\w+)*\s+show(?:\s+all)?(?:\s+(?:nolog|noaso|j|page=\d+))*\s*", re.IGNORECASE)
"""Commands that print the inventory itself. Others query what a controller may lack."""

_SUCCESS = frozenset({"success", "ok", "succeeded", "successful", "passed"})
_NO_CODE = frozenset({"", "-", "0", "00", "none", "n/a", "0x0", "0x00"})
_PLAIN_COLUMNS = frozenset({
    "status", "errcd", "errmsg", "errtype", "property", "value", "ctrl", "ctl", "controller", "description",
    "operation",
})  # fmt: skip


def failures(answer: Answer, command: str) -> list[Problem]:
    """The failures in the output of a command, each cause once.

    An empty list if nothing failed. A query that the controller or the tool does not support is a note; a controller
    that is not found, a command that is not accepted or a failure of an unknown kind is ``unread``; a hardware fault is
    ``state``.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for row in answer.details:
        if _failed(row):
            key = _cell(row, "errmsg") or _cell(row, "description"), _cell(row, "errcd")
            groups.setdefault(key, []).append(_object(row))
    found = [
        problem
        for (text, code), objects in list(groups.items())[:_MAX_CAUSES]
        for problem in _problems(answer, command, text, code, objects)
    ]
    if len(groups) > _MAX_CAUSES:
        found.extend(
            _problems(answer, command, f"{counted(len(groups) - _MAX_CAUSES, 'more cause')} not listed", "", [])
        )
    status = answer.printed("Status")
    if status is not None and word(status) not in _SUCCESS:
        found.extend(_whole(answer, command, status, [text for text, _ in groups]))
    return list(dict.fromkeys(found))


def _whole(answer: Answer, command: str, status: str, rows: list[str]) -> Iterator[Problem]:
    """``Status = Failure`` and its ``Description``; the rows have the details, if there are any."""
    text = collapse(answer.printed("Description") or "")
    if word(text) not in _NO_CODE:
        if text not in rows and not (rows and _is_summary(text)):
            yield from _problems(answer, command, text, "", [])
    elif not rows and word(status) in ("failure", "failed"):
        yield from _problems(answer, command, "no reason is given", "", [])
    elif not rows:
        yield from _problems(answer, command, f"its status is {status}", "", [])


def _is_summary(text: str) -> bool:
    """``Show Drive Information Failed.``: a summary of the rows."""
    return re.search(r"\bfailed\b|\bfailure\b", text, re.IGNORECASE) is not None


def _failed(row: Row) -> bool:
    status = word(_cell(row, "status"))
    code = word(_cell(row, "errcd"))
    return status not in _SUCCESS and (status not in ("", "-") or code not in _NO_CODE)


def _cell(row: Row, name: str) -> str:
    found = next((pair.value for label, pair in row.items() if word(label) == name), "")
    return "" if found.strip() == "-" else collapse(found)


def _object(row: Row) -> str:
    """``/c0/e8/s2``, ``VD 5``, ``EID:Slt 306:0``; empty if the row is about the controller."""
    for label, pair in row.items():
        if word(label) not in _PLAIN_COLUMNS and pair.value.strip() not in ("", "-"):
            return pair.value if pair.value.startswith("/") else f"{label} {pair.value}"
    return _cell(row, "property")


def _problems(answer: Answer, command: str, text: str, code: str, objects: list[str]) -> Iterator[Problem]:
    text = text[:_JUDGED]
    if _EMPTY.fullmatch(text):
        return
    known = _meaning(text, code)
    if known.message == _OPTIONAL and _is_main(command) and not _has_data(answer):
        known = _OTHER
    reported = text[:_LONGEST].rstrip(".")
    if word(code) not in _NO_CODE:
        reported += f" (error {code[:12]})"
    message = known.message.format(text=f"{_object_names(answer, objects)}{reported}")
    yield Problem(
        severity=known.severity, kind=known.kind, where=command, message=f"{message.rstrip('.')}.",
        remedy=known.remedy,
    )  # fmt: skip


def _meaning(text: str, code: str) -> KnownError:
    number = int(code) if code.isdecimal() and len(code) < 6 else None
    by_text = next((message for message in KNOWN_ERRORS if message.form.search(text)), None)
    by_code = next((message for message in KNOWN_ERRORS if number in message.codes), None)
    return by_text or by_code or _OTHER


def _is_main(command: str) -> bool:
    found = _MAIN.search(command)
    return found is not None and found.end() == len(command)


def _has_data(answer: Answer) -> bool:
    return any(section.pairs or section.rows for section in answer.sections)


def _object_names(answer: Answer, objects: list[str]) -> str:
    """``controller 0: /c0/e8/s2, /c0/e8/s3: ``."""
    known = list(dict.fromkeys(name for name in objects if name))
    names = ", ".join(name[:60] for name in known[:_MAX_OBJECTS])
    if len(known) > _MAX_OBJECTS:
        names += f" and {len(known) - _MAX_OBJECTS} more"
    parts = ([f"controller {answer.number[:8]}"] if answer.number else []) + ([names] if names else [])
    return "".join(f"{part}: " for part in parts)
