"""The running or last scrub or resilver, as zpool prints it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Line
from raidctl.model import Progress
from raidctl.model.task import Operation
from raidctl.text import attempt, collapse, regex
from raidctl.units import parse_local_time, parse_percent, parse_size
from raidctl_zfs.draft import PoolDraft

_DATE = r"(?:\w{3} +)?(?P<date>\w{3} +\d{1,2} +\d\d:\d\d:\d\d +\d{4})"
# scrub repaired 0B in 00:00:00 with 0 errors on Sat Feb 10 20:34:42 2024
# resilvered 126K in 00:00:00 with 0 errors on Tue Sep 27 17:57:17 2022
# scrub completed after 0h0m with 0 errors on Tue Feb  2 13:08:42 2010
_ENDED = regex(
    rf"(?:thorough )?(?P<what>scrub repaired|scrub completed|resilvered|resilver completed)\b.*"
    rf" with (?P<errors>\d{{1,18}}) errors? on {_DATE}.*"
)
# scrub in progress since Sun Feb 11 11:54:20 2024        scrub in progress for 0h5m, 12.05% done, 0h36m to go
# resilver (draid2-0) in progress since Sun Feb 11 11:54:20 2024: a sequential one, of one vdev
_OF = r"(?: \([^()]{1,80}\))?"
_RUNNING = regex(rf"(?:thorough )?(?P<what>scrub|resilver){_OF}(?: in progress)? (?:since|for|paused)\b.*|"
                      r"(?:thorough )?(?P<other>scrub|resilver) in progress\b.*")  # fmt: skip
_STOPPED = regex(
    rf"(?:thorough )?(?P<what>scrub|resilver){_OF} (?:canceled|stopped)\b.*(?: on| after).*?(?:{_DATE})?.*"
)
# scrubbed 4 error blocks in 0 days 00:00:01 on Sun Mar  1 00:30:13 2026: of what was known to be damaged only
_PARTIAL = regex(r"scrubbed \d+ error blocks in .*|error scrub (?:canceled|in progress|paused)\b.*")
# expansion of raidz2-0 in progress since Sun Feb 11 11:54:20 2024 1.2G / 3.4G copied at 12M/s, 35.29% done
# Evacuation of mirror-1 in progress since Sun Feb 11 11:54:20 2024 1.2G copied out of 3.4G at 12M/s, 35.29% done
_MOVING = regex(r"(?P<what>expansion|evacuation) of \S+ in progress since\b.*", re.IGNORECASE)
# Removal of vdev 1 copied 1.2G in 0h1m, completed on Sun Feb 11 11:54:20 2024 1.3K memory used for removed …
# Removal of mirror-1 canceled on Sun Feb 11 11:54:20 2024        expanded raidz2-0 copied 1G in 00:00:01, on Sun …
_MOVED = regex(r"removal of .* (?:completed|canceled) on\b.*|expanded \S+ copied\b.*|\S+ memory used for removed\b.*",
               re.IGNORECASE)  # fmt: skip
MOVES = ("expand", "remove")
"""Labels of vdevs that grow or are emptied."""
_NEVER = regex(r"none requested.*")
_DONE = regex(r"(?<![\d.])(\d{1,3}(?:\.\d{1,9})?%) done")
_RATE = regex(r"(?:issued at|repaired at|scanned at|copied at|at) (\d+(?:\.\d+)?[KMGTP]?)B?/s")
_ISSUED = regex(r"issued at (\d+(?:\.\d+)?[KMGTP]?)B?/s")
# 01:01:21 to go     2 days 03:04:05 to go     0h36m to go
_LEFT = regex(r"(?<!\d)(?:(\d{1,9}) days? )?(?:(\d{1,9}):(\d\d):(\d\d)|(\d{1,9})h(\d{1,9})m(?:(\d{1,9})s)?) to go")


def read_scan(pool: PoolDraft, lines: Sequence[Line], text: str) -> None:
    """Read the text after ``scan:``, lines joined."""
    text = collapse(text.replace(",", ".") if re.search(r"\d,\d\d?(?:[KMGT%]|\b)", text) else text)
    pool.detail_of(lines, "scan", text)
    if match := _ENDED.match(text):
        scrub = match["what"].startswith("scrub")
        at = _moment(match["date"])
        if scrub and at:
            ended(pool, lines[0], at, int(match["errors"]))
        elif not scrub and int(match["errors"]):
            report_resilver(pool, match["errors"])
    elif match := _RUNNING.match(text):
        _running(pool, lines, match["what"] or match["other"], text)
    elif match := _STOPPED.match(text):
        if match["what"] == "scrub":
            pool.put(lines[0], "consistency_check.last_result", "unfinished")
    elif not _NEVER.match(text) and not _PARTIAL.match(text):
        pool.unread("scan", text[:120])


def read_move(pool: PoolDraft, lines: Sequence[Line], text: str) -> None:
    """Read the text after a label of :data:`MOVES`.

    Progress that is already known, such as a scrub's, takes precedence.
    """
    match = _MOVING.match(collapse(text))
    if match is None and text and not _MOVED.match(collapse(text)):
        pool.unread("vdev that moves", collapse(text)[:120])
    if match is not None and pool.get("progress") is None:
        kind: Operation = "expand" if match["what"].lower() == "expansion" else "migrate"
        progress(pool, lines, kind, collapse(text), paused="paused for" in text)


def ended(pool: PoolDraft, line: Line | None, at: str | None, errors: int) -> None:
    """Put the end of a complete scrub. The result is whether it found errors that it could not repair."""
    if at is not None:
        pool.put(line, "consistency_check.last_at", at)
    pool.put(line, "consistency_check.last_result", "failed" if errors else "ok")


def report_resilver(pool: PoolDraft, errors: str) -> None:
    """Report a resilver that could not read everything."""
    message = f"The last resilver ended with errors: {errors}, so not all data could be rebuilt."
    pool.add_problem("warning", "state", message, "List the damaged files with `zpool status -v`.")


def _running(pool: PoolDraft, lines: Sequence[Line], what: str, text: str) -> None:
    progress(pool, lines, "check" if what == "scrub" else "rebuild", text, paused="paused" in text)


def progress(pool: PoolDraft, lines: Sequence[Line], operation: Operation, text: str, *, paused: bool) -> None:
    """Work in progress: ``35.29% done, 01:02:03 to go``."""
    done, rate = _DONE.search(text), _ISSUED.search(text) or _RATE.search(text)
    size = attempt(lambda word: parse_size(f"{word}B", binary=True), rate[1]) if rate else None
    found = Progress(
        operation=operation,
        percent=attempt(parse_percent, done[1]) if done else None,
        remaining_seconds=_seconds(text),
        rate_bytes=size or None,
        state="paused" if paused else "running",
    )
    pool.override("progress", found)
    for line in lines:
        pool.add_evidence(line, "progress.operation", found.operation)
        for name in ("percent", "remaining_seconds", "rate_bytes"):
            if getattr(found, name) is not None:
                pool.add_evidence(line, f"progress.{name}", getattr(found, name))


def _seconds(text: str) -> int | None:
    match = _LEFT.search(text)
    if match is None:
        return None
    days, hours, minutes, seconds, old_hours, old_minutes, old_seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours + old_hours) * 60 + minutes + old_minutes) * 60 + seconds + old_seconds


def _moment(text: str) -> str | None:
    """RFC 3339 without a zone: zpool prints local time."""
    return parse_local_time(text, "%b %d %H:%M:%S %Y")
