"""Findings that somebody has decided to live with for a while: the ignore file, and what it hides. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated

import msgspec

from raidctl import json_decode
from raidctl.audit.finding import Finding, Severity
from raidctl.described import doc
from raidctl.errors import CannotTell, UsageError
from raidctl.text import printable

_WEIGHT: dict[Severity, int] = {"info": 0, "warning": 1, "critical": 2}


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One finding that is ignored: a rule, on one object of one host, not worse than it was then."""

    rule: Annotated[str, doc("Name of the rule.")]
    where: Annotated[str, doc("Id of the object, as the finding names it.")]
    host: Annotated[str | None, doc("Its host; null: it was unknown.")] = None
    severity: Annotated[Severity, doc("What it was when it was ignored; anything worse counts.")]
    until: Annotated[date, doc("Last day on which it is ignored.")]
    reason: Annotated[str, doc("Why, as given with `--because`.")]


class Ignored(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that does not count, and why."""

    finding: Annotated[Finding, doc("What was found.")]
    until: Annotated[date, doc("Last day on which it is ignored.")]
    reason: Annotated[str, doc("Why, as given with `--because`.")]


class Sorted(msgspec.Struct, frozen=True, kw_only=True):
    """What is left, what is ignored, and what was ignored up to a day that is over."""

    left: tuple[Finding, ...]
    ignored: tuple[Ignored, ...] = ()
    expired: tuple[Ignored, ...] = ()


def sift(found: Sequence[Finding], entries: Sequence[Entry], host: str | None, today: date) -> Sorted:
    """Take out what the entries cover; what a finding explains goes with it. What passed is left as it is."""
    known = {(one.rule, one.where): one for one in entries if one.host == host}
    left, ignored, expired = [], [], []
    for one in found:
        entry = known.get((one.rule, one.where))
        if entry is None or one.outcome == "pass" or _WEIGHT[one.severity] > _WEIGHT[entry.severity]:
            left.append(one)
            continue
        marked = Ignored(finding=one, until=entry.until, reason=entry.reason)
        if entry.until < today:
            left.append(one)
            expired.append(marked)
        else:
            ignored.append(marked)
    causes = {f"{one.finding.rule} {one.finding.where}" for one in ignored}
    left = [one for one in left if one.because not in causes]
    return Sorted(left=tuple(left), ignored=tuple(ignored), expired=tuple(expired))


def entries_of(data: bytes, shown: str) -> tuple[Entry, ...]:
    """The entries of an ignore file.

    Raises:
        CannotTell: It is damaged: nothing is ignored on the word of such a file.
    """
    try:
        return tuple(json_decode.decode(data, tuple[Entry, ...]))
    except ValueError as error:
        raise CannotTell(f"{shown} is no file of ignored findings: {printable(str(error))}") from None


def with_new(
    entries: Sequence[Entry], wanted: Sequence[str], found: Sequence[Finding], *, host: str | None, until: str,
    reason: str,
) -> tuple[Entry, ...]:  # fmt: skip
    """The entries, and one for each finding that ``RULE`` or ``RULE=OBJECT`` names; of an older one the new one counts.

    Raises:
        UsageError: The day is none, or nothing is found that is named.
    """
    try:
        day = date.fromisoformat(until)
    except ValueError:
        raise UsageError(f'--until: "{printable(until)}" is no day; write it as 2027-01-31.') from None
    new: dict[tuple[str | None, str, str], Entry] = {(one.host, one.rule, one.where): one for one in entries}
    for word in wanted:
        rule, _, place = word.partition("=")
        named = [one for one in found if one.outcome != "pass" and one.rule == rule.replace("-", "_")]
        named = [one for one in named if not place or place in (one.where, one.device)]
        if not named:
            raise UsageError(f'--ignore: there is no finding "{printable(word)}" here, so there is nothing to ignore.')
        for one in named:
            new[host, one.rule, one.where] = Entry(
                rule=one.rule, where=one.where, host=host, severity=one.severity, until=day, reason=reason
            )
    return tuple(new.values())


def as_file(entries: Sequence[Entry]) -> bytes:
    """The file, one entry a line."""
    lines = ",\n".join(msgspec.json.encode(one).decode() for one in entries)
    return f"[\n{lines}\n]\n".encode()
