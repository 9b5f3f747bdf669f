"""Choose the drives of a volume that is to be made. Pure.

A drive is taken only if it is known to be free and healthy: unknown use is use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct, field

from raidctl.layout.objects import Machine
from raidctl.layout.specification import Counted, VolumeLayout
from raidctl.model import Controller, Drive
from raidctl.model.drives_below import physical_drives
from raidctl.operate.new_drive import Candidate, health, signed, used
from raidctl.order import natural
from raidctl.survey.survey import Survey
from raidctl.text import counted
from raidctl.units import format_decimal

_ROOM = 0.1
"""Sizes of the members of one array may differ by this share: what is larger is wasted."""


class Place(Struct, frozen=True, kw_only=True):
    """A drive, or a partition of it, that a volume is to be made on."""

    drive: Drive
    node: str | None
    """Device node; None: the system does not see the drive."""
    part: str
    """Number of the partition; empty: the whole drive."""
    name: str
    """For a person: serial number or id."""

    def overlaps(self, other: Place) -> bool:
        """Whether both have something of one drive: the same partition, or one of them all of it."""
        return self.drive.id == other.drive.id and (self.part == other.part or not self.part or not other.part)


class Chosen(Struct, frozen=True, kw_only=True):
    """The drives of a volume, or why there are not enough."""

    places: tuple[Place, ...] = ()
    why: tuple[str, ...] = ()
    """Sentences; empty if the drives were found."""


Signatures = Mapping[str, tuple[str, ...] | None]
"""What a probe found on each device node; None: it could not be read."""


class Stock(Struct, frozen=True, kw_only=True):
    """What volumes can be made of."""

    machine: Machine
    seen: Survey
    signatures: Signatures
    taken: list[Place] = field(default_factory=list)
    """What other volumes of the layout have got already."""


def candidates(controller: Controller, machine: Machine) -> list[Drive]:
    """The drives that a controller can use: its own, or for md all that the system sees."""
    if controller.mode == "software":
        return [drive for _, drive in physical_drives(machine.inventory.controllers) if drive.device]
    return list(controller.drives)


def choose(wanted: VolumeLayout, controller: Controller, stock: Stock) -> Chosen:
    """The drives that a volume names or counts."""
    if isinstance(wanted.drives, tuple):
        return _named(wanted.drives, controller, stock)
    if isinstance(wanted.drives, Counted):
        return _counted(wanted.drives, controller, stock)
    return Chosen(why=("The layout does not list its drives.",))


def _named(names: Sequence[str], controller: Controller, stock: Stock) -> Chosen:
    drives = candidates(controller, stock.machine)
    places, why = [], []
    for name in names:
        serial, _, part = name.partition("-part")
        fitting = [drive for drive in drives if {name, serial} & stock.machine.names(drive)]
        if len(fitting) != 1:
            why.append(f'"{name}" is {"no drive" if not fitting else "several drives"} that {controller.id} can use.')
            continue
        place = _place(fitting[0], part, stock.machine)
        why += objections(place, controller, stock)
        places.append(place)
    why += _alike(places)
    return Chosen(places=() if why else tuple(places), why=tuple(dict.fromkeys(why)))


def _counted(wanted: Counted, controller: Controller, stock: Stock) -> Chosen:
    """The smallest drives that suffice, by bay among equals; all within a tenth of the smallest."""
    passed_over, free = [], []
    for drive in candidates(controller, stock.machine):
        place = _place(drive, "", stock.machine)
        objection = next(chain(_unlike(drive, wanted), objections(place, controller, stock)), None)
        if objection is None:
            free.append(place)
        else:
            passed_over.append(objection)
    free.sort(key=lambda place: (place.drive.size_bytes or 0, natural(place.drive.id)))
    for first in range(len(free) - wanted.count + 1):
        group = free[first : first + wanted.count]
        if not list(_alike(group)):
            return Chosen(places=tuple(group))
    fit = counted(len(free), "drive")
    lack = f"{counted(wanted.count, 'drive')} of one kind and size needed, {fit} free and fitting."
    return Chosen(why=(lack, *passed_over))


def _place(drive: Drive, part: str, machine: Machine) -> Place:
    node = drive.device
    if node is not None and part:
        node = f"{node}{'p' if node[-1:].isdigit() else ''}{part}"
    return Place(drive=drive, node=node, part=part, name=machine.name(drive) + (f"-part{part}" if part else ""))


def _unlike(drive: Drive, wanted: Counted) -> Iterator[str]:
    """Why a drive is not one of those that are counted."""
    for key, want in (("media", wanted.media), ("interface", wanted.interface)):
        value = getattr(drive, key)
        if want is not None and value != want:
            yield f"{drive.id}: {key} {value or 'unknown'}, not {want}."
    if wanted.at_least is not None and (drive.size_bytes is None or drive.size_bytes < wanted.at_least * 0.99):
        size = "size unknown" if drive.size_bytes is None else format_decimal(drive.size_bytes)
        yield f"{drive.id}: {size}, not at least {format_decimal(wanted.at_least)}."


def objections(place: Place, controller: Controller, stock: Stock) -> Iterator[str]:
    """Why a drive may not become part of a new volume, in sentences."""
    drive = place.drive
    if any(place.overlaps(other) for other in stock.taken):
        yield f"{drive.id}: another volume of the layout uses it."
    if controller.mode == "software":
        yield from _in_system(place, stock)
    else:
        yield from _behind_controller(drive, stock.seen)
    yield from (objection.text for objection in health(drive))


def _in_system(place: Place, stock: Stock) -> Iterator[str]:
    """A drive that the system sees: neither used nor signed."""
    block = stock.seen.view.block(place.node or "")
    if place.node is None or block is None or block.node != place.node:
        yield f"{place.drive.id}: the kernel does not show {place.node or 'its device'}."
        return
    candidate = Candidate(drive=place.drive, node=place.node, signatures=stock.signatures.get(place.node))
    uses = [objection.text for objection in used(stock.seen, candidate, block)]
    yield from uses
    yield from (objection.text for objection in signed(candidate, block, free=not uses))


def _behind_controller(drive: Drive, seen: Survey) -> Iterator[str]:
    """A drive behind a controller: in no array, no spare, with no configuration of another controller."""
    if drive.role != "unassigned":
        word = "its use is unknown" if drive.role is None else f"it is a {drive.role} drive"
        yield f"{drive.id}: {word}{f' of {drive.array}' if drive.array else ''}."
    if drive.foreign:
        yield f"{drive.id}: it holds a configuration that the controller has not imported."
    block = seen.view.block(drive.device) if drive.device else None
    if block is not None:
        uses = used(seen, Candidate(drive=drive, node=block.node, signatures=()), block)
        yield from (objection.text for objection in uses if objection.guard == "R7")


def _alike(places: Sequence[Place]) -> Iterator[str]:
    """Why drives do not belong into one array: kind, sectors, and sizes within a tenth."""
    for key, word in (("media", "kinds"), ("interface", "interfaces"), ("sector_bytes", "sector sizes")):
        values = {getattr(place.drive, key) for place in places}
        if len(values) > 1:
            yield f"Its drives have different {word}: {', '.join(sorted(str(value or 'unknown') for value in values))}."
    sizes = [place.drive.size_bytes for place in places]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        yield "The size of one of its drives is unknown."
    elif known and max(known) > min(known) * (1 + _ROOM):
        yield f"Its drives have {format_decimal(min(known))} to {format_decimal(max(known))}: more than 10 % apart."
