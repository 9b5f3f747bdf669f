"""Objects of earlier runs that are missing now. Pure.

A volume that is not assembled after a reboot, or a controller that was removed, has no finding. Therefore the objects
themselves are remembered, by their permanent identities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from msgspec.structs import replace

from raidctl.drift.report import Change
from raidctl.drift.unread import problems_hiding
from raidctl.health.severity import Severity
from raidctl.model import Battery, Controller, Drive, Host, Inventory, Problem, Volume, unread_problems
from raidctl.model.drives_below import physical_drives
from raidctl.select import family_of, items
from raidctl.text import listing
from raidctl.watch.memory import Config, Known, Look

_NAMED = 6
"""Objects that a message names."""
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
    kind: Literal["gone", "unknown"] = "gone"


class Absence:
    """What the absence of an object or finding shows in one run.

    Args:
        before: The objects of earlier runs.
        look: The run.
        unread: The problems of the run, each with the time of the first run in a row that had it.
        now: Time of the run.
    """

    def __init__(self, before: Sequence[Known], look: Look, unread: Mapping[str, float], now: float) -> None:
        self.look, self.unread, self.now = look, unread, now
        self._earlier = Inventory(host=Host(), controllers=_controllers(before))
        self._places: dict[str, Change] = {}
        for controller in (*self._earlier.controllers, *(look.read.controllers if look.read else ())):
            for item in items(controller):
                kind = type(item).__name__.lower()
                self._places[item.id] = Change(kind="removed", object=kind, id=item.id, controller=controller.id)  # type: ignore[arg-type]  # a kind of item

    def hidden(self, where: str, since: float | None) -> str | None:
        """Why an object, or a finding on it, may only be unread; None: it is not there.

        ``since``: the first run without it; None: this one. A problem that earlier runs had, too, and that names
        nothing that is known here, is about something else.
        """
        if self.look.complete:
            return None
        change = self._places.get(where)
        if self.look.read is None or change is None:
            return ""
        since = self.now if since is None else since
        for problem, names in problems_hiding([change], self._earlier, self.look.read)[0]:
            if names or self.unread.get(problem_key(problem), self.now) >= since:
                return problem.message
        return None


def problem_key(problem: Problem) -> str:
    """The name of a problem with the reading in the memory."""
    return f"{problem.kind} {problem.where}"


def _controllers(known: Sequence[Known]) -> tuple[Controller, ...]:
    """The controllers of remembered objects, as far as problems name them."""
    found: dict[str, list[Known]] = {}
    for one in known:
        if one.controller is not None:
            found.setdefault(one.controller, []).append(one)
    return tuple(
        Controller(
            id=name, pci_address=parts[0].pci_address, told_by=parts[0].tool,
            batteries=tuple(Battery(id=one.where) for one in parts if one.kind == "battery"),
            volumes=tuple(Volume(id=one.where, device=one.device) for one in parts if one.kind == "volume"),
            drives=tuple(Drive(id=one.where, device=one.device) for one in parts if one.kind == "drive"),
        )
        for name, parts in found.items()
    )  # fmt: skip


def objects_of(inventory: Inventory) -> Iterator[Known]:
    """Controllers, batteries, volumes, and the drives that report a serial number."""
    for controller in inventory.controllers:
        name = f"{controller.model or ''} {controller.serial}" if controller.serial else controller.id
        known = partial(Known, controller=controller.id, pci_address=controller.pci_address, tool=controller.told_by)
        if controller.pci_address or controller.serial:
            yield known(kind="controller", identity=name, where=controller.id, serial=controller.serial)
        for battery in controller.batteries:
            own = name + battery.id.removeprefix(controller.id)
            yield known(kind="battery", identity=own, where=battery.id)
        for volume in controller.volumes:
            yield known(kind="volume", identity=volume.unique_id or volume.id, where=volume.id, device=volume.device)
    for controller, drive in physical_drives(inventory.controllers):
        if drive.serial:
            yield Known(
                kind="drive", identity=f"{drive.model or ''} {drive.serial}", where=drive.id, serial=drive.serial,
                device=drive.device, bay=drive.bay, controller=controller.id, pci_address=controller.pci_address,
                tool=controller.told_by,
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


def after_look(before: Sequence[Known], config: Config, absence: Absence) -> tuple[tuple[Known, ...], list[Missed]]:
    """The objects to remember, and those that have been missing or unread long enough. Each is reported once.

    An object is missing if nothing that could not be read may hide it.
    """
    now, moment = absence.look.known, absence.now
    there = {(one.kind, one.identity): one for one in now}
    places = {(one.kind, one.where): one for one in now}
    kept, gone = dict(there), list[Missed]()
    unread: list[tuple[Known, str]] = []
    for one in before:
        key = (one.kind, one.identity)
        if key in there:
            continue
        other = places.get((one.kind, one.where))
        if other is not None and _is_same(one, other):
            if other.identity == other.where:  # its identifier is not reported this time: keep the better name
                kept.pop((other.kind, other.identity), None)
                kept[key] = replace(one, missing=0, missing_since=None, unknown_since=None, unknown_reported=False)
            continue
        begun = [at for at in (one.missing_since, one.unknown_since) if at is not None]
        why = absence.hidden(one.where, min(begun, default=None))
        if why is None:
            one = _missing(one, moment)  # noqa: PLW2901 - the same object, later
            since = one.missing_since or moment
            if (moment - since if config.by_time else one.missing) >= config.after:
                message = f"The {one.kind} was there in earlier runs, and is not there now."
                gone.append(Missed(one, _SEVERITY[one.kind], message))
                continue
        else:
            one = replace(one, unknown_since=moment if one.unknown_since is None else one.unknown_since)  # noqa: PLW2901 - as above
            if why and not one.unknown_reported and moment - (one.unknown_since or moment) >= config.unknown_after:
                one = replace(one, unknown_reported=True)  # noqa: PLW2901 - as above
                unread.append((one, why))
        kept[key] = one
    return tuple(kept.values()), [*gone, *_unknown(unread)]


def _missing(one: Known, moment: float) -> Known:
    """An object after one more run in which it is missing."""
    since = moment if one.missing_since is None else one.missing_since
    return replace(one, missing=one.missing + 1, missing_since=since, unknown_since=None, unknown_reported=False)


def _unknown(unread: Sequence[tuple[Known, str]]) -> Iterator[Missed]:
    """The objects that may only be unread, one event for those of a controller."""
    groups: dict[str | None, list[tuple[Known, str]]] = {}
    for one, why in sorted(unread, key=lambda pair: list(_SEVERITY).index(pair[0].kind)):
        groups.setdefault(one.controller or one.where, []).append((one, why))
    for (first, why), *others in groups.values():
        more = f" The same holds for {listing([one.where for one, _ in others][:_NAMED])}" if others else ""
        more += f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        message = f"The {first.kind} of earlier runs is not listed now; it may only be unread: {why.rstrip('.')}."
        yield Missed(first, "warning", f"{message}{more}{'.' if more else ''}", "unknown")


def _is_same(one: Known, other: Known) -> bool:
    """Whether two objects in one place may be the same. One of them has to be known only by its id."""
    return one.identity == one.where or other.identity == other.where
