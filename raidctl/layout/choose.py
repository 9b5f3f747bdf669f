"""Choose the drives of a new volume. Pure.

A drive is used only if it is known to be free and healthy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest

from msgspec import Struct, field

from raidctl.host import BlockDevice, partition_node
from raidctl.layout.objects import Machine
from raidctl.layout.specification import Counted, Partition, VolumeLayout
from raidctl.layout.tables import differs
from raidctl.model import Controller, Drive
from raidctl.model.drives_below import physical_drives
from raidctl.operate.contents import Contents
from raidctl.operate.new_drive import Candidate, health, overwritten, used
from raidctl.order import natural
from raidctl.survey.survey import Survey
from raidctl.text import counted, listing
from raidctl.toml_files.mistakes import suggestion
from raidctl.units import format_decimal

_ROOM = 0.1
"""Maximum relative difference of member sizes in one array. The excess is wasted."""


class Place(Struct, frozen=True, kw_only=True):
    """A drive, or a partition of it, for a new volume."""

    drive: Drive
    node: str | None
    """Device node; None: the system does not see the drive."""
    part: str
    """Number of the partition; empty: the whole drive."""
    name: str
    """In messages: serial number or id."""

    def overlaps(self, other: Place) -> bool:
        """Whether both use the same partition, or one the whole drive."""
        return self.drive.id == other.drive.id and (self.part == other.part or not self.part or not other.part)


class Chosen(Struct, frozen=True, kw_only=True):
    """The drives of a volume, or why there are not enough."""

    places: tuple[Place, ...] = ()
    spares: tuple[Place, ...] = ()
    why: tuple[str, ...] = ()
    """Sentences; empty if the drives were found."""


class Stock(Struct, frozen=True, kw_only=True):
    """The drives available for new volumes."""

    machine: Machine
    seen: Survey
    contents: Mapping[str, Contents]
    """What was read of device nodes."""
    unsafe: bool = False
    """Whether ``--unsafe`` was given: drives of unknown health, or with data of no known format, are used."""
    wipe: frozenset[str] = frozenset()
    """Serial numbers of the drives whose content may be erased."""
    prepared: frozenset[str] = frozenset()
    """Serial numbers of the drives that this operation has partitioned."""
    taken: list[Place] = field(default_factory=list)
    """Places used by other volumes of the layout."""


def candidates(controller: Controller, machine: Machine) -> list[Drive]:
    """The drives that a controller can use; for md, all visible ones."""
    if controller.mode == "software":
        return [drive for _, drive in physical_drives(machine.inventory.controllers) if drive.device]
    return list(controller.drives)


def choose(wanted: VolumeLayout, controller: Controller, stock: Stock) -> Chosen:
    """The drives that a volume names or counts, and its spares."""
    if isinstance(wanted.drives, Counted):
        return _counted(wanted, wanted.drives, controller, stock)
    if not isinstance(wanted.drives, tuple):
        return Chosen(why=("The layout does not list its drives.",))
    members, why = _named(wanted, wanted.drives, controller, stock)
    if isinstance(wanted.spares, tuple):
        spares, more = _named(wanted, wanted.spares, controller, stock)
        why += [*more, *(f"{one.drive.id}: it is a member and a spare." for one in spares if one in members)]
    else:
        spares, more = _spares(wanted, members, controller, stock) if wanted.spares and not why else ([], [])
        why += more
    why += _alike([*members, *spares], mixed=wanted.mixed_sizes)
    if why:
        return Chosen(why=tuple(dict.fromkeys(why)))
    return Chosen(places=tuple(members), spares=tuple(spares))


def _named(
    wanted: VolumeLayout, names: Sequence[str], controller: Controller, stock: Stock
) -> tuple[list[Place], list[str]]:
    drives = candidates(controller, stock.machine)
    places: list[Place] = []
    why: list[str] = []
    for name in names:
        serial, _, part = name.partition("-part")
        fitting = [drive for drive in drives if {name, serial} & stock.machine.names(drive)]
        if len(fitting) != 1:
            several = f'"{name}" is several drives that {controller.id} can use.'
            why.append(several if fitting else not_one(name, controller, drives, stock.machine))
            continue
        place = _place(fitting[0], str(wanted.partition.number) if wanted.partition else part, stock.machine)
        if any(place.overlaps(other) for other in places):
            why.append(f'"{name}" is listed twice: {place.drive.id} under another name.')
        why += objections(place, controller, stock, wanted.partition)
        places.append(place)
    return places, why


def not_one(name: str, controller: Controller, drives: Sequence[Drive], machine: Machine) -> str:
    """Report that a name matches no drive. The report has similar names or the free drives."""
    software = controller.mode == "software"
    what = f'"{name}" is not a drive {"that md can use" if software else f"of {controller.id}"}'
    meant = suggestion(name, [machine.name(drive) for drive in drives])
    if meant.startswith("did"):
        return f"{what}; {meant}"
    free = [machine.name(drive) for drive in drives if drive.role == "unassigned"]
    if software:
        return f"{what}."
    return f"{what}; unassigned: {listing(free)}." if free else f"{what}; no drive is unassigned."


def _free(
    wanted: VolumeLayout, counted_: Counted, controller: Controller, stock: Stock
) -> tuple[list[Place], list[str]]:
    """The free drives of a kind, and why the others are rejected."""
    passed_over, free = [], []
    for drive in candidates(controller, stock.machine):
        place = _place(drive, str(wanted.partition.number) if wanted.partition else "", stock.machine)
        objection = next(
            chain(_unlike(drive, counted_), objections(place, controller, stock, wanted.partition, counted=True)), None
        )
        if objection is None:
            free.append(place)
        else:
            passed_over.append(objection)
    free.sort(key=lambda place: (place.drive.size_bytes or 0, _bay(place.drive)))
    return free, passed_over


def _bay(drive: Drive) -> tuple[object, ...]:
    return natural(drive.enclosure or ""), natural(drive.bay or ""), natural(drive.id)


def _counted(wanted: VolumeLayout, counted_: Counted, controller: Controller, stock: Stock) -> Chosen:
    """The smallest sufficient drives of one kind, members first. Equal ones are in the order of enclosure and bay."""
    free, passed_over = _free(wanted, counted_, controller, stock)
    extra = wanted.spares if isinstance(wanted.spares, int) else 0
    named, why = _named(wanted, wanted.spares, controller, stock) if isinstance(wanted.spares, tuple) else ([], [])
    if why:
        return Chosen(why=tuple(why))
    free = [place for place in free if not any(place.overlaps(spare) for spare in named)]
    count = counted_.count + extra
    groups: dict[object, list[Place]] = {}
    for place in free:
        drive = place.drive
        groups.setdefault((drive.media, drive.interface, drive.sector_bytes), []).append(place)
    fitting = []
    for group in groups.values():
        for first in range(len(group) - count + 1):
            if not list(_alike(group[first : first + count], mixed=wanted.mixed_sizes)):
                fitting.append(group[first:])
                break
    if fitting:
        # min() keeps the first of equals
        best = min(fitting, key=lambda group: group[0].drive.size_bytes or 0)
        chosen = _spread(best, count) if wanted.raid_level in _MIRRORED else best[:count]
        return Chosen(places=tuple(chosen[: counted_.count]), spares=(*chosen[counted_.count :], *named))
    fit = counted(len(free), "drive")
    lack = f"{counted(count, 'drive')} of one kind and size needed, {fit} free and fitting."
    return Chosen(why=(lack, *passed_over))


_MIRRORED = ("raid1", "raid10", "raid1e")


def _spread(group: Sequence[Place], count: int) -> list[Place]:
    """Alternate between the enclosures. Neighbours, which mirror each other, are then in different ones."""
    near = [place for place in group if not list(_alike([group[0], place]))]
    shelves: dict[str | None, list[Place]] = {}
    for place in near:
        shelves.setdefault(place.drive.enclosure, []).append(place)
    turns = [place for turn in zip_longest(*shelves.values()) for place in turn if place is not None]
    return turns[:count] if len(shelves) > 1 and None not in shelves else list(group[:count])


def choose_spares(
    wanted: VolumeLayout, members: Sequence[Place], controller: Controller, stock: Stock
) -> tuple[list[Place], list[str]]:
    """Spares for an array: those named, or as many as requested."""
    if isinstance(wanted.spares, tuple):
        found, why = _named(wanted, wanted.spares, controller, stock)
    else:
        found, why = _spares(wanted, members, controller, stock)
    if not members:
        why = [*why, "Its members are not all known."]
    return ([], why) if why else (found, [])


def _spares(
    wanted: VolumeLayout, members: Sequence[Place], controller: Controller, stock: Stock
) -> tuple[list[Place], list[str]]:
    """The requested number of spares for named members.

    Each spare is of the members' kind, and at least as large as the smallest member.
    """
    if not members or not isinstance(wanted.spares, int):
        return [], []
    like = members[0].drive
    least = min((place.drive.size_bytes or 0 for place in members), default=0)
    kind = Counted(
        count=wanted.spares, media=like.media, interface=like.interface, at_least=least or None,
        sector_bytes=like.sector_bytes,
    )  # fmt: skip
    free, passed_over = _free(wanted, kind, controller, stock)
    free = [
        place for place in free
        if not any(place.overlaps(member) for member in members) and (place.drive.size_bytes or 0) >= least
    ]  # fmt: skip
    if len(free) < wanted.spares:
        names = {place.drive.id for place in members}
        others = [text for text in passed_over if text.partition(": ")[0] not in names]
        lack = f"{counted(wanted.spares, 'spare')} needed, {counted(len(free), 'drive')} free and fitting."
        return [], [lack, *others]
    return free[: wanted.spares], []


def _place(drive: Drive, part: str, machine: Machine) -> Place:
    node = drive.device
    if node is not None and part:
        node = partition_node(node, part)
    return Place(drive=drive, node=node, part=part, name=machine.name(drive) + (f"-part{part}" if part else ""))


def _unlike(drive: Drive, wanted: Counted) -> Iterator[str]:
    """Why a drive does not match a counted specification."""
    for key, want in (("media", wanted.media), ("interface", wanted.interface), ("sector_bytes", wanted.sector_bytes)):
        value = getattr(drive, key)
        if want is not None and value != want:
            word = key.replace("_bytes", " size")
            yield f"{drive.id}: {word} {value or 'unknown'}, not {want}."
    if wanted.at_least is not None and (drive.size_bytes is None or drive.size_bytes < wanted.at_least * 0.99):
        size = "size unknown" if drive.size_bytes is None else format_decimal(drive.size_bytes)
        yield f"{drive.id}: {size}, not at least {format_decimal(wanted.at_least)}."


def objections(
    place: Place, controller: Controller, stock: Stock, partition: Partition | None = None, *, counted: bool = False
) -> Iterator[str]:
    """Why a drive must not become part of a new volume.

    Each reason is a sentence. If ``partition`` is given, it is created on the drive.
    """
    drive = place.drive
    if any(place.overlaps(other) for other in stock.taken):
        yield f"{drive.id}: another volume of the layout uses it."
    if controller.mode == "software":
        if not drive.serial or stock.machine.serials.get(drive.serial, 0) != 1:
            yield f"{drive.id}: its serial number is unknown, or that of several drives."
        yield from _in_system(place, stock, partition, counted=counted)
    else:
        yield from _behind_controller(drive, stock.seen)
    for objection in health(drive):
        if not (objection.overridable and stock.unsafe):
            remedy = f" {objection.remedy}" if objection.overridable and objection.remedy else ""
            yield f"{objection.text}{remedy}"


def _in_system(place: Place, stock: Stock, partition: Partition | None, *, counted: bool) -> Iterator[str]:
    """Objections to a drive that the system sees: use, signatures, processes."""
    node = place.node
    if partition is not None:
        made = stock.seen.view.block(node)
        whole = stock.seen.view.block(place.drive.device)
        if made is None or made.node != node or whole is None:
            # a new partition, on an empty drive or after the partitions of other volumes
            node = place.drive.device
        elif why := differs(made, partition, place.drive):
            yield f"{place.drive.id}: {why}"
            return
    block = stock.seen.view.block(node)
    if node is None or block is None or block.node != node:
        yield f"{place.drive.id}: the kernel does not show {node or 'its device'}."
        return
    # drives that are only counted are never wiped: --wipe is for named ones
    wiped = place.drive.serial in stock.wipe and not counted
    candidate = Candidate(drive=place.drive, node=node)
    above = [one.node for one in stock.seen.view.above(block.name) if one.kind != "partition"]
    uses = [
        objection.text for objection in used(stock.seen, candidate, block)
        if not (wiped and not above and objection.guard == "R7" and not _mounted(stock.seen, block))
    ]  # fmt: skip
    yield from uses
    yield from _overwriting(place, stock, block, wiped=wiped, wipe=None if counted else f"--wipe {place.drive.serial}")


def _overwriting(place: Place, stock: Stock, block: BlockDevice, *, wiped: bool, wipe: str | None) -> Iterator[str]:
    """Objections to what a device contains. ``wipe``: the option that would erase it."""
    contents = stock.contents.get(block.node, Contents())
    if wiped or (stock.unsafe and wipe) or place.drive.serial in stock.prepared:
        contents = contents.left_over
    for objection in overwritten(block.node, contents, block.filesystem, wipe=wipe):
        signed = objection.guard == "R11" and not objection.unknown
        if not (signed and wiped):
            remedy = f" {objection.remedy}" if objection.remedy and (wipe or not objection.overridable) else ""
            yield f"{objection.text}{remedy}"


def _mounted(seen: Survey, block: BlockDevice) -> bool:
    return bool(block.mountpoints or any(one.mountpoints for one in seen.view.above(block.name)))


def _behind_controller(drive: Drive, seen: Survey) -> Iterator[str]:
    """Objections to a drive behind a controller: member, spare, or foreign."""
    if drive.role != "unassigned":
        word = "its use is unknown" if drive.role is None else f"it is a {drive.role} drive"
        yield f"{drive.id}: {word}{f' of {drive.array}' if drive.array else ''}."
    if drive.foreign:
        yield f"{drive.id}: it holds a configuration that the controller has not imported."
    block = seen.view.block(drive.device)
    if block is not None:
        uses = used(seen, Candidate(drive=drive, node=block.node), block)
        yield from (objection.text for objection in uses if objection.guard == "R7")


def _alike(places: Sequence[Place], *, mixed: bool = False) -> Iterator[str]:
    """Why drives do not belong in one array. Kind and sectors must match, and sizes within a tenth."""
    for key, word in (("media", "kinds"), ("interface", "interfaces"), ("sector_bytes", "sector sizes")):
        values = {getattr(place.drive, key) for place in places}
        if len(values) > 1:
            yield f"Its drives have different {word}: {', '.join(sorted(str(value or 'unknown') for value in values))}."
    sizes = [place.drive.size_bytes for place in places]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        yield "The size of one of its drives is unknown."
    elif not mixed and known and max(known) > min(known) * (1 + _ROOM):
        yield f"Its drives have {format_decimal(min(known))} to {format_decimal(max(known))}: more than 10% apart."
