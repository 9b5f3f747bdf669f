"""Objects of earlier runs that are missing now. Pure.

A volume that is not assembled after a reboot, or a controller that was removed, has no finding. Therefore the objects
themselves are remembered, by their permanent identities.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from raidctl.audit.finding import Severity
from raidctl.model import Inventory, unread_problems
from raidctl.model.drives_below import physical_drives
from raidctl.select import family_of, items
from raidctl.watch.memory import Config, Known

RULE = "object_gone"
"""The rule of the event."""
_SEVERITY: dict[str, Severity] = {
    "controller": "critical", "battery": "critical", "volume": "critical", "drive": "warning",
}  # fmt: skip


class Missed(NamedTuple):
    """A missing object."""

    known: Known
    severity: Severity
    message: str


def objects_of(inventory: Inventory) -> Iterator[Known]:
    """Controllers, batteries, volumes, and the drives that report a serial number."""
    for controller in inventory.controllers:
        name = f"{controller.model or ''} {controller.serial}" if controller.serial else controller.id
        if controller.pci_address or controller.serial:
            yield Known(kind="controller", identity=name, where=controller.id, serial=controller.serial)
        for battery in controller.batteries:
            own = name + battery.id.removeprefix(controller.id)
            yield Known(kind="battery", identity=own, where=battery.id)
        for volume in controller.volumes:
            yield Known(kind="volume", identity=volume.unique_id or volume.id, where=volume.id, device=volume.device)
    for _, drive in physical_drives(inventory.controllers):
        if drive.serial:
            yield Known(
                kind="drive", identity=f"{drive.model or ''} {drive.serial}", where=drive.id, serial=drive.serial,
                device=drive.device, bay=drive.bay,
            )  # fmt: skip


def read_in_part(inventory: Inventory) -> frozenset[str]:
    """The ids of objects that are named by what could not be read, be it only a detail.

    A problem names an object by its id, its device or its family. One that names none, as a missing mdadm, may be about
    any software array.
    """
    wheres = {one.where for one in unread_problems(inventory.problems)}
    names = wheres | {word for where in wheres for word in where.split()}
    found, known = set[str](), set[str]()
    for controller in inventory.controllers if names else ():
        for item in items(controller):
            mine = {item.id, controller.id, family_of(controller), getattr(item, "device", None)} & names
            known.update(filter(None, mine))
            found |= {item.id} if mine else set()
    if any(known.isdisjoint({where, *where.split()}) for where in wheres):
        software = [controller for controller in inventory.controllers if controller.mode == "software"]
        found |= {item.id for controller in software for item in items(controller)}
    return frozenset(found)


def after_look(
    before: Sequence[Known], now: Sequence[Known], config: Config, moment: float, *, complete: bool
) -> tuple[tuple[Known, ...], list[Missed]]:
    """The objects to remember, and those that have been missing long enough. Each missing one is reported once.

    Only a complete run shows that an object is missing.
    """
    there = {(one.kind, one.identity): one for one in now}
    places = {(one.kind, one.where): one for one in now}
    kept, gone = dict(there), []
    for one in before:
        key = (one.kind, one.identity)
        if key in there:
            continue
        other = places.get((one.kind, one.where))
        if other is not None and _is_same(one, other):
            if other.identity == other.where:  # its identifier is not reported this time: keep the better name
                kept.pop((other.kind, other.identity), None)
                kept[key] = replace(one, missing=0, missing_since=None)
            continue
        if complete:
            since = moment if one.missing_since is None else one.missing_since
            one = replace(one, missing=one.missing + 1, missing_since=since)  # noqa: PLW2901 - the same object, later
            if (moment - since if config.by_time else one.missing) >= config.after:
                message = f"The {one.kind} was there in earlier runs, and is not there now."
                gone.append(Missed(one, _SEVERITY[one.kind], message))
                continue
        kept[key] = one
    return tuple(kept.values()), gone


def _is_same(one: Known, other: Known) -> bool:
    """Whether two objects in one place may be the same. One of them has to be known only by its id."""
    return one.identity == one.where or other.identity == other.where
