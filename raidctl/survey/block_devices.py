"""Which volume is which ``/dev/sdX``, and where it is mounted: the tools' word and the kernel's brought together.

Pure: the families' controllers and the kernel's view in, the controllers with the gaps filled out. Where a tool and the
kernel contradict each other, the kernel is believed and a problem says so. An empty view changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from raidctl.discovery.index import Index, registered, serial, wwn
from raidctl.discovery.kernel_evidence import KernelSheet
from raidctl.discovery.pci import normalised
from raidctl.discovery.probe import MOUNTINFO, SWAPS
from raidctl.evidence import Output
from raidctl.host import BlockDevice, HostView, PciDevice
from raidctl.model import Controller, Drive, Interface, Inventory, Problem, Volume
from raidctl.select import family_of
from raidctl.survey.scsi_targets import by_target
from raidctl.text import listing

_INTERFACES: Mapping[str, Interface] = {
    "sata": "sata", "sas": "sas", "nvme": "nvme", "scsi": "scsi", "ata": "ata", "usb": "usb", "virtio": "virtual",
}  # fmt: skip


class Linked(Struct, frozen=True):
    """The controllers with devices, mount points, PCI addresses, and where these were read."""

    controllers: tuple[Controller, ...] = ()
    problems: tuple[Problem, ...] = ()
    sheets: tuple[Output, ...] = ()


def link(
    controllers: Iterable[Controller], view: HostView, drivers: Mapping[str, Sequence[str]] | None = None
) -> Linked:
    """Bring the controllers of the families and the view together.

    Args:
        controllers: What the families that do not take the rest have found.
        view: What the kernel shows; nothing is changed when it is empty.
        drivers: The kernel drivers of each family, by its name: they tell which card a controller without a PCI address
            is, where there is one of each.
    """
    known = tuple(controllers)
    if not view.blocks and not view.pci:
        return Linked(known)
    work = _Link(Index(view))
    linked = [work.controller(controller) for controller in known]
    linked = work.only_cards(linked, drivers or {})
    linked = work.targets(linked, drivers or {})
    described = [work.described(controller) for controller in linked]
    return Linked(tuple(described), tuple(work.problems), work.evidence.sheets())


def mounted(controllers: Iterable[Controller], view: HostView) -> Linked:
    """Where the drives that the operating system sees itself, or what lies on them, are mounted.

    Members of a software array are left out: their array is what is mounted.
    """
    index, evidence = Index(view), KernelSheet()

    def placed(drive: Drive) -> Drive:
        block = index.device(drive.device)
        points = index.mounted(block) if block else []
        for point, layer in points:
            evidence.fact(f"{layer.node}: mounted on {point}", drive.id, "mountpoints", point)
        return replace(drive, mountpoints=tuple(point for point, _ in points)) if points else drive

    told = tuple(c if c.mode == "software" else replace(c, drives=tuple(map(placed, c.drives))) for c in controllers)
    return Linked(told, (), evidence.sheets())


_UNFOLLOWED = frozenset({"bcachefs"})
"""File systems of several devices whose mounts are not traced to all of them."""


def unmounted(inventory: Inventory, view: HostView) -> frozenset[str]:
    """The ids of the volumes of which it is known that nothing of theirs is mounted or swapped to.

    It is not known where the mounts could not be read in full, where the kernel has no such device, and where nobody
    tells which file systems the devices hold: those of several devices (ZFS, btrfs) are traced by that.
    """
    tables = {MOUNTINFO, SWAPS}
    if any(problem.where in tables for problem in inventory.problems) or not any(b.filesystem for b in view.blocks):
        return frozenset()
    index = Index(view)

    def free(volume: Volume) -> bool:
        block = index.device(volume.device)
        if block is None or volume.mountpoints:
            return False
        layers = (block, *index.above(block.name))
        return not any(layer.mountpoints or layer.filesystem in _UNFOLLOWED for layer in layers)

    return frozenset(volume.id for controller in inventory.controllers for volume in controller.volumes if free(volume))


def claimed(controllers: Iterable[Controller], view: HostView | None = None) -> frozenset[str]:
    """Device nodes that the controllers show as a volume or a drive.

    Members of a software array are not among them: the drives below it are still drives of their own. With a view, all
    paths to a claimed disk are claimed.
    """
    nodes = {volume.device for controller in controllers for volume in controller.volumes if volume.device}
    nodes |= {
        drive.device
        for controller in controllers
        if controller.mode != "software"
        for drive in controller.drives
        if drive.device
    }
    index = Index(view or HostView())
    for node in tuple(nodes):
        device = index.device(node)
        if device is None:
            continue
        paths = index.below(device) if device.kind == "dm" else [device]
        for path in (device, *paths, *index.disks("wwn", wwn(device.wwn) if device.kind == "disk" else None)):
            nodes.add(path.node)
    return frozenset(nodes)


class _Link:
    """One linking: the index, and what comes to light on the way."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.problems: list[Problem] = []
        self.evidence = KernelSheet()

    # --- volumes and drives

    def controller(self, controller: Controller) -> Controller:
        """A controller with its volumes and drives linked, and its PCI address where they all hang on one."""
        software = controller.mode == "software"
        volumes = tuple(self.volume(volume, software=software) for volume in controller.volumes)
        drives = tuple(self.member(d) if software else self.drive(d, controller) for d in controller.drives)
        address = controller.pci_address and (normalised(controller.pci_address) or controller.pci_address)
        return self.at_home(replace(controller, volumes=volumes, drives=drives, pci_address=address))

    def at_home(self, controller: Controller) -> Controller:
        """A controller with its PCI address, where all of its devices hang on one function."""
        if controller.pci_address is not None or controller.mode == "software":
            return controller
        nodes = [volume.device for volume in controller.volumes] + [drive.device for drive in controller.drives]
        disks = [disk for node in nodes if (own := self.index.device(node)) for disk in self.index.below(own)]
        places = {disk.pci_address for disk in disks}
        address = next(iter(places)) if len(places) == 1 else None
        if address:
            self.evidence.fact(f"{disks[0].node}: on PCI function {address}", controller.id, "pci_address", address)
        return replace(controller, pci_address=address)

    def volume(self, volume: Volume, *, software: bool) -> Volume:
        """A volume with its device and mount points."""
        return self.placed(volume, volume.device if software else self.device_of(volume))

    def placed(self, volume: Volume, device: str | None) -> Volume:
        """A volume with this device, and with the mount points and the size that the kernel knows of it."""
        block = self.index.device(device)
        if block is None:
            return replace(volume, device=device)
        points = self.index.mounted(block)
        for point, layer in points:
            self.evidence.fact(f"{layer.node}: mounted on {point}", volume.id, "mountpoints", point)
        size = volume.size_bytes
        if size is None and block.size_bytes:
            size = block.size_bytes
            self.evidence.fact(f"{block.node}: {size} bytes", volume.id, "size_bytes", size)
        mountpoints = tuple(point for point, _ in points) or volume.mountpoints
        return replace(volume, device=device, mountpoints=mountpoints, size_bytes=size)

    def device_of(self, volume: Volume) -> str | None:
        """The node of a hardware volume; by its world wide name rather than by the name that the tool prints."""
        own = wwn(volume.unique_id)
        paths = self.index.disks("wwn", own)
        named = self.index.device(volume.device)
        if paths:
            if named is not None and (named in paths or set(self.index.below(named)) == set(paths)):
                return volume.device
            found = self.node_of(paths, volume.id)
            self.evidence.fact(f"{found}: world wide name {paths[0].wwn}", volume.id, "device", found)
            if volume.device:
                self.contradiction(volume, f"its world wide name belongs to {found}")
            return found
        if volume.device is None:
            return self.by_scsi_address(volume)
        if named is None:
            if self.index.view.blocks:
                self.contradiction(volume, "the kernel has no such device")
            return None if self.index.view.blocks else volume.device
        if registered(own) and registered(wwn(named.wwn)):
            self.contradiction(volume, f"that has the world wide name {named.wwn}, and no device has the volume's own")
            return None
        return volume.device

    def by_scsi_address(self, volume: Volume) -> str | None:
        """The node of a volume whose tool prints its SCSI address as a detail."""
        addresses = {text.strip(" []") for label, text in volume.details.items() if "scsi" in label.lower()}
        disks = [disk for address in addresses for disk in self.index.disks("scsi", address)]
        if len(disks) != 1:
            return None
        self.evidence.fact(f"{disks[0].node}: SCSI address {disks[0].scsi_address}", volume.id, "device", disks[0].node)
        return disks[0].node

    def node_of(self, paths: Sequence[BlockDevice], object_id: str) -> str:
        """One node for a disk that may be reached by several paths."""
        if len(paths) == 1:
            return paths[0].node
        joint = self.index.joint(paths)
        if joint is not None:
            return f"/dev/mapper/{joint.dm_name}" if joint.dm_name else joint.node
        message = f"{listing(path.node for path in paths)} are paths to the same disk; the first is shown."
        self.problems.append(Problem("info", object_id, message))
        return paths[0].node

    def contradiction(self, item: Volume | Drive, why: str) -> None:
        """The tool's device is not the kernel's."""
        message = f"The tool names {item.device} as the device, but {why}; the kernel is believed."
        remedy = "Look for a rescan or a renamed device since the tool read its list; run the tool again."
        self.problems.append(Problem("warning", item.id, message, remedy))

    def drive(self, drive: Drive, controller: Controller) -> Drive:
        """A drive of a controller with its device, where the operating system sees the drive itself."""
        if drive.device is not None:
            if self.index.view.blocks and self.index.device(drive.device) is None:
                self.contradiction(drive, "the kernel has no such device")
                return replace(drive, device=None)
            return drive
        paths = self.index.disks("wwn", wwn(drive.wwn))
        reason = "world wide name"
        if not paths:
            place = normalised(controller.pci_address or "")
            same = self.index.disks("serial", serial(drive.serial))
            paths = [disk for disk in same if place is None or disk.pci_address in (None, place)]
            paths = paths if len({disk.wwn for disk in paths}) == 1 else []
            reason = "serial number"
        if not paths:
            return drive
        node = self.node_of(paths, drive.id)
        value = paths[0].wwn if reason == "world wide name" else paths[0].serial
        self.evidence.fact(f"{paths[0].node}: {reason} {value}", drive.id, "device", node)
        return replace(drive, device=node)

    def member(self, drive: Drive) -> Drive:
        """A member of a software array with what the kernel knows of the drive that it lies on."""
        block = self.index.device(drive.device) or self.index.device(drive.id.rsplit("/", 1)[-1])
        disks = self.index.below(block) if block else []
        if block is None or len({(disk.wwn, disk.serial) for disk in disks}) != 1:
            return drive
        disk = disks[0]
        spins = disk.rotational if disk.transport in ("sata", "sas", "ata", "nvme") else None
        facts: dict[str, str | int | None] = {
            "device": block.node,
            **{name: getattr(disk, name) for name in ("model", "serial", "firmware", "wwn")},
            "size_bytes": block.size_bytes,
            "interface": _INTERFACES.get(disk.transport or ""),
            "media": None if spins is None else "hdd" if spins else "ssd",
        }
        told = {name: value for name, value in facts.items() if value is not None and getattr(drive, name) is None}
        for name, value in told.items():
            node = block.node if name in ("device", "size_bytes") else disk.node
            self.evidence.fact(f"{node}: {name.replace('_', ' ')} {value}", drive.id, name, value)
        return replace(drive, **told)

    # --- cards

    def only_cards(self, controllers: Sequence[Controller], drivers: Mapping[str, Sequence[str]]) -> list[Controller]:
        """Controllers without an address get the one card of their family's drivers, where there is one of each."""
        taken = {controller.pci_address for controller in controllers}
        only: dict[str, PciDevice] = {}
        for family, names in drivers.items():
            waiting = [
                c for c in controllers if family_of(c) == family and c.pci_address is None and c.mode != "software"
            ]
            cards = [f for f in self.index.view.pci if f.driver in names and f.address not in taken]
            if len(waiting) == len(cards) == 1:
                only[waiting[0].id] = cards[0]
        for object_id, card in only.items():
            text = f"{card.address}: the only storage card with driver {card.driver}"
            self.evidence.fact(text, object_id, "pci_address", card.address)
        return [replace(c, pci_address=only[c.id].address) if c.id in only else c for c in controllers]

    def targets(self, controllers: Sequence[Controller], drivers: Mapping[str, Sequence[str]]) -> list[Controller]:
        """Volumes whose tool tells their SCSI target get the one disk that has it, and their card its address."""
        found = by_target(controllers, self.index, drivers)
        if not found:
            return list(controllers)
        for object_id, disk in found.items():
            text = f"{disk.node}: SCSI address {disk.scsi_address} on PCI function {disk.pci_address}"
            self.evidence.fact(text, object_id, "device", disk.node)
        return [
            self.at_home(replace(controller, volumes=tuple(self.at_target(v, found) for v in controller.volumes)))
            for controller in controllers
        ]

    def at_target(self, volume: Volume, found: Mapping[str, BlockDevice]) -> Volume:
        """A volume with the disk that its target has told."""
        disk = found.get(volume.id)
        return volume if disk is None else self.placed(volume, disk.node)

    def described(self, controller: Controller) -> Controller:
        """A controller with what the kernel and the PCI database say of its card."""
        card = self.index.functions.get(controller.pci_address or "")
        if card is None:
            return controller
        known = {"driver": card.driver, "vendor": card.vendor, "model": card.model}
        told = {name: value for name, value in known.items() if value and getattr(controller, name) is None}
        if card.driver and controller.driver not in (None, card.driver):
            told["driver"] = card.driver
            message = (
                f"The tool names the driver {controller.driver}, but the kernel has bound {card.driver} to "
                f"{card.address}; the kernel is believed."
            )
            self.problems.append(Problem("info", controller.id, message))
        for name, value in told.items():
            self.evidence.fact(f"{card.address}: {name} {value}", controller.id, name, value)
        return replace(controller, **told)
