"""Add the kernel's facts to volumes, drives and controllers. Pure.

Of a device: the settings of its queue, the layers on it and their offsets, its mounts and their options. Of a
controller: its PCI Express link. Members of md arrays get their data offset only; the rest belongs to their drives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from raidctl.discovery.index import Index
from raidctl.discovery.kernel_evidence import KernelEvidence
from raidctl.host import BlockDevice, HostView
from raidctl.model import Block, BlockLayer, Controller, Drive, LayerKind, Mount, PciLink, Volume
from raidctl.survey.block_devices import Linked

_Item = TypeVar("_Item", bound="Volume | Drive")
_CACHES: Mapping[str, Literal["write_back", "write_through"]] = {
    "write back": "write_back",
    "write through": "write_through",
}
_DM_UUID_PREFIXES: Sequence[tuple[str, LayerKind]] = (
    ("LVM-", "lvm"), ("CRYPT-", "crypt"), ("mpath-", "multipath"), ("part", "partition"),
)  # fmt: skip
"""Prefixes of the device mapper's unique ids. Partitions of a multipath device have ``part1-mpath-``."""
_LINK = (
    ("width", "current_link_width"), ("max_width", "max_link_width"),
    ("speed_gtps", "current_link_speed"), ("max_speed_gtps", "max_link_speed"),
)  # fmt: skip


def add_facts(controllers: Iterable[Controller], view: HostView) -> Linked:
    """Add the kernel's facts on devices and PCI links to the controllers."""
    work = _KernelFacts(Index(view))
    return Linked(tuple(map(work.controller, controllers)), (), work.evidence.outputs())


class _KernelFacts:
    """One pass: the index, and the evidence."""

    def __init__(self, index: Index) -> None:
        self.index, self.view = index, index.view
        self.evidence = KernelEvidence()

    def controller(self, controller: Controller) -> Controller:
        """Add the facts of a controller, its volumes and its drives."""
        software = controller.mode == "software"
        return replace(
            controller,
            pci_link=controller.pci_link if software else self.link(controller),
            volumes=tuple(map(self.device, controller.volumes)),
            drives=tuple(map(self.member if software else self.drive, controller.drives)),
        )

    def link(self, controller: Controller) -> PciLink | None:
        """Return a controller's PCI link; the kernel's values outrank the tool's."""
        function = self.index.functions.get(controller.pci_address or "")
        if function is None or function.lanes is None:
            return controller.pci_link
        found = {name: getattr(function.lanes, name) for name, _ in _LINK}
        for name, file in _LINK:
            if found[name] is not None:
                text = f"{function.address}: {file} {found[name]:g}"
                self.evidence.fact(text, controller.id, f"pci_link.{name}", found[name])
        reported = msgspec.structs.asdict(controller.pci_link or PciLink())
        return PciLink(**{name: reported[name] if value is None else value for name, value in found.items()})

    def member(self, drive: Drive) -> Drive:
        """Add the start offset of an md array's data on a member."""
        own = self.view.block(drive.device)
        array = self.view.block((drive.array or "").partition(":")[2].partition("/")[0])
        if own is None or array is None:
            return drive
        start = next((piece.start_bytes for piece in array.pieces if piece.below == own.name), None)
        if start is None:
            return drive
        text = f"{array.node}: the data begins at byte {start} of {own.node}"
        self.evidence.fact(text, drive.id, "data_offset_bytes", start)
        return replace(drive, data_offset_bytes=start)

    def device(self, item: _Item) -> _Item:
        """Add facts of a volume or drive visible to the operating system."""
        own = self.view.block(item.device)
        if own is None:
            return item
        above = self.index.layers(own)
        offsets = _offsets(own, above)
        mounts: list[Mount] = [
            mount for layer in (own, *above) if layer is own or layer.kind != "md" for mount in layer.mounts
        ]
        block = self.block(own, item.id, "block")
        layers = tuple(self.layer(layer, offsets, item.id, number) for number, layer in enumerate(above))
        return replace(item, block=block, layers=layers, mounts=self.mounts(item.id, mounts))

    def drive(self, drive: Drive) -> Drive:
        """Add the facts of a drive, and its bay.

        The bay is added if its controller reports none. Of several paths, it is that of all.
        """
        drive, own = self.device(drive), self.view.block(drive.device)
        if own is None or drive.bay is not None or drive.enclosure is not None:
            return drive
        below = [self.view.block(name) for name in own.slaves] if own.kind == "dm" else [own]
        places = {(one.enclosure, one.bay) for one in below if one is not None and one.bay is not None}
        if len(places) != 1:
            return drive
        [(enclosure, bay)] = places
        for name, value in (("enclosure", enclosure), ("bay", bay)):
            self.evidence.fact(f"{own.node}: in {bay} of enclosure {enclosure}", drive.id, name, value)
        return replace(drive, enclosure=enclosure, bay=bay)

    def block(self, device: BlockDevice, object_id: str, path: str) -> Block | None:
        """Return the settings of a device's queue; None if none is known."""
        cache, ahead, spins = device.write_cache, device.read_ahead_bytes, device.rotational
        timeout = device.command_timeout_seconds
        rows: Sequence[tuple[str, Any, str]] = (
            ("read_ahead_bytes", ahead, f"queue/read_ahead_kb {(ahead or 0) // 1024}"),
            ("scheduler", device.scheduler, f"queue/scheduler [{device.scheduler}]"),
            ("write_cache", _CACHES.get(cache or ""), f"queue/write_cache {cache}"),
            ("rotational", spins, f"queue/rotational {int(spins or False)}"),
            ("minimum_io_bytes", device.minimum_io_bytes, f"queue/minimum_io_size {device.minimum_io_bytes}"),
            ("command_timeout_seconds", timeout, f"device/timeout {timeout}"),
            ("optimal_io_bytes", device.optimal_io_bytes, f"queue/optimal_io_size {device.optimal_io_bytes}"),
        )
        reported = {name: value for name, value, _ in rows if value is not None}
        for name, value, text in rows:
            if value is not None:
                self.evidence.fact(f"{device.node}: {text}", object_id, f"{path}.{name}", value)
        return Block(**reported) if reported else None

    def layer(
        self, device: BlockDevice, offsets: Mapping[str, tuple[int, ...]], object_id: str, number: int
    ) -> BlockLayer:
        """Return a layer above a volume or drive, and record its evidence."""
        path = f"layers[{number}]"
        below = [*device.slaves, *([device.parent] if device.parent else [])]
        nodes = [found.node if (found := self.view.block(name)) else f"/dev/{name}" for name in below]
        places = {piece.below for piece in device.pieces}
        start = device.pieces[0].start_bytes if len(places) == len(below) == 1 else None
        self.evidence.fact(f"{device.node}: is on {', '.join(nodes)}", object_id, f"{path}.on", ", ".join(nodes))
        own = offsets.get(device.name, ())
        if start is not None:
            text = f"{device.node}: begins at byte {start} of {nodes[0]}"
            self.evidence.fact(text, object_id, f"{path}.start_bytes", start)
        if own:
            starts = ", ".join(map(str, own))
            text = f"{device.node}: begins at byte {starts} of what is shown"
            self.evidence.fact(text, object_id, f"{path}.offsets_bytes", starts)
        if device.filesystem:
            text = f"{device.node}: holds {device.filesystem}"
            self.evidence.fact(text, object_id, f"{path}.filesystem", device.filesystem)
        return BlockLayer(
            device=device.node,
            name=device.dm_name,
            kind=_kind(device),
            on=tuple(nodes),
            start_bytes=start,
            offsets_bytes=own,
            size_bytes=device.size_bytes,
            filesystem=device.filesystem,
            block=None if device.kind == "partition" else self.block(device, object_id, f"{path}.block"),
        )

    def mounts(self, object_id: str, mounts: Sequence[Mount]) -> tuple[Mount, ...]:
        """Return the mounts of a volume or drive, sorted by directory."""
        found = sorted(mounts, key=lambda mount: (mount.point, mount.device))
        for number, mount in enumerate(found):
            words = " ".join((mount.filesystem or "", ",".join(mount.options)))
            text = f"{mount.device}: mounted on {mount.point} {words}".rstrip()
            for name in ("point", "filesystem"):
                self.evidence.fact(text, object_id, f"mounts[{number}].{name}", getattr(mount, name))
            self.evidence.fact(text, object_id, f"mounts[{number}].options", ", ".join(mount.options))
        return tuple(found)


def _kind(device: BlockDevice) -> LayerKind:
    if device.kind in ("partition", "md"):
        return device.kind
    if device.kind != "dm":
        return "other"
    return next((kind for start, kind in _DM_UUID_PREFIXES if (device.dm_uuid or "").startswith(start)), "dm")


def _offsets(own: BlockDevice, above: Sequence[BlockDevice]) -> dict[str, tuple[int, ...]]:
    """Return the layers' offsets in bytes from the start of ``own``.

    A layer on top of a layer of several pieces begins in an unknown one of them, so it gets no offset. A layer that is
    on ``own`` several times (two partitions in one logical volume) has an offset for each piece.
    """
    found: dict[str, tuple[int, ...]] = {own.name: (0,)}
    names = {device.name for device in above}
    waiting = list(above)
    for _ in above:
        later = []
        for device in waiting:
            mine = [piece for piece in device.pieces if piece.below in names or piece.below == own.name]
            if any(piece.below not in found for piece in mine):
                later.append(device)
                continue
            bases = [found[piece.below] for piece in mine]
            whole = all(len(base) == 1 for base in bases)
            starts = {base[0] + piece.start_bytes for base, piece in zip(bases, mine, strict=True)} if whole else set()
            found[device.name] = tuple(sorted(starts))
        if not later:
            break
        waiting = later
    return found
