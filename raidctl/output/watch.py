"""The report of ``raidctl watch`` as text, for the terminal and for mail. Its subject is a single line."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from raidctl import __version__
from raidctl.output.whole_commands import join_commands, split_commands
from raidctl.text import collapse, counted, printable
from raidctl.watch.memory import Event, Kind
from raidctl.watch.objects import RULE
from raidctl.watch.report import WatchReport

_WIDTH = 78
_SUBJECT = 70
_WORDS: Mapping[Kind, str] = {
    "new": "new", "worse": "worse", "reminder": "still present", "still": "present", "good": "GOOD AGAIN",
    "over": "no longer found",
    "gone": "NO LONGER THERE", "unknown": "UNKNOWN", "known": "known again", "alive": "heartbeat",
}  # fmt: skip
_BEFORE: Mapping[Kind, str] = {
    "good": "It was: ",
    "over": "The object has other findings. This one was: ",
    "gone": "The object no longer exists. It was: ",
    "unknown": "There is no result now, or never was: ",
}
_PRESENT: frozenset[Kind] = frozenset({"new", "worse", "reminder", "still"})


def subject(host: str, events: Sequence[Event]) -> str:
    """``alder: CRITICAL: The battery of the cache has failed (adaptec:1/battery0) and 1 more``."""
    if not events:
        return f"{_clean(host)}: nothing new"
    first = events[0]
    more = f" and {len(events) - 1} more" if len(events) > 1 else ""
    if first.kind == "alive":
        return f"{_clean(host)}: raidctl watches this machine{more}"
    word = first.severity.upper() if first.kind in _PRESENT else _WORDS[first.kind]
    claim = textwrap.shorten(re.split(r"[:.;] ", _clean(first.message))[0].rstrip("."), _SUBJECT, placeholder="…")
    return f"{_clean(host)}: {word}: {claim} ({_clean(first.where)}){more}"


def body(report: WatchReport) -> str:
    """The events with their remedies, and the totals."""
    return "\n".join([f"{_clean(report.host)} · {report.at} · raidctl {__version__}", *_lines(report)]) + "\n"


def screen(report: WatchReport) -> str:
    """The report with the outcome of the deliveries."""
    lines = body(report).splitlines() if report.events or report.notes else [f"{report.subject}. {_totals(report)}"]
    for one in report.deliveries:
        name = _clean(one.channel)
        if one.delivered:
            lines.append(f"Sent to {name}: {counted(one.delivered, 'event')}.")
        if one.error is not None:
            failed = f"Not sent to {name}, {counted(one.waiting, 'event')} waiting"
            lines.append(f"{failed if one.waiting else f'Nothing can be sent to {name}'}: {_clean(one.error)}")
        elif one.waiting:
            lines.append(f"{counted(one.waiting, 'event')} waiting for {name}, which this run does not use.")
    if all(one.waiting and one.error is None for one in report.deliveries):
        lines.append("No address is configured, so this is only printed: --mail ADDRESS, or --run PROGRAM.")
    return "\n".join(lines) + "\n"


def variables(events: Sequence[Event]) -> dict[str, str]:
    """The worst event for the environment of a program: ``RAIDCTL_RULE``, ``RAIDCTL_MESSAGE``."""
    if not events:
        return {}
    first = events[0]
    named = {
        "EVENT": first.kind, "RULE": first.rule, "SEVERITY": first.severity, "OBJECT": first.where,
        "DEVICE": first.device, "MESSAGE": first.message,
    }  # fmt: skip
    return {f"RAIDCTL_{name}": _clean(text) for name, text in named.items() if text}


def _lines(report: WatchReport) -> Iterator[str]:
    for event in report.events:
        yield ""
        yield from _event(event)
    for note in report.notes:
        yield from ("", *_wrapped(note, ""))
    yield ""
    yield _totals(report)
    if report.present or report.unknown or report.pending:
        yield '"raidctl diagnose" lists everything that is present.'


def _totals(report: WatchReport) -> str:
    read = "" if report.complete else " Not everything could be read."
    counts = f"present: {report.present}; not yet reported: {report.pending}; unknown: {report.unknown}"
    return f"Findings {counts}; waived: {report.waived}.{read}"


def _event(event: Event) -> Iterator[str]:
    if event.kind == "alive":
        yield from _wrapped(event.message, "")
        return
    severity = f"{event.severity.upper()} · " if event.kind in _PRESENT else ""
    about = [event.where, event.device, f"bay {event.bay}" if event.bay else None,
             f"serial {event.serial}" if event.serial else None]  # fmt: skip
    yield f"{severity}{_WORDS[event.kind]} · {' · '.join(_clean(word) for word in about if word)}"
    before = "" if event.rule == RULE else _BEFORE.get(event.kind, "")
    yield from _wrapped(f"{before}{event.message}", "    ")
    if event.remedy:
        yield from _wrapped(f"→ {event.remedy}", "    ")
    since = f" · since {event.since}" if event.since else ""
    yield f"    rule {_clean(event.rule or '')}{since}"


def _wrapped(text: str, indent: str) -> list[str]:
    lines = textwrap.wrap(
        join_commands(_clean(text), _WIDTH - len(indent)), _WIDTH, initial_indent=indent, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return [split_commands(line) for line in lines]


def _clean(text: str) -> str:
    return collapse(printable(text))
