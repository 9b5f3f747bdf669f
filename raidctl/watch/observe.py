"""Convert findings to one run of ``raidctl watch``. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from raidctl.audit.diagnosis import causes
from raidctl.audit.finding import Finding
from raidctl.model import Inventory, is_complete
from raidctl.select import items
from raidctl.watch.memory import DAY, Look, Sighting
from raidctl.watch.objects import objects_of, read_in_part

NOT_READ = "machine_not_read"
"""The rule for a machine that could not be read."""
NORMAL = {"battery_learning": DAY}
"""Seconds for which information is normal, by rule. A battery that charges for longer is faulty."""
WAIVERS_NOT_READ = "waivers_not_read"
"""The rule for a file of waivers that could not be read. Its findings are reported."""


def look_at(inventory: Inventory, found: Sequence[Finding], waived: Sequence[Finding] = ()) -> Look:
    """One reading of a machine.

    Args:
        inventory: What was read.
        found: Findings of all rules that count, passes included.
        waived: Findings that are ignored for a time.
    """
    serials = {
        item.id: getattr(item, "serial", None) for controller in inventory.controllers for item in items(controller)
    }
    failed = [one for one in found if one.outcome == "fail"]
    roots = {id(one) for one in causes(failed)}
    sightings = [_sighting(one, serials, aside=one.outcome == "fail" and id(one) not in roots) for one in found]
    sightings += [_sighting(one, serials, aside=True) for one in waived]
    return Look(
        sightings=tuple(sightings),
        complete=is_complete(inventory),
        in_part=read_in_part(inventory),
        objects=frozenset((key, serial) for key, serial in serials.items()),
        known=tuple(objects_of(inventory)),
        read=inventory,
        waived=len(waived),
    )


def unreadable(message: str, remedy: str | None = None) -> Look:
    """A run on a machine that could not be read. Everything is unknown, and nothing has ended."""
    finding = Finding(
        rule=NOT_READ, severity="warning", outcome="unknown", where="host", message=message, remedy=remedy
    )
    return Look(sightings=(Sighting(finding=finding, state="unknown"),), complete=False)


def with_waivers_of(look: Look, faults: Sequence[str]) -> Look:
    """The run, with a finding for problems with the file of ``diagnose --ignore``."""
    remedy = "Correct the file, or delete it and ignore the findings again." if faults else None
    finding = Finding(
        rule=WAIVERS_NOT_READ, severity="warning", outcome="fail" if faults else "pass", where="host",
        message=" ".join(faults), remedy=remedy,
    )  # fmt: skip
    return replace(look, sightings=(*look.sightings, _sighting(finding, {}, aside=False)))


def _sighting(one: Finding, serials: dict[str, str | None], *, aside: bool) -> Sighting:
    serial = one.serial or serials.get(one.where)
    state = "aside" if aside else _state(one)
    normal = NORMAL.get(one.rule) if one.outcome == "fail" and state == "aside" and not aside else None
    return Sighting(finding=one, state=state, normal=normal, serial=serial, is_object=one.where in serials)


def _state(one: Finding) -> Literal["bad", "good", "unknown", "aside"]:
    """The state of a finding. If it is only information, it has not ended: a learning battery may still be bad."""
    if one.outcome == "pass":
        return "good"
    if one.severity == "info":
        return "aside"
    return "bad" if one.outcome == "fail" else "unknown"
