"""Named objects with the parts that carry them, and their findings. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from raidctl.errors import CannotTell
from raidctl.host import BlockDevice, HostView
from raidctl.model import Inventory, Problem
from raidctl.select import below, controllers_of, find, items, narrow, walked
from raidctl.text import listing, printable

_ALSO = "{} is also on {}, which no controller, array or drive is."
_REMEDY = '"raidctl doctor" shows whether a tool is missing.'


def with_below(inventory: Inventory, ids: frozenset[str]) -> frozenset[str]:
    """Return these ids with the drives and volumes below their members."""
    # an array below stays with its drives; its other volumes are not meant
    arrays = {array.id for controller in inventory.controllers for array in controller.arrays}
    return ids | (below(inventory, _names(narrow(inventory, ids))) - arrays)


def narrow_with_carriers(inventory: Inventory, ids: frozenset[str]) -> Inventory:
    """Reduce an inventory to these objects, what is below their members, and the batteries of volumes' controllers.

    The controllers of the objects themselves come first.
    """
    found = narrow(inventory, _with_carriers(inventory, ids))
    own = controllers_of(found, ids)
    return replace(found, controllers=tuple(sorted(found.controllers, key=lambda one: one.id not in own)))


def _with_carriers(inventory: Inventory, ids: frozenset[str]) -> frozenset[str]:
    found = with_below(inventory, ids)
    volumes = {volume.id for controller in narrow(inventory, found).controllers for volume in controller.volumes}
    batteries = (
        battery.id
        for controller in inventory.controllers
        if any(volume.id in volumes for volume in controller.volumes)
        for battery in controller.batteries
    )
    return found | frozenset(batteries)


def unlisted(inventory: Inventory, view: HostView, path: str) -> list[str]:
    """Return the lowest devices of a path that are not those of a listed volume or drive.

    None if nothing there is known.
    """
    found, ends = walked(inventory, view, path.rstrip("/") or "/")
    controllers = inventory.controllers
    drives = {drive.device for controller in controllers for drive in controller.drives if drive.device}
    volumes = {volume.device for controller in controllers for volume in controller.volumes if volume.device}
    known = {block.wwn or block.serial for node in drives | volumes if (block := view.block(node))} - {None, ""}
    # the namespaces of a drive, and the two halves of a dual-actuator drive, have separate names; the volumes of a
    # controller have its serial number
    models = {(block.serial, block.model) for node in drives if (block := view.block(node)) and block.serial}

    def is_unfamiliar(block: BlockDevice | None) -> bool:
        return block is None or ((block.wwn or block.serial) not in known and (block.serial, block.model) not in models)

    return [node for node in ends if is_unfamiliar(view.block(node))] if found else []


def with_unlisted(inventory: Inventory, view: HostView, words: Sequence[str]) -> Inventory:
    """Return the inventory with a problem for each device below the named paths that no tool lists."""
    found = [
        Problem("error", node, _ALSO.format(printable(word), printable(node)), _REMEDY, "unread")
        for word in words
        for node in unlisted(inventory, view, word)
    ]
    return replace(inventory, problems=(*inventory.problems, *found)) if found else inventory


def named_objects(inventory: Inventory, view: HostView, words: Sequence[str]) -> Inventory:
    """Return the named objects and what carries them, with a problem for each device that no tool lists.

    Raises:
        UsageError, CannotTell, AccessMissing: As :func:`raidctl.select.find`.
    """
    whole = with_unlisted(inventory, view, words)
    return narrow_with_carriers(whole, find(whole, view, words))


def find_whole(inventory: Inventory, view: HostView, word: str) -> frozenset[str]:
    """Return the ids that a name means, if all devices below it are known.

    Raises:
        UsageError: The name means nothing, or several objects.
        CannotTell: It is also on a device that no tool lists.
    """
    found = find(inventory, view, [word])
    if others := unlisted(inventory, view, word):
        also = _ALSO.format(printable(word), listing(map(printable, others))).rstrip(".")
        raise CannotTell(f"{also}; name volumes and drives by their ids.")
    return found


def left_out(narrowed: Inventory, whole: Inventory) -> frozenset[str]:
    """Return what findings about a narrowed inventory are not about.

    A drive alone has those of its volumes. A drive or volume below a software array has those of the array, too, unless
    one of its members is listed.
    """
    arrays = {array.id for controller in narrowed.controllers for array in controller.arrays}
    alone = {d.array for c in narrowed.controllers for d in c.drives if d.array and d.array not in arrays}
    carriers = {name for c in narrowed.controllers for d in c.drives for name in d.backing}
    on_top = members_on(whole, _names(narrowed) - carriers)
    alone |= {d.array for c in whole.controllers for d in c.drives if d.id in on_top and d.array}
    above = on_top | {volume.id for c in whole.controllers for volume in c.volumes if volume.array in alone}
    places = {problem.where for problem in whole.problems} - {problem.where for problem in narrowed.problems}
    return frozenset((_names(whole) - _names(narrowed) - above) | (places - above))


def members_on(inventory: Inventory, ids: Collection[str]) -> set[str]:
    """Return the ids of the members of software arrays on these drives and volumes, and on arrays of such members."""
    arrays = {volume.id: volume.array for c in inventory.controllers for volume in c.volumes}
    found, below = set[str](), set(ids)
    while True:
        new = {d.id for c in inventory.controllers for d in c.drives if below.intersection(d.backing)} - found
        if not new:
            return found
        found |= new
        grown = {d.array for c in inventory.controllers for d in c.drives if d.id in new and d.array}
        below = {name for name, array in arrays.items() if array in grown}


def _names(inventory: Inventory) -> set[str]:
    return {item.id for controller in inventory.controllers for item in items(controller)}
