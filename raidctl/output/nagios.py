"""A plugin line that follows the Monitoring Plugins guidelines, for Nagios, Icinga, Naemon and similar systems. Pure.

::

    RAID CRITICAL - 1 critical, 2 of 45 checks pass: … | critical=1;;0;0 …
    [CRITICAL] battery_failed smartarray:1/battery0: …

The exit codes are those of that protocol, not raidctl's own: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from raidctl.audit.diagnosis import LACKING, Diagnosis, causes
from raidctl.audit.finding import Finding
from raidctl.drift.report import Drift
from raidctl.text import collapse, printable

LONGEST = 4096
"""Bytes of all lines together: what the oldest readers keep."""
LONGEST_LINE = 700
"""Bytes of the first line's text. With performance data, it stays below the 1024 bytes of old transports."""
_LONGEST_MORE = 400
_SAFE = str.maketrans({"|": "/", "\\": "/", "'": "\N{RIGHT SINGLE QUOTATION MARK}", '"': None, "`": None, "$": None})
"""A bar begins the performance data. Quotes and ``$`` are special to the shells that send notifications."""
_MARKS = {"unknown": "UNKNOWN", "unmatched": "NO MATCH", "pass": "PASS"}


class Status(IntEnum):
    """Status of the plug-in; the value is its exit code."""

    OK = 0
    WARNING = 1
    CRITICAL = 2
    UNKNOWN = 3


@dataclass(kw_only=True)
class Counts:
    """Numbers of findings by kind."""

    critical: int = 0
    warning: int = 0
    info: int = 0
    unknown: int = 0
    """Unknown results, and rules that selected nothing."""
    checked: int = 0
    passed: int = 0

    def add(self, findings: Iterable[Finding]) -> None:
        """Count some findings; the caller sets ``checked`` and ``passed``."""
        for one in findings:
            if one.outcome == "fail":
                setattr(self, one.severity, getattr(self, one.severity) + 1)
            elif one.outcome != "pass":
                self.unknown += 1


def status_of(counts: Counts) -> Status:
    """The worst status. Unknown is worse than OK and better than a known problem.

    Information alone is OK; without any check it is never OK.
    """
    if counts.critical:
        return Status.CRITICAL
    if counts.warning:
        return Status.WARNING
    return Status.UNKNOWN if counts.unknown or not counts.checked else Status.OK


def plugin(status: Status, text: str, figures: Iterable[str] = (), more: Sequence[str] = (), hidden: int = 0) -> str:
    """The whole output: status line, performance data, and lines for ``more``.

    ``hidden``: the number of lines that the caller has left out of ``more``.
    """
    first = f"RAID {status.name} - {cut(safe(text), LONGEST_LINE)}"
    behind = " ".join(figures)
    lines = [f"{first} | {behind}" if behind else first]
    left = LONGEST - len(lines[0].encode()) - 40
    for number, one in enumerate(more):
        line = cut(safe(one), _LONGEST_MORE)
        left -= len(line.encode()) + 1
        if left < 0:
            hidden += len(more) - number
            break
        lines.append(line)
    if hidden:
        lines.append(f"and {hidden} more")
    return "".join(f"{line}\n" for line in lines)


def safe(text: str) -> str:
    """The text on one line, without special characters.

    The protocol, a terminal or a shell would interpret them.
    """
    return collapse(printable(text)).translate(_SAFE)


def cut(text: str, limit: int) -> str:
    """The text, cut to ``limit`` bytes. It ends with three dots if it was longer."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return data.decode("utf-8")
    return data[: limit - 3].decode("utf-8", "ignore").rstrip() + "..."


def figure(label: str, value: int, *, warning: str = "", critical: str = "", most: int | None = None) -> str:
    """``'label'=value;warn;crit;min;max``; counts have no unit and a minimum of 0.

    Thresholds are ranges as in the guidelines: ``0`` alerts above 0. Labels come from raidctl, not from tools.
    """
    fields = [str(value), warning, critical, "0", "" if most is None else str(most)]
    return f"{label}={';'.join(fields).rstrip(';')}"


def figures(counts: Counts) -> list[str]:
    """The performance data of all formats."""
    return [
        figure("critical", counts.critical, critical="0"),
        figure("warning", counts.warning, warning="0"),
        figure("info", counts.info),
        figure("unknown", counts.unknown),
        figure("passed", counts.passed, most=counts.checked),
        figure("checked", counts.checked),
    ]


def summary_of(counts: Counts) -> str:
    """``1 critical, 2 unknown, 40 of 43 checks pass``."""
    words = [
        (counts.critical, "critical"),
        (counts.warning, "warning" if counts.warning == 1 else "warnings"),
        (counts.unknown, "unknown"),
        (counts.info, "for information"),
    ]
    parts = [f"{count} {word}" for count, word in words if count]
    if not counts.checked:
        return ", ".join([*parts, "nothing could be checked"])
    return ", ".join([*parts, f"{counts.passed} of {counts.checked} checks pass"])


def rank(one: Finding) -> int:
    """Sort key, the worst first: 0 for a critical failure."""
    failures = {"critical": 0, "warning": 1, "info": 3}
    return failures[one.severity] if one.outcome == "fail" else 2


def line_of(one: Finding, host: str = "") -> str:
    """One finding, for the lines below the first."""
    mark = _MARKS.get(one.outcome, one.severity.upper())
    return f"[{mark}] {host and f'{host}: '}{about(one)} {one.remedy or ''}"


def about(one: Finding) -> str:
    """The rule, the object and the message."""
    place = [one.where] if one.where != "host" else []
    return f"{' '.join([one.rule, *place, *([one.device] if one.device else [])])}: {one.message}"


def of_diagnosis(found: Diagnosis, doubtful: str | None = None) -> tuple[str, Status]:
    """Output and exit code of ``raidctl diagnose --format nagios``.

    ``doubtful``: the objects whose status is unknown. They qualify OK, and UNKNOWN without an unknown finding.
    """
    found_here = [*found.findings, *found.unknown]
    counts = Counts(checked=found.checked, passed=found.passed)
    counts.add(roots := causes(found_here))
    status = _status(found)
    ordered = sorted(found_here, key=lambda one: (one not in roots, rank(one)))
    worst = f": {about(ordered[0])}" if ordered and status is not Status.OK else ""
    ignored = f", {len(found.ignored)} ignored" if found.ignored else ""
    open_question = status is Status.OK or (status is Status.UNKNOWN and not counts.unknown)
    but = f", but {doubtful}" if doubtful and open_question else ""
    text = f"{summary_of(counts)}{but}{ignored}{worst}"
    return plugin(status, text, figures(counts), [line_of(one) for one in ordered]), status


def _status(found: Diagnosis) -> Status:
    """The status of the verdict, so that all formats agree."""
    if found.verdict == "found":
        bad = {one.severity for one in found.findings if one.rule not in LACKING}
        return Status.CRITICAL if "critical" in bad else Status.WARNING
    return Status.OK if found.verdict == "fine" and found.checked else Status.UNKNOWN


def of_drift(found: Drift) -> tuple[str, Status]:
    """Output and exit code of ``raidctl diff --format nagios``."""
    counts = Counts(unknown=sum(one.side != "both" for one in found.unread))
    for change in found.changes:
        setattr(counts, change.severity, getattr(counts, change.severity) + 1)
    counts.checked = counts.passed = int(not counts.unknown)
    status = status_of(counts)
    warnings = "warning" if counts.warning == 1 else "warnings"
    names = {"critical": "critical", "warning": warnings, "info": "for information", "unknown": "not read"}
    words = [f"{count} {name}" for level, name in names.items() if (count := getattr(counts, level))]
    lines = [f"[{one.severity.upper()}] {one.message}" for one in found.changes]
    lines += [f"[UNKNOWN] {one.where}: {one.message}" for one in found.unread if one.side != "both"]
    worst = f": {lines[0].partition('] ')[2]}" if lines and status is not Status.OK else ""
    unreadable = any(one.side == "both" for one in found.unread)
    limit = " in what could be read" if unreadable and not words else ""
    ignored = f", {found.ignored} ignored" if found.ignored else ""
    text = f"{', '.join(words) or 'no change'} since {found.before.name}{limit}{ignored}{worst}"
    return plugin(status, text, figures(counts)[:4], lines), status


def of_error(message: str) -> str:
    """Output if nothing could be checked: wrong usage, an unreachable host."""
    return plugin(Status.UNKNOWN, message)
