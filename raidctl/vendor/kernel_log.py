"""The kernel log: ``journalctl`` with each line's time and boot, else ``dmesg``. Pure.

The journal has the lines of earlier boots; dmesg has those of this boot that are still in the kernel's buffer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from raidctl import json_decode
from raidctl.model import Problem, ProblemKind
from raidctl.request import Dialogue, Failure, Read, Run, RunAnswer, ask_all
from raidctl.text import collapse, regex
from raidctl.units import format_moment
from raidctl.vendor.events import Level

NEWEST_LINES = 20_000
JOURNAL = Run(("journalctl", "_TRANSPORT=kernel", "--output=json", "--output-fields=MESSAGE,PRIORITY", "--no-pager",
               f"--lines={NEWEST_LINES}"))  # fmt: skip
DMESG = Run(("dmesg", "--raw"))
UPTIME, BOOT = Read("/proc/uptime"), Read("/proc/sys/kernel/random/boot_id")

_LEVELS: tuple[Level, ...] = ("fatal", "fatal", "critical", "critical", "warning", "info", "info", "debug")
"""Levels of the kernel's priorities 0 (emergency) to 7 (debug)."""
_MICROSECONDS = regex(r"\d{10,17}", re.ASCII)
# <3>[ 1234.567890] I/O error, dev sdb, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2
_RAW = regex(r"<(\d{1,3})>\[ *(\d{1,12}\.\d{1,9})\](?:\[ *[TC]\d+\])? (.*)", re.ASCII)
# Journal file /var/log/journal/1f0c…/system@0006….journal is truncated, ignoring file.
# Failed to open journal file /var/log/journal/1f0c…/system.journal: Bad message
_LOST_FILE = regex(r"(?im)^.*\bjournal file\b(?!.*/user-\d).*$", re.ASCII)
"""A line about a file that journalctl leaves out; it may end with 0. Files of users have no lines of the kernel."""
_LATEST = datetime(9000, 1, 1, tzinfo=timezone.utc)


class KernelLine(Struct, frozen=True, kw_only=True):
    """One line of the kernel log."""

    at: str | None
    """UTC; None: unknown."""
    level: Level | None
    text: str
    uptime: str | None = None
    """Seconds since the boot, as dmesg printed them. They are the same at each reading; ``at`` may differ by some."""
    boot: bool = True
    """Whether it is of the present boot; False also if unknown."""


class KernelLog(Struct, frozen=True, kw_only=True):
    """The kernel log, as read."""

    command: str
    lines: tuple[KernelLine, ...] = ()
    """The oldest first."""
    unparsed: tuple[str, ...] = ()
    limited: bool = False
    """Whether there may be older lines."""
    problems: tuple[Problem, ...] = ()
    booted: str | None = None
    """When the machine was booted, UTC."""


def kernel_log(now: datetime | None) -> Dialogue[KernelLog]:
    """Read the kernel log.

    Args:
        now: The time of reading; None: unknown, then lines of dmesg have no time.
    """
    journal, uptime, boot = yield (JOURNAL, UPTIME, BOOT)
    booted = _booted(uptime.text, now)
    if _complete(journal) and (found := _of_journal(journal, (boot.text or "").strip().replace("-", ""), booted)):
        return found
    [raw] = yield from ask_all([DMESG])
    if raw.fine and raw.code == 0:
        return _of_dmesg(raw, booted)
    return KernelLog(command=" ".join(DMESG.argv), problems=(_problem(journal, raw),), booted=_text(booted))


def _complete(answer: RunAnswer) -> bool:
    return answer.trouble in (None, Failure.FLOOD) and answer.code in (0, None) and b"{" in answer.out


def _booted(text: str | None, now: datetime | None) -> datetime | None:
    # 12345.67 45678.90
    match = re.match(r"(\d{1,12}\.\d{1,9}) ", text or "", re.ASCII)
    return now - timedelta(seconds=float(match[1])) if match and now is not None else None


def _text(at: datetime | None) -> str | None:
    return None if at is None else format_moment(at)


def _of_journal(answer: RunAnswer, boot: str, booted: datetime | None) -> KernelLog | None:
    """The journal's lines, one JSON object each. None if no line is from the kernel."""
    lines: list[KernelLine] = []
    unparsed: list[str] = []
    rows = [row for row in answer.text.splitlines() if row.strip()]
    for row in rows:
        line = _entry(row, boot)
        if line is None:
            unparsed.append(row)
        else:
            lines.append(line)
    if not lines:
        return None
    flood = answer.trouble is Failure.FLOOD
    return KernelLog(
        command=" ".join(JOURNAL.argv), lines=tuple(lines), unparsed=tuple(unparsed),
        limited=flood or len(rows) >= NEWEST_LINES, problems=(*((_cut(),) if flood else ()), *_lost(answer)),
        booted=_text(booted),
    )  # fmt: skip


def _entry(row: str, boot: str) -> KernelLine | None:
    # {"__REALTIME_TIMESTAMP":"1778051281000000","_BOOT_ID":"8f…","PRIORITY":"3","MESSAGE":"md: md0: …"}
    try:
        entry: Mapping[str, Any] = json_decode.decode(row.encode(), dict[str, Any])
    except ValueError:
        return None
    text, stamp = _message(entry.get("MESSAGE")), str(entry.get("__REALTIME_TIMESTAMP", ""))
    if text is None:
        return None
    priority = str(entry.get("PRIORITY", ""))
    at = datetime.fromtimestamp(0, timezone.utc) + timedelta(microseconds=int(stamp)) if _fits(stamp) else None
    return KernelLine(
        at=_text(at),
        level=_LEVELS[int(priority)] if priority in tuple("01234567") else None,
        text=text,
        boot=bool(boot) and entry.get("_BOOT_ID") == boot,
    )


def _fits(stamp: str) -> bool:
    return bool(_MICROSECONDS.fullmatch(stamp)) and int(stamp) < _LATEST.timestamp() * 1e6


def _message(value: object) -> str | None:
    """A message. Journalctl prints one that is not plain text as a list of its bytes."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in value):
        return bytes(value).decode("utf-8", errors="replace")
    return None


def _of_dmesg(answer: RunAnswer, booted: datetime | None) -> KernelLog:
    lines: list[KernelLine] = []
    unparsed: list[str] = []
    for row in filter(str.strip, answer.text.splitlines()):
        match = _RAW.match(row)
        if match is None and lines:  # a message of several lines
            lines[-1] = replace(lines[-1], text=f"{lines[-1].text} {row.strip()}")
            continue
        if match is None:
            unparsed.append(row)
            continue
        at = None if booted is None else booted + timedelta(seconds=min(float(match[2]), 1e9))
        level = _LEVELS[int(match[1]) % 8]
        lines.append(KernelLine(at=_text(at), level=level, text=match[3], uptime=match[2]))
    return KernelLog(
        command=" ".join(DMESG.argv), lines=tuple(lines), unparsed=tuple(unparsed), limited=True, booted=_text(booted)
    )


def _cut() -> Problem:
    return Problem(
        severity="error", kind="unread", where=" ".join(JOURNAL.argv),
        message="It printed more than is read: the newest lines are missing.",
        remedy="Read it with: journalctl -k --since today",
    )  # fmt: skip


def _lost(answer: RunAnswer) -> Iterator[Problem]:
    """The problem that journalctl has left out a file."""
    found = _LOST_FILE.search(answer.error_text)
    if found is not None:
        yield Problem(
            severity="error", kind="unread", where=" ".join(JOURNAL.argv),
            message=f"A file of the journal was not read; lines may be missing: {collapse(found[0])[:160]}",
            remedy="journalctl --verify",
        )  # fmt: skip


def _problem(journal: RunAnswer, raw: RunAnswer) -> Problem:
    """The problem that neither command shows the kernel log."""
    answers = (journal, raw)
    denied = any(one.trouble is Failure.DENIED or b"not permitted" in one.err for one in answers)
    # a recording contains only programs that were looked up: "dmesg is not installed on the recorded machine"
    unrecorded = all(one.trouble is Failure.UNRECORDED or "recorded machine" in one.detail for one in answers)
    missing = not unrecorded and all(one.trouble is Failure.MISSING for one in answers)
    why = (
        "a permission is missing" if denied
        else "neither journalctl nor dmesg is installed" if missing
        else "this recording does not contain it" if unrecorded
        else _first_words(raw, journal)
    )  # fmt: skip
    remedy = (
        "Run raidctl as root (sudo)." if denied
        else 'Record the machine with "raidctl record --events".' if unrecorded
        else None
    )  # fmt: skip
    kind: ProblemKind = "no_right" if denied else "no_tool" if missing else "unread"
    message = f"The kernel log could not be read{f': {why}' if why else ''}."
    return Problem(severity="error", kind=kind, where="kernel log", message=message, remedy=remedy)


def _first_words(*answers: RunAnswer) -> str:
    """The output of the first program that prints any."""
    details = (one.detail or collapse(one.error_text)[:160] for one in answers)
    return next(filter(None, details), "")


class Chosen(NamedTuple):
    """A line about a drive or an array."""

    line: KernelLine
    device: str | None
    """The name of the device in it; None: it has none."""
    certain: bool
    """Whether the name means its present device."""


def chosen(log: KernelLog, patterns: Iterable[re.Pattern[str]]) -> Iterator[Chosen]:
    """The lines that match a pattern, each with its device.

    A name is certain within this boot, after it was assigned to its present device.
    """
    known = list(patterns)
    fitting = [(line, match) for line in log.lines if (match := _first(known, line.text)) is not None]
    fresh = {
        match["device"]: number
        for number, (line, match) in enumerate(fitting)
        if line.boot and match.groupdict().get("fresh") and match.groupdict().get("device")
    }
    for number, (line, match) in enumerate(fitting):
        device = match.groupdict().get("device")
        yield Chosen(line, device, certain=device is not None and line.boot and number >= fresh.get(device, 0))


def _first(patterns: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := pattern.match(text))), None)
