"""Apply waivers to the findings of a host. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from glob import escape
from typing import NamedTuple

from raidctl.audit.finding import Finding, Ignored
from raidctl.audit.policy.waivers import Waiver

EXPIRED = "waiver_expired"
"""The rule of a waiver whose last day is over."""


class Waived(NamedTuple):
    """Findings that count, those that are waived, and waivers that have expired."""

    left: list[Finding]
    waived: tuple[Ignored, ...] = ()
    over: tuple[Waiver, ...] = ()
    again: tuple[Ignored, ...] = ()
    """Findings that count again, since a waiver has expired."""


def waive(
    found: Sequence[Finding], waivers: Iterable[Waiver], host: str | None, today: date, *, alone: bool = True
) -> Waived:
    """Separate the findings that waivers cover, and their consequences. An expired waiver is a finding.

    A host that is not ``alone`` has only expired waivers that would still cover one of its findings.
    """
    mine = [one for one in waivers if one.is_for(host)]
    if not mine:
        return Waived(list(found))
    active = [one for one in mine if one.until >= today]
    covered: dict[int, Waiver] = {}
    for one in found:
        waiver = next((each for each in active if each.covers(one)), None)
        if waiver is not None:
            covered[id(one)] = waiver
    counts = {(one.rule, one.where) for one in found if id(one) not in covered and one.outcome != "pass"}
    causes = {
        f"{one.rule} {one.where}": covered[id(one)]
        for one in found if id(one) in covered and (one.rule, one.where) not in counts
    }  # fmt: skip
    for one in found:
        if one.because in causes and one.outcome != "pass":
            covered.setdefault(id(one), causes[one.because])
    waived = tuple(
        Ignored(finding=one, until=covered[id(one)].until, reason=covered[id(one)].because)
        for one in found if id(one) in covered
    )  # fmt: skip
    left = [one for one in found if id(one) not in covered]
    ended = [one for one in mine if one.until < today]
    again = tuple(
        Ignored(finding=one, until=waiver.until, reason=waiver.because)
        for one in left if (waiver := next((each for each in ended if each.covers(one)), None)) is not None
    )  # fmt: skip
    over = [one for one in ended if (alone and one.stays) or any(map(one.covers, left))]
    return Waived(left, waived, tuple(over), again)


def expired(waiver: Waiver) -> Finding:
    """The finding about a waiver whose last day is over."""
    plain = waiver.where.replace("[[]", "[").replace("[*]", "*").replace("[?]", "?")
    where = plain if escape(plain) == waiver.where else "host"
    return Finding(
        rule=EXPIRED, severity="warning", outcome="fail", where=where, field="until", actual=str(waiver.until),
        message=f"The waiver of {waiver.rule} ended on {waiver.until} ({waiver.because.rstrip('.')}).",
        remedy=f"Remove it ({waiver.place}), or give it a new day and reason if the finding is still accepted.",
        evidence=(f"waiver.where = {waiver.where}", f"waiver.place = {waiver.place}"),
    )  # fmt: skip
