"""What waivers do to the findings of a host. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
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


def waive(
    found: Sequence[Finding], waivers: Iterable[Waiver], host: str | None, today: date, *, alone: bool = True
) -> Waived:
    """Take away the findings that waivers cover, and those that they explain; an expired waiver is a finding.

    Of many hosts, one that is not ``alone`` has only those that would still cover something on it.
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
    causes = {f"{one.rule} {one.where}": covered[id(one)] for one in found if id(one) in covered}
    for one in found:
        if one.because in causes and one.outcome != "pass":
            covered.setdefault(id(one), causes[one.because])
    waived = tuple(
        Ignored(finding=one, until=covered[id(one)].until, reason=covered[id(one)].because)
        for one in found if id(one) in covered
    )  # fmt: skip
    left = [one for one in found if id(one) not in covered]
    over = [one for one in mine if one.until < today and (alone or any(map(one.covers, found)))]
    return Waived(left, waived, tuple(over))


def expired(waiver: Waiver) -> Finding:
    """The finding about a waiver whose last day is over."""
    where = "host" if any(sign in waiver.where for sign in "*?[") else waiver.where
    return Finding(
        rule=EXPIRED, severity="warning", outcome="fail", where=where, field="until", actual=str(waiver.until),
        message=f"The waiver of {waiver.rule} ended on {waiver.until} ({waiver.because.rstrip('.')}).",
        remedy=f"Remove it ({waiver.place}), or give it a new day and reason if the finding is still accepted.",
        evidence=(f"waiver.where = {waiver.where}", f"waiver.place = {waiver.place}"),
    )  # fmt: skip
