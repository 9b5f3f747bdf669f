"""Claims about each drive of a volume: size and age. Pure."""

from __future__ import annotations

from raidctl.model import Drive
from raidctl.text import all_of, capitalised, counted, listing
from raidctl.units import format_decimal
from raidctl.verify.case import Case
from raidctl.verify.layout import SAME, by_value, silent, undescribed
from raidctl.verify.report import Answer

_YEAR = 8766
"""Hours."""


def drive_size(case: Case) -> Answer:
    """Whether each drive has at least the claimed size, within the tolerance."""
    least = case.claim.number * (1 - SAME)
    for drive in _members(case):
        if drive.size_bytes is not None:
            case.cite(drive.id, "size_bytes", f"size {format_decimal(drive.size_bytes)}", "drive")
    small = [d for d in _members(case) if d.size_bytes is not None and d.size_bytes < least]
    if small:
        values = by_value(
            {d.id: format_decimal(d.size_bytes or 0) for d in small}, ("has", "have"), len(_members(case))
        )
        return case.failed(f"{values}, less than {case.claim.wanted}.")
    unknown = [d.id for d in _members(case) if d.size_bytes is None]
    return _unless_unknown(case, unknown, "size", f"at least {case.claim.wanted}")


def drive_age(case: Case) -> Answer:
    """Whether each drive's power-on time is at most the claimed one."""
    for drive in _members(case):
        if drive.power_on_hours is not None:
            shown = f"powered on for {_age(drive.power_on_hours)}"
            case.cite(drive.id, "power_on_hours", shown, "drive")
    old = [d for d in _members(case) if d.power_on_hours is not None and d.power_on_hours > case.claim.number]
    if old:
        ages = {d.id: _age(d.power_on_hours or 0) for d in old}
        values = by_value(ages, ("was powered on for", "were powered on for"), len(_members(case)))
        return case.failed(f"{values}, more than {case.claim.wanted}.")
    unknown = [d.id for d in _members(case) if d.power_on_hours is None]
    return _unless_unknown(case, unknown, "power-on time", f"at most {case.claim.wanted} of power-on time")


def _members(case: Case) -> list[Drive]:
    return [drive for _, drive in case.subject.drives]


def _unless_unknown(case: Case, unknown: list[str], what: str, claimed: str) -> Answer:
    """A pass, if all drives are listed and report the value."""
    count, volume = len(_members(case)), case.subject.volume
    if not count:
        return case.inconclusive("Its drives are unknown.")
    if not unknown and case.subject.unlinked:
        return case.inconclusive(f"The drives below {listing(case.subject.unlinked)} are unknown.")
    if unknown:
        test = f"Read the SMART values of {listing(unknown)}."
        return case.inconclusive(silent(unknown, what, count), next_test=test)
    if why := undescribed(case):
        return case.inconclusive(why)
    if volume is not None and not case.subject.software and (volume.drives_expected or 0) > count:
        return case.inconclusive(f"Only {counted(count, 'drive')} of {volume.drives_expected} are listed.")
    return case.passed(
        f"{capitalised(all_of(count, 'drive'))} have {claimed}." if count > 1 else f"The drive has {claimed}."
    )


def _age(hours: int) -> str:
    """``26,304 hours (3.0 years)``."""
    return f"{hours:,} hours ({hours / _YEAR:.1f} years)"
