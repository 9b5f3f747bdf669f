"""The file of findings that ``diagnose --ignore`` waives for a limited time. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from glob import escape
from typing import Annotated

import msgspec

from raidctl import json_decode
from raidctl.audit.finding import Finding, topic
from raidctl.audit.policy.waivers import Waiver
from raidctl.described import doc
from raidctl.errors import CannotTell, UsageError
from raidctl.health.severity import Severity
from raidctl.text import printable

_COMMA = re.compile(rb",\s*\]\s*\Z")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """An ignored finding: a rule on one object of one host, up to a severity."""

    rule: Annotated[str, doc("Name of the rule.")]
    where: Annotated[str, doc("Id of the object, as in the finding.")]
    host: Annotated[str | None, doc("Host name; null: unknown.")] = None
    serial: Annotated[str | None, doc("Serial number of the drive; another drive in its place counts.")] = None
    about: Annotated[str | None, doc("Its message without figures, if the rule may have several on one object.")] = None
    severity: Annotated[Severity, doc("Severity when it was ignored; a worse one counts.")]
    until: Annotated[date, doc("Last day on which it is ignored.")]
    reason: Annotated[str, doc("Reason given with `--because`.")]


def waivers_of(entries: Sequence[Entry], host: str | None, shown: str) -> tuple[Waiver, ...]:
    """The entries of a host as waivers, each for one object.

    A waiver does not cover a severity above that at which the finding was ignored, another drive in the same place, or
    another fault of the object. Its end is a finding as long as the ignored one is there.
    """
    return tuple(
        Waiver(
            one.rule, one.until, one.reason, escape(one.where), place=shown, at_most=one.severity, stays=False,
            serial=one.serial, about=one.about,
        )
        for one in entries
        if one.host == host
    )  # fmt: skip


def entries_of(data: bytes, shown: str) -> tuple[Entry, ...]:
    """The entries of an ignore file. A comma after the last one is accepted: lines may be deleted.

    Raises:
        CannotTell: The file is damaged; nothing is ignored then.
    """
    try:
        return tuple(json_decode.decode(_COMMA.sub(b"]", data), tuple[Entry, ...]))
    except ValueError as error:
        raise CannotTell(f"{shown} is not a valid ignore file: {printable(str(error))}") from None


def with_new(
    entries: Sequence[Entry], wanted: Sequence[str], found: Sequence[Finding], *, host: str | None, until: str,
    reason: str, today: date,
) -> tuple[Entry, ...]:  # fmt: skip
    """The entries, with a new one for each named finding. ``RULE`` or ``RULE=OBJECT`` names a finding.

    Raises:
        UsageError: The date is invalid or before ``today``, or no finding has this name.
    """
    try:
        day = date.fromisoformat(until)
    except ValueError:
        raise UsageError(f'--until: "{printable(until)}" is not a date; write it as 2027-01-31.') from None
    if day < today:
        raise UsageError(f"--until: {day} is over; today is {today}.")
    new = {(one.host, one.rule, one.where, one.serial, one.about): one for one in entries}
    for word in wanted:
        rule, _, place = word.partition("=")
        named = [one for one in found if one.outcome != "pass" and one.rule == rule.replace("-", "_")]
        named = [one for one in named if not place or place in (one.where, one.device)]
        if not named:
            raise UsageError(f'--ignore: there is no finding "{printable(word)}" here.')
        for one in named:
            about = topic(one.rule, one.message)
            new.pop((host, one.rule, one.where, None, None), None)  # of an earlier version: it covers any drive
            new[host, one.rule, one.where, one.serial, about] = Entry(
                rule=one.rule, where=one.where, host=host, serial=one.serial, about=about, severity=one.severity,
                until=day, reason=reason,
            )  # fmt: skip
    return tuple(new.values())


def as_file(entries: Sequence[Entry]) -> bytes:
    """The ignore file, one entry per line."""
    lines = ",\n".join(msgspec.json.encode(one).decode() for one in entries)
    return f"[\n{lines}\n]\n".encode()
