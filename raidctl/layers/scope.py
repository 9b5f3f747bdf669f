"""Find everything below a target: block devices, volumes, drives, controllers.

Block devices are listed from top to bottom. Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raidctl.errors import UsageError
from raidctl.host import BlockDevice, HostView
from raidctl.model import Controller, Drive, Inventory, Volume
from raidctl.select import find
from raidctl.text import printable

KERNEL = "kernel"
VM = f"{KERNEL}:vm"


@dataclass(frozen=True)
class Scope:
    """The stack below a target, or that of the whole machine."""

    target: str | None
    roots: tuple[BlockDevice, ...] = ()
    """The target's block devices."""
    blocks: tuple[BlockDevice, ...] = ()
    """From top to bottom."""
    mountpoints: tuple[str, ...] = ()
    """File systems of the target and on it."""
    volumes: tuple[tuple[Controller, Volume], ...] = ()
    drives: tuple[tuple[Controller, Drive], ...] = ()
    """The drives, without the members of software arrays. The drives below these are listed themselves."""
    controllers: tuple[Controller, ...] = ()
    hidden: tuple[str, ...] = ()
    """Ids of the target's own volumes of which neither block device nor file systems are known."""

    @property
    def names(self) -> list[str]:
        """Return the kernel names of the block devices."""
        return [block.name for block in self.blocks]


def scope(view: HostView, inventory: Inventory, target: str | None) -> Scope:
    """Return the stack below a target.

    The target is a mount point, a device, or the id of an object or layer (``kernel:bcache0``).

    Raises:
        UsageError: The target matches nothing, or several objects.
    """
    if target is None:
        return _whole(view, inventory)
    if target == VM:
        return Scope(target)
    roots = _blocks(view, target)
    ids: frozenset[str] = frozenset()
    if not roots:
        ids = find(inventory, view, [target])
        roots = [block for node in _nodes(inventory, ids) if (block := view.block(node)) is not None]
    return _below(view, inventory, target, roots, ids)


def _whole(view: HostView, inventory: Inventory) -> Scope:
    blocks = ordered(view, view.blocks)
    return Scope(
        None,
        (),
        tuple(blocks),
        tuple(sorted({point for block in blocks for point in block.mountpoints if point.startswith("/")})),
        tuple((controller, volume) for controller in inventory.controllers for volume in controller.volumes),
        tuple(
            (controller, d)
            for controller in inventory.controllers
            if controller.mode != "software"
            for d in controller.drives
        ),
        inventory.controllers,
    )


def _blocks(view: HostView, target: str) -> list[BlockDevice]:
    """Return the devices that a path or a layer's id names."""
    family, colon, name = target.partition(":")
    if colon and family == KERNEL:
        block = view.block(name)
        if block is None:
            raise UsageError(f'There is no block device "{printable(name)}"; "raidctl cache show" lists the layers.')
        return [block]
    path = target.rstrip("/") or "/"
    block = view.block(path) if path.startswith("/dev/") else None
    if block is not None:
        return [block]
    return [block for block in view.blocks if path in block.mountpoints]


def _nodes(inventory: Inventory, ids: frozenset[str]) -> list[str]:
    """Return the nodes of the named volumes and drives. The id of a controller or an array covers all that it has."""
    found: list[str] = []
    for controller in inventory.controllers:
        parts: tuple[Volume | Drive, ...] = (*controller.volumes, *controller.drives)
        found += [item.device for item in parts if item.device and _is_named(controller, item, ids)]
    return list(dict.fromkeys(found))


def _below(
    view: HostView, inventory: Inventory, target: str, roots: Sequence[BlockDevice], ids: frozenset[str]
) -> Scope:
    reached = ordered(view, _reached(view, roots))
    nodes = {name for block in reached for name in (block.node, *block.links)}
    controllers = inventory.controllers
    strange = _strange(inventory, reached)
    points = {point for block in roots for point in view.mountpoints(block.name) if point.startswith("/")}
    path = target.rstrip("/") or "/"
    if any(path in block.mountpoints for block in roots):
        points = {path}
    pools = {name.split("/")[0] for block in reached if (name := block.dataset)}
    volumes = [
        (c, v)
        for c in controllers
        for v in c.volumes
        if v.device in nodes
        or _is_named(c, v, ids)
        or (v.device is None and (c.pci_address in strange or _is_pool(v, points, pools)))
    ]
    arrays = {(c.id, v.array) for c, v in volumes if v.array}
    members = {name for c in controllers for array in c.arrays if (c.id, array.id) in arrays for name in array.drives}
    drives = [
        (c, d)
        for c in controllers
        if c.mode != "software"
        for d in c.drives
        if d.device in nodes or _is_named(c, d, ids) or d.id in members or (d.array and (c.id, d.array) in arrays)
    ]
    used = {c.id for c, _ in (*volumes, *drives)}
    used |= {c.id for c in controllers if c.id in ids or c.pci_address in strange}
    return Scope(
        target,
        tuple(roots),
        tuple(reached),
        tuple(sorted(points)),
        tuple(volumes),
        tuple(drives),
        tuple(c for c in controllers if c.id in used),
        tuple(v.id for c, v in volumes if _is_named(c, v, ids) and _is_hidden(v, view, points)),
    )


def _is_pool(volume: Volume, points: set[str], pools: set[str]) -> bool:
    """Whether a volume without a device is the pool of one of these mount points, or of one of these volumes of ZFS."""
    return not points.isdisjoint(volume.mountpoints) or volume.name in pools


def _is_hidden(volume: Volume, view: HostView, points: set[str]) -> bool:
    """Whether neither the block device of a volume is known nor all that is on it.

    A pool of ZFS has only file systems, unless there are volumes of ZFS (``/dev/zd0``).
    """
    if volume.device is not None and view.block(volume.device) is not None:
        return False
    zvols = any(block.name.startswith("zd") for block in view.blocks)
    return zvols or not volume.mountpoints or not points.issuperset(volume.mountpoints)


def _strange(inventory: Inventory, blocks: Iterable[BlockDevice]) -> set[str]:
    """Return the PCI addresses of drives that match no known object, and may be volumes without a known device."""
    known = {volume.device for c in inventory.controllers for volume in c.volumes}
    known |= {drive.device for c in inventory.controllers for drive in c.drives}
    return {
        block.pci_address
        for block in blocks
        if block.pci_address and block.kind == "disk" and known.isdisjoint((block.node, *block.links))
    }


def _is_named(controller: Controller, item: Volume | Drive, ids: frozenset[str]) -> bool:
    return item.id in ids or controller.id in ids or (item.array is not None and item.array in ids)


def _reached(view: HostView, roots: Iterable[BlockDevice]) -> list[BlockDevice]:
    """Return the devices and all devices below them, each once."""
    found = {block.name: block for block in roots}
    waiting = deque(found.values())
    while waiting:
        block = waiting.popleft()
        for name in (*block.slaves, *((block.parent,) if block.parent else ())):
            below = view.block(name)
            if below is not None and below.name not in found:
                found[below.name] = below
                waiting.append(below)
    return list(found.values())


def ordered(view: HostView, blocks: Iterable[BlockDevice]) -> list[BlockDevice]:
    """Sort devices so that each comes before all below it. Keep the order within a cycle (corrupt sysfs)."""
    known = {block.name: block for block in blocks}
    below = {name: _under(view, block, known) for name, block in known.items()}
    above = dict.fromkeys(known, 0)
    for names in below.values():
        for name in names:
            above[name] += 1
    ready = deque(name for name, count in above.items() if not count)
    order: list[BlockDevice] = []
    while ready:
        name = ready.popleft()
        order.append(known.pop(name))
        for under in below[name]:
            above[under] -= 1
            if not above[under] and under in known:
                ready.append(under)
    return [*order, *known.values()]


def _under(view: HostView, block: BlockDevice, known: dict[str, BlockDevice]) -> list[str]:
    names = dict.fromkeys((*block.slaves, *((block.parent,) if block.parent else ())))
    found = (view.block(name) for name in names)
    return [under.name for under in found if under is not None and under.name in known and under.name != block.name]
