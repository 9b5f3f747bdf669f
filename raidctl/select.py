"""Find the objects that a user names, and narrow to them. Pure.

An object is named by its id, by the part of the id that the screen shows (``v1``, ``1I:1:4``), by the unique beginning
of an id, by a device (``/dev/sdb``, ``/dev/disk/by-id/…``), by a mount point, a volume by its label, a drive by its
serial number, world wide name or bay (``serial:ZC1A2B3C``, ``wwn:5000c500a1b2c3d4``, ``bay:4``, ``bay:252:4``,
``bay:Slot 03``, ``enclosure:0x5003048001a2b3bd/Slot 03``; the first two also bare). Ids, devices and mount points go
first; ambiguous names are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from raidctl.errors import AccessMissing, CannotTell, RaidctlError, UsageError
from raidctl.host import HostView
from raidctl.model import Array, Battery, Controller, Drive, Inventory, Problem, Volume
from raidctl.order import natural
from raidctl.text import listing, printable, regex

Item = Controller | Array | Volume | Drive | Battery
_UNSEEN = ("unread", "no_right", "no_tool")  # may hide objects; the first one present decides the exit code
_MARKS = ("serial", "wwn", "bay", "enclosure")
"""Prefixes before a colon by which a drive can be named."""
# Slot 03, SLOT 003, bay3, and of a number alone its zeros
_NUMBERED = regex(r"[a-z_#-]*?0*(\d+)", re.ASCII)


class Ambiguous(UsageError):
    """A name matches several objects."""


class Unknown(UsageError):
    """A name matches no object."""

    def __init__(self, word: str, hint: str) -> None:
        super().__init__(f'No object is called "{word}"; {hint}')
        self.less_sure = UsageError(f'"{word}" was not found; {hint}')


def items(controller: Controller) -> Iterator[Item]:
    """Yield the controller itself, then all its parts."""
    yield controller
    yield from controller.batteries
    yield from controller.arrays
    yield from controller.volumes
    yield from controller.drives


def object_of(inventory: Inventory, object_id: str) -> Item | None:
    """Return the object of a machine with an id; None: there is none."""
    every = (item for controller in inventory.controllers for item in items(controller))
    return next((item for item in every if item.id == object_id), None)


def family_in(identifier: str) -> str:
    """Return the family in the id of any object: ``md`` of ``md:md0``."""
    return identifier.partition(":")[0]


def family_of(controller: Controller) -> str:
    """Return the family of a controller."""
    return family_in(controller.id)


def short(identifier: str, controller: str) -> str:
    """Shorten an id to its form below the controller. ``smartarray:1/v1`` becomes ``v1``, ``md:md0`` becomes ``md0``.

    >>> short("smartarray:1/1I:1:4", "smartarray:1"), short("md:md0/sda1", "md")
    ('1I:1:4', 'md0/sda1')
    """
    if identifier.startswith(f"{controller}/"):
        return identifier[len(controller) + 1 :]
    family, colon, rest = identifier.partition(":")
    return rest if colon and rest and controller.partition(":")[0] == family else identifier


def find(inventory: Inventory, view: HostView, words: Sequence[str]) -> frozenset[str]:
    """Return the ids of the named objects.

    Raises:
        UsageError: A name matches no object, or several; the message has similar names.
        CannotTell: It matches no object, but not everything could be read.
        AccessMissing: The same, as a tool or a permission is missing.
    """
    try:
        return frozenset(identifier for word in words for identifier in _ids_named(inventory, view, word))
    except Unknown as error:
        hidden = unseen(error.less_sure, inventory.problems)
        raise (error if hidden is error.less_sure else hidden) from None


def unseen(error: UsageError, problems: Sequence[Problem]) -> RaidctlError:
    """Return the error, or a weaker one if what could not be read may hide the object."""
    found = next((one for kind in _UNSEEN for one in problems if (one.kind, one.severity) == (kind, "error")), None)
    if found is None:
        return error
    hidden = CannotTell if found.kind == "unread" else AccessMissing
    return hidden(f"{error} But not everything could be read: {found.where}: {found.message}")


def find_drive(inventory: Inventory, view: HostView, word: str) -> str:
    """Return the id of the single physical drive that a word names.

    A member of a software array is the drive below it, with everything else on that drive.

    Raises:
        UsageError: As :func:`find`; also for the name of anything but one drive, whose drives are then listed.
    """
    ids = sorted(find(inventory, view, [word]), key=natural)
    known = {item.id: item for controller in inventory.controllers for item in items(controller)}
    below = physical(inventory, ids)
    upper = [name for name in ids if not isinstance(known[name], Drive)]
    upper += [name for name in ids if isinstance(known[name], Drive) and _on_volume(known, name)]
    if not upper:
        return _only(word, list(below), ())[0]
    kind = type(known[upper[0]]).__name__.lower()
    what = "is on a volume, and is not one drive" if kind == "drive" else f"is not a drive, but the {kind} {upper[0]}"
    hint = f"name one of its drives: {_shortened_listing(below)}." if below else '"raidctl show" lists the drives.'
    raise UsageError(f'"{printable(word)}" {what}; {hint}')


def _on_volume(known: Mapping[str, Item], name: str) -> bool:
    """Whether a software array's member is on a volume or several drives."""
    backing = getattr(known[name], "backing", ())
    return len(backing) > 1 or any(not isinstance(known.get(below), Drive) for below in backing)


def physical(inventory: Inventory, ids: Iterable[str]) -> tuple[str, ...]:
    """Return the ids of the physical drives behind objects.

    An object is one of them, or is on them. Each is returned once, in inventory order.
    """
    known = {item.id: item for controller in inventory.controllers for item in items(controller)}
    arrays = {array.id: array for controller in inventory.controllers for array in controller.arrays}
    found, seen, waiting = set[str](), set[str](), list(ids)
    for name in waiting:
        item = known.get(name)
        if item is None or name in seen:
            continue
        seen.add(name)
        if isinstance(item, Drive) and not item.backing:
            found.add(name)
        elif isinstance(item, Drive):
            waiting += item.backing
        elif isinstance(item, Volume) and item.array in arrays:
            waiting.append(item.array)
        elif isinstance(item, Array):
            waiting += item.drives
        elif isinstance(item, Controller):
            waiting += [drive.id for drive in item.drives]
    return tuple(name for name in known if name in found)


def below(inventory: Inventory, ids: Iterable[str]) -> set[str]:
    """Return the ids of the drives and volumes below these drives, and of what they consist of."""
    known = {item.id: item for controller in inventory.controllers for item in items(controller)}
    found, waiting = set[str](), [name for name in ids if isinstance(known.get(name), Drive)]
    for name in waiting:
        item = known.get(name)
        if item is None or name in found:
            continue
        found.add(name)
        if isinstance(item, Drive):
            waiting += item.backing
        elif isinstance(item, Array):
            waiting += item.drives
        elif isinstance(item, Volume) and item.array:
            waiting.append(item.array)
    return found


def controllers_of(inventory: Inventory, ids: frozenset[str]) -> frozenset[str]:
    """Return the ids of the controllers that have these objects."""
    return frozenset(one.id for one in inventory.controllers if any(item.id in ids for item in items(one)))


def narrow(inventory: Inventory, ids: frozenset[str]) -> Inventory:
    """Reduce the inventory to these objects.

    A controller includes all its parts; an array its volumes and drives; a volume its array and that array's drives.
    Problems stay unless they are about an object that is left out.
    """
    kept = tuple(part for part in (_narrow(controller, ids) for controller in inventory.controllers) if part)
    remaining = {item.id for controller in kept for item in items(controller)}
    left_out = {item.id for controller in inventory.controllers for item in items(controller)} - remaining
    left_out |= {c.pci_address for c in inventory.controllers if c.pci_address and c.id not in remaining}

    def concerns(problem: Problem) -> bool:
        return problem.where not in left_out

    return msgspec.structs.replace(
        inventory,
        controllers=kept,
        tasks=tuple(task for task in inventory.tasks if not remaining.isdisjoint((task.object_id, *task.also))),
        problems=tuple(problem for problem in inventory.problems if concerns(problem)),
    )


def _narrow(controller: Controller, ids: frozenset[str]) -> Controller | None:
    if controller.id in ids:
        return controller
    if not any(item.id in ids for item in items(controller)):
        return None
    named = [array for array in controller.arrays if array.id in ids]
    beneath = {volume.array for volume in controller.volumes if volume.id in ids}
    arrays = [array for array in controller.arrays if array.id in ids or array.id in beneath]
    wanted = {name for array in arrays for name in (*array.drives, *array.spares)} | ids
    on_arrays = {array.id for array in arrays}
    return msgspec.structs.replace(
        controller,
        batteries=tuple(battery for battery in controller.batteries if battery.id in ids),
        arrays=tuple(arrays),
        volumes=tuple(v for v in controller.volumes if v.id in ids or v.array in {array.id for array in named}),
        drives=tuple(d for d in controller.drives if d.id in wanted or d.array in on_arrays),
    )


def _ids_named(inventory: Inventory, view: HostView, word: str) -> list[str]:
    """Return the ids that a name matches. The first kind of name that matches anything decides."""
    every = [(controller, item) for controller in inventory.controllers for item in items(controller)]
    ids = [item.id for _, item in every]
    if word in ids:
        return [word]
    if (mark := word.partition(":")[0]) in _MARKS:
        return _only(word, _marked(inventory, mark, word.partition(":")[2]), _known_marks(inventory, mark))
    if word.startswith(("/", "[")):
        found = _on_path(inventory, view, word.rstrip("/") or "/")
        if found:
            return found
        return _only(word, _named(inventory, word), [*ids, *_paths(inventory), *_names(inventory)])
    tails = [
        item.id for controller, item in every if word in (short(item.id, controller.id), item.id.rpartition("/")[2])
    ]
    matches = _topmost(tails or [name for name in ids if word and name.startswith(word)])
    if not matches and (on_device := _on_path(inventory, view, f"/dev/{word}")):
        return on_device
    named = [] if tails else _named(inventory, word)
    marked = [*_marked(inventory, "serial", word), *_marked(inventory, "wwn", word)]
    return _only(word, list(dict.fromkeys([*matches, *named, *marked])), [*ids, *_names(inventory)])


def _marked(inventory: Inventory, mark: str, text: str) -> list[str]:
    """Return the drives with a serial number, world wide name or bay.

    A member of an array is returned if no drive has it.
    """
    wanted = _spelled(mark, text)
    drives = [drive for controller in inventory.controllers for drive in controller.drives]
    found = [drive for drive in drives if wanted and wanted in (_spelled(mark, one) for one in _labels(drive, mark))]
    return [drive.id for drive in found if not drive.backing] or [drive.id for drive in found]


def _labels(drive: Drive, mark: str) -> Iterator[str]:
    """Yield the labels of a drive."""
    if mark == "bay":
        yield from _bay_labels(drive.enclosure, drive.bay)
    elif mark == "enclosure" and drive.enclosure and drive.bay:
        yield f"{drive.enclosure}/{drive.bay}"
    elif mark != "enclosure" and (value := drive.serial if mark == "serial" else drive.wwn):
        yield value


def _bay_labels(enclosure: str | None, bay: str | None) -> Iterator[str]:
    """Yield the names of a bay: ``4``, and with its enclosure ``252:4``."""
    if bay:
        yield bay
    if bay and enclosure:
        yield f"{enclosure}:{bay}"


def names_bay(word: str, enclosure: str | None, bay: str | None) -> bool:
    """Return whether ``bay:4`` or ``bay:252:4`` names a bay."""
    mark, _, text = word.partition(":")
    return mark == "bay" and _spelled(mark, text) in (_spelled(mark, one) for one in _bay_labels(enclosure, bay))


def plain_serial(text: str | None) -> str:
    """Return a serial number in one spelling: ``serial:S3 ABC`` and ``s3abc``. Empty if there is none."""
    return "".join((text or "").removeprefix("serial:").split()).lower()


def _spelled(mark: str, text: str) -> str:
    """Return a label in one spelling: ``0x5000C500A1B2C3D4`` and ``naa.5000c500a1b2c3d4``, ``Slot 03`` and ``3``."""
    plain = "".join(text.split()).lower()
    if mark == "wwn":
        return plain.removeprefix("0x").removeprefix("naa.").removeprefix("wwn-0x")
    if mark in ("bay", "enclosure"):
        return ":".join(_NUMBERED.sub(r"\1", part) if _NUMBERED.fullmatch(part) else part
                        for part in re.split("[:/]", plain))  # fmt: skip
    return plain


def _known_marks(inventory: Inventory, mark: str) -> Iterator[str]:
    drives = (drive for controller in inventory.controllers for drive in controller.drives)
    return (f"{mark}:{label}" for drive in drives for label in _labels(drive, mark))


def _topmost(ids: list[str]) -> list[str]:
    """Return the one object that contains all others, or else all."""
    first = min(ids, key=len, default="")
    return [first] if ids and all(name == first or name.startswith(f"{first}/") for name in ids) else ids


def _named(inventory: Inventory, word: str) -> list[str]:
    """Return the volumes with a label, spelled as by tool or screen."""
    return [v.id for c in inventory.controllers for v in c.volumes if v.name and word in (v.name, printable(v.name))]


def _names(inventory: Inventory) -> Iterator[str]:
    return (volume.name for controller in inventory.controllers for volume in controller.volumes if volume.name)


def _only(word: str, matches: list[str], known: Iterable[str]) -> list[str]:
    """Return the only match; ``known``: names to suggest instead."""
    # similar ids of other objects are never suggested
    if not matches and word.partition(":")[0] in ("bay", "enclosure"):
        raise Unknown(printable(word), '"raidctl show" lists the bays with a drive, "raidctl locate list" empty ones.')
    if not matches:
        raise _unknown(word, known)
    if len(matches) == 1:
        return matches
    end = "name one by its id." if word.partition(":")[0] in _MARKS else "write more of the id."
    raise Ambiguous(f'"{printable(word)}" can mean {_shortened_listing(sorted(matches, key=natural))}: {end}')


def _shortened_listing(names: Sequence[str]) -> str:
    """Join names, the rest of a long list counted."""
    more = [f"{len(names) - 6} more"] if len(names) > 7 else []
    return listing(map(printable, [*(names[:6] if more else names), *more]))


def _on_path(inventory: Inventory, view: HostView, path: str) -> list[str]:
    """Return volumes and drives at or below a device or mount point."""
    mounted = [v.id for c in inventory.controllers for v in c.volumes if path in v.mountpoints]
    mounted += [d.id for c in inventory.controllers for d in c.drives if path in d.mountpoints]
    return walked(inventory, view, path)[0] or mounted


def walked(inventory: Inventory, view: HostView, path: str) -> tuple[list[str], list[str]]:
    """Go down from a path. Return the ids found, and the lowest nodes that are none of these objects."""
    devices = _devices(inventory)
    nodes = {path} | {block.node for block in view.blocks if path in block.mountpoints}
    seen: set[str] = set()
    found: list[str] = []
    ends: list[str] = []
    while nodes:
        direct = {node for node in nodes if node in devices}
        found += [name for node in sorted(direct) for name in devices[node]]
        seen |= nodes
        under = {node: {*_below(view, node)} for node in nodes - direct}
        ends += [node for node in sorted(under) if under[node] <= {node} and (node != path or view.block(node))]
        nodes = {below for several in under.values() for below in several} - seen
    return found, ends


def _below(view: HostView, node: str) -> Iterator[str]:
    """Yield the nodes below a device. Its own kernel node is included, as it may be named by a link."""
    block = view.block(node)
    if block is None:
        return
    yield block.node
    for name in block.slaves:
        under = view.block(name)
        yield under.node if under else f"/dev/{name}"
    if block.parent and (under := view.block(block.parent)):
        yield under.node


def _devices(inventory: Inventory) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for controller in inventory.controllers:
        devices = [(volume.device, volume.id) for volume in controller.volumes]
        devices += [(drive.device, drive.id) for drive in controller.drives]
        for device, identifier in devices:
            if device:
                found.setdefault(device, []).append(identifier)
    return found


def _paths(inventory: Inventory) -> Iterator[str]:
    yield from _devices(inventory)
    for controller in inventory.controllers:
        for volume in controller.volumes:
            yield from volume.mountpoints
        for drive in controller.drives:
            yield from drive.mountpoints


def _unknown(word: str, names: Iterable[str]) -> Unknown:
    from difflib import get_close_matches  # noqa: PLC0415 - rarely needed
    from shlex import quote  # noqa: PLC0415 - as above

    near = get_close_matches(word, list(dict.fromkeys(names)), n=3, cutoff=0.6)
    hint = f"did you mean {listing(map(printable, near), 'or')}?" if near else '"raidctl show" lists what there is.'
    if not near and word.startswith("/") and not word.startswith("/dev/"):
        hint = f"a directory is named by its mount point: findmnt -T {quote(word)}"
    return Unknown(printable(word), hint)
