"""Match volumes and drives to block devices and mount points.

Pure: the families' controllers and the kernel's view in, the controllers with missing values filled in. Where a tool
and the kernel disagree, the kernel's value is used and a problem is reported. An empty view changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from raidctl.discovery.index import Index, registered, serial, wwn
from raidctl.discovery.kernel_evidence import KernelEvidence
from raidctl.discovery.mounts import MOUNTINFO, SWAPS
from raidctl.discovery.pci import normalised
from raidctl.evidence import Output
from raidctl.host import BlockDevice, HostView, PciDevice
from raidctl.model import Controller, Drive, Inventory, Problem, Volume
from raidctl.select import family_of
from raidctl.survey.scsi_targets import by_target
from raidctl.text import listing


class Linked(Struct, frozen=True):
    """The controllers with devices, mount points and PCI addresses, and their evidence."""

    controllers: tuple[Controller, ...] = ()
    problems: tuple[Problem, ...] = ()
    outputs: tuple[Output, ...] = ()


def link(
    controllers: Iterable[Controller], view: HostView, drivers: Mapping[str, Sequence[str]] | None = None
) -> Linked:
    """Match the controllers with the kernel's view.

    Args:
        controllers: Of all families but the last one, which takes the remaining drives.
        view: What the kernel shows; nothing is changed when it is empty.
        drivers: The kernel drivers of each family, by its name. They identify a controller without a PCI address if the
            family has one such controller and the machine one such PCI function.
    """
    known = tuple(controllers)
    if not view.blocks and not view.pci:
        return Linked(known)
    work = _Linker(Index(view))
    linked = [work.controller(controller) for controller in known]
    linked = work.match_single_controllers(linked, drivers or {})
    linked = work.match_scsi_targets(linked, drivers or {})
    with_kernel_facts = [work.with_kernel_facts(controller) for controller in linked]
    return Linked(tuple(with_kernel_facts), tuple(work.problems), work.evidence.outputs())


def add_mountpoints(controllers: Iterable[Controller], view: HostView) -> Linked:
    """Add mount points to the drives that the operating system sees itself.

    Members of a software array are left out: the array is mounted, not its members.
    """
    index, evidence = Index(view), KernelEvidence()

    def with_device(drive: Drive) -> Drive:
        block = view.block(drive.device)
        points = index.mounted(block) if block else []
        for point, layer in points:
            evidence.fact(f"{layer.node}: mounted on {point}", drive.id, "mountpoints", point)
        return replace(drive, mountpoints=tuple(point for point, _ in points)) if points else drive

    reported = tuple(
        c if c.mode == "software" else replace(c, drives=tuple(map(with_device, c.drives))) for c in controllers
    )
    return Linked(reported, (), evidence.outputs())


_UNFOLLOWED = frozenset({"bcachefs"})
"""File systems on several devices, whose mounts are not traced to each."""


def unmounted_volumes(inventory: Inventory, view: HostView) -> frozenset[str]:
    """Return the ids of volumes known to be neither mounted nor swap.

    Unknown (and left out) if the mounts could not be read in full, if the kernel has no such device, or if no file
    system type is reported: it is needed to trace file systems on several devices (ZFS, btrfs).
    """
    # files with the same failure have one problem, whose message lists them
    texts = [f"{problem.where} {problem.message}" for problem in inventory.problems if problem.kind == "unread"]
    unread = any(table in text for table in (MOUNTINFO, SWAPS) for text in texts)
    if unread or not any(block.filesystem for block in view.blocks):
        return frozenset()

    def free(volume: Volume) -> bool:
        block = view.block(volume.device)
        if block is None or volume.mountpoints:
            return False
        layers = (block, *view.above(block.name))
        return not any(layer.mountpoints or layer.filesystem in _UNFOLLOWED for layer in layers)

    return frozenset(volume.id for controller in inventory.controllers for volume in controller.volumes if free(volume))


def claimed_nodes(controllers: Sequence[Controller], view: HostView | None = None) -> frozenset[str]:
    """Return the device nodes that controllers show as volume or drive.

    Members of a software array are not among them: the drives below it are still shown as drives. With a view, all
    paths to a claimed drive are claimed.
    """
    software = {volume.device for one in controllers if one.mode == "software" for volume in one.volumes}
    nodes = {volume.device for controller in controllers for volume in controller.volumes if volume.device}
    nodes |= {
        drive.device
        for controller in controllers
        if controller.mode != "software"
        for drive in controller.drives
        if drive.device
    }
    view = view or HostView()
    index = Index(view)
    for node in tuple(nodes):
        device = view.block(node)
        if device is None:
            continue
        # of multipath; what is below a software array is shown as drives
        paths = index.below(device) if device.kind == "dm" and node not in software else [device]
        for path in (device, *paths, *index.disks("wwn", wwn(device.wwn) if device.kind == "disk" else None)):
            nodes.add(path.node)
    return frozenset(nodes)


class _Linker:
    """One pass over the controllers, with the problems and evidence so far."""

    def __init__(self, index: Index) -> None:
        self.index, self.view = index, index.view
        self.problems: list[Problem] = []
        self.evidence = KernelEvidence()

    # --- volumes and drives

    def controller(self, controller: Controller) -> Controller:
        """Link a controller's volumes and drives, and add its PCI address."""
        software = controller.mode == "software"
        volumes = tuple(self.volume(volume, software=software) for volume in controller.volumes)
        drives = tuple(self.member(d) if software else self.drive(d, controller) for d in controller.drives)
        address = controller.pci_address and (normalised(controller.pci_address) or controller.pci_address)
        return self.with_pci_address(replace(controller, volumes=volumes, drives=drives, pci_address=address))

    def with_pci_address(self, controller: Controller) -> Controller:
        """Add the PCI address if all the controller's devices share one function."""
        if controller.pci_address is not None or controller.mode == "software":
            return controller
        nodes = [volume.device for volume in controller.volumes] + [drive.device for drive in controller.drives]
        disks = [disk for node in nodes if (own := self.view.block(node)) for disk in self.index.below(own)]
        places = {disk.pci_address for disk in disks}
        address = next(iter(places)) if len(places) == 1 else None
        if address:
            self.evidence.fact(f"{disks[0].node}: on PCI function {address}", controller.id, "pci_address", address)
        return replace(controller, pci_address=address)

    def volume(self, volume: Volume, *, software: bool) -> Volume:
        """Add device and mount points to a volume."""
        return self.with_device(volume, volume.device if software else self.device_of(volume))

    def with_device(self, volume: Volume, device: str | None) -> Volume:
        """Add this device, and its mount points and size from the kernel."""
        block = self.view.block(device)
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
        """Return the node of a hardware volume. Its world wide name outranks the name that the tool prints."""
        own = wwn(volume.unique_id)
        paths = self.index.disks("wwn", own)
        named = self.view.block(volume.device)
        if paths:
            if named is not None and (named in paths or set(self.index.below(named)) == set(paths)):
                return volume.device
            found = self.node_of(paths, volume.id)
            self.evidence.fact(f"{found}: world wide name {paths[0].wwn}", volume.id, "device", found)
            if volume.device:
                self.add_contradiction(volume, f"its world wide name belongs to {found}")
            return found
        if volume.device is None:
            return self.by_scsi_address(volume)
        if named is None:
            if self.view.blocks:
                self.add_contradiction(volume, "the kernel has no such device")
            return None if self.view.blocks else volume.device
        if registered(own) and registered(wwn(named.wwn)):
            self.add_contradiction(volume, f"that has the world wide name {named.wwn}, and no device has the volume's")
            return None
        return volume.device

    def by_scsi_address(self, volume: Volume) -> str | None:
        """Return the node of a volume by its SCSI address. Its tool prints the address as a detail."""
        addresses = {text.strip(" []") for label, text in volume.details.items() if "scsi" in label.lower()}
        disks = [disk for address in addresses for disk in self.index.disks("scsi", address)]
        if len(disks) != 1:
            return None
        self.evidence.fact(f"{disks[0].node}: SCSI address {disks[0].scsi_address}", volume.id, "device", disks[0].node)
        return disks[0].node

    def node_of(self, paths: Sequence[BlockDevice], object_id: str) -> str:
        """Return one node for a drive that may have several paths."""
        if len(paths) == 1:
            return paths[0].node
        joint = self.index.joint(paths)
        if joint is not None:
            return f"/dev/mapper/{joint.dm_name}" if joint.dm_name else joint.node
        message = f"{listing(path.node for path in paths)} are paths to the same drive; the first is shown."
        self.problems.append(Problem("info", object_id, message))
        return paths[0].node

    def add_contradiction(self, item: Volume | Drive, why: str) -> None:
        """Report that the tool's device is not the kernel's."""
        message = f"The tool reports the device {item.device}, but {why}; the kernel's value is used."
        remedy = "Run the tool again; a rescan may have renamed devices since it read its list."
        self.problems.append(Problem("warning", item.id, message, remedy))

    def drive(self, drive: Drive, controller: Controller) -> Drive:
        """Add the device of a controller's drive. The operating system must see the drive itself."""
        if drive.device is not None:
            if self.view.blocks and self.view.block(drive.device) is None:
                self.add_contradiction(drive, "the kernel has no such device")
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
        """Add the kernel's facts of the drive below a software array's member."""
        block = self.view.block(drive.device) or self.view.block(drive.id.rsplit("/", 1)[-1])
        disks = self.index.below(block) if block else []
        if block is None or len({(disk.wwn, disk.serial) for disk in disks}) != 1:
            return drive
        disk = disks[0]
        spins = disk.rotational if disk.transport in ("sata", "sas", "ata", "nvme") else None
        facts: dict[str, str | int | None] = {
            "device": block.node,
            **{name: getattr(disk, name) for name in ("model", "serial", "firmware", "wwn")},
            "size_bytes": block.size_bytes,
            "interface": disk.interface,
            "media": None if spins is None else "hdd" if spins else "ssd",
        }
        reported = {name: value for name, value in facts.items() if value is not None and getattr(drive, name) is None}
        for name, value in reported.items():
            node = block.node if name in ("device", "size_bytes") else disk.node
            self.evidence.fact(f"{node}: {name.replace('_', ' ')} {value}", drive.id, name, value)
        return replace(drive, **reported)

    # --- controllers

    def match_single_controllers(
        self, controllers: Sequence[Controller], drivers: Mapping[str, Sequence[str]]
    ) -> list[Controller]:
        """Give a family's only controller without an address its PCI function.

        The function must be the only free one of the family's drivers.
        """
        taken = {controller.pci_address for controller in controllers}
        only: dict[str, PciDevice] = {}
        for family, names in drivers.items():
            without_address = [
                c for c in controllers if family_of(c) == family and c.pci_address is None and c.mode != "software"
            ]
            functions = [f for f in self.view.pci if f.driver in names and f.address not in taken]
            if len(without_address) == len(functions) == 1:
                only[without_address[0].id] = functions[0]
        for object_id, function in only.items():
            text = f"{function.address}: the only storage controller with driver {function.driver}"
            self.evidence.fact(text, object_id, "pci_address", function.address)
        return [replace(c, pci_address=only[c.id].address) if c.id in only else c for c in controllers]

    def match_scsi_targets(
        self, controllers: Sequence[Controller], drivers: Mapping[str, Sequence[str]]
    ) -> list[Controller]:
        """Match volumes to drives by their reported SCSI target. Add the controller's address."""
        found = by_target(controllers, self.index, drivers)
        if not found:
            return list(controllers)
        for object_id, disk in found.items():
            text = f"{disk.node}: SCSI address {disk.scsi_address} on PCI function {disk.pci_address}"
            self.evidence.fact(text, object_id, "device", disk.node)
        return [
            self.with_pci_address(
                replace(controller, volumes=tuple(self.with_target(v, found) for v in controller.volumes))
            )
            for controller in controllers
        ]

    def with_target(self, volume: Volume, found: Mapping[str, BlockDevice]) -> Volume:
        """Add the device that the volume's SCSI target identifies."""
        disk = found.get(volume.id)
        return volume if disk is None else self.with_device(volume, disk.node)

    def with_kernel_facts(self, controller: Controller) -> Controller:
        """Add driver, vendor and model from the kernel and the PCI database."""
        function = self.index.functions.get(controller.pci_address or "")
        if function is None:
            return controller
        known = {"driver": function.driver, "vendor": function.vendor, "model": function.model}
        reported = {name: value for name, value in known.items() if value and getattr(controller, name) is None}
        if function.driver and controller.driver not in (None, function.driver):
            reported["driver"] = function.driver
            message = (
                f"The tool reports the driver {controller.driver}, but {function.driver} is bound to "
                f"{function.address}; the kernel's value is used."
            )
            self.problems.append(Problem("info", controller.id, message))
        for name, value in reported.items():
            self.evidence.fact(f"{function.address}: {name} {value}", controller.id, name, value)
        return replace(controller, **reported)
