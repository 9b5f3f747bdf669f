"""Plan deeds, with the guards of every deed (X1, X3, X7). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone

from msgspec.structs import replace

from raidctl.change.expectations import identity, serials_of
from raidctl.change.lookup import owner
from raidctl.select import family_of, object_of
from raidctl.survey.survey import Survey
from raidctl.units import parse_timestamp
from raidctl.vendor.identity import UNIDENTIFIED
from raidctl.vendor.operations import operations_of
from raidctl.vendor.plan import Deed, Denial, Plan
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of

FRESH_SECONDS = 60.0
"""Maximum age in seconds of a reading from which deeds are planned."""

_TICK = 2.0
"""Seconds by which the time of a reading may be ahead of the clock that is read later."""

DeedGuard = Callable[[Deed, Survey], Sequence[Denial]]
"""Reasons to refuse a deed; empty if nothing does."""


def plan_deeds(
    seen: Survey, vendors: Sequence[Vendor], deeds: Sequence[Deed], guard: DeedGuard, *, unsafe: bool = False
) -> Plan:
    """Return the steps of these deeds, or why they are refused. After one refusal, none of them is done (X7)."""
    denials = [denial for deed in deeds for denial in (*always(deed, seen), *guard(deed, seen))]
    denials = [denial for denial in denials if not (unsafe and denial.overridable)]
    whole = Plan()
    for controller in seen.inventory.controllers:
        mine = [deed for deed in deeds if owner(seen.inventory.controllers, deed.object_id) == controller]
        if not mine:
            continue
        vendor = vendor_of(controller.id, vendors)
        offered = operations_of(vendor) if vendor is not None else None
        if vendor is None or offered is None:
            reason = f"raidctl cannot do this with controllers of the family {family_of(controller)}."
            denials += [Denial(deed=deed, reason=reason) for deed in mine]
            continue
        names = {spec.name for spec in vendor.TOOLS}
        tools = [tool for tool in seen.inventory.tools if tool.name in names]
        whole += offered.plan_deeds(controller, mine, tools, seen.view)
    missing = [deed for deed in deeds if owner(seen.inventory.controllers, deed.object_id) is None]
    denials += [Denial(deed=deed, reason=f"{deed.object_id} does not exist.", unknown=True) for deed in missing]
    return replace(whole, deeds=tuple(deeds), denials=tuple(_unprinted((*whole.denials, *denials))))


def _unprinted(denials: Sequence[Denial]) -> Iterator[Denial]:
    """Remove the manual command of a deed that is also refused for another reason.

    If a family and a guard refuse a deed in the same words, the reason is shown once, with the guard's name.
    """
    named = {(one.deed, one.reason) for one in denials if one.guard}
    shown = [one for one in denials if one.guard or (one.deed, one.reason) not in named]
    once = {(one.deed, one.guard, one.reason): one for one in shown}
    for one in once.values():
        refused = any(other.deed == one.deed and not other.printed for other in denials)
        yield replace(one, alternative=None, printed=False) if one.printed and refused else one


def always(deed: Deed, seen: Survey) -> list[Denial]:
    """Return the reasons to refuse any deed.

    Such reasons are a missing identity, a serial number shared by two drives, and an old reading.
    """
    found: list[Denial] = []
    why = unidentified(seen, deed.drive) if deed.drive is not None else None
    if why is not None:
        found.append(Denial(deed=deed, guard="X1", reason=why, unknown=True))
    why = stale(seen)
    if why is not None:
        found.append(Denial(deed=deed, guard="X3", reason=why))
    return found


def unidentified(seen: Survey, object_id: str) -> str | None:
    """Explain why a drive or volume cannot be identified. None if its serial number is known and unique (X1)."""
    item = object_of(seen.inventory, object_id)
    if item is None:
        return f"{object_id} does not exist."
    unique = identity(seen.inventory, object_id)
    if not unique:
        return f"{object_id} {UNIDENTIFIED}."
    places = serials_of(seen).get(unique, set())
    if len(places) > 1:
        return f"{unique} is the serial number of several drives: {', '.join(sorted(places))}."
    return None


def stale(seen: Survey) -> str | None:
    """Explain why no deed follows from a recording or old reading (X3). None if the reading is fresh."""
    host = seen.inventory.host
    if not host.source.startswith(("local", "ssh:", "demo:")):
        return "This is a recording, not a machine: nothing is done from it."
    at = parse_timestamp(host.collected_at)
    if at is None:
        return "It is unknown when the machine was read."
    age = (datetime.now(timezone.utc) - at).total_seconds()
    if age < -_TICK:
        return "The clock was set back since the machine was read, so the age of the reading is unknown."
    return f"The machine was read {age:.0f} s ago; {FRESH_SECONDS:.0f} s is the limit." if age > FRESH_SECONDS else None
