"""Storage controllers that no vendor's tool lists, from the kernel's view."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raidctl.discovery.index import Index
from raidctl.discovery.kernel_evidence import KernelEvidence
from raidctl.evidence import Output
from raidctl.host import BlockDevice, HostView, PciDevice
from raidctl.model import Controller, Volume

FAMILY = "pci"
"""Used in ids instead of a family's name."""


def controller(function: PciDevice, view: HostView, taken: Collection[str]) -> Controller:
    """Return a controller of unknown status. Its block devices, except the nodes ``taken``, are its volumes."""
    object_id = f"{FAMILY}:{function.address}"
    index = Index(view)
    volumes = tuple(
        Volume(
            id=f"{object_id}/{disk.name}",
            device=disk.node,
            size_bytes=disk.size_bytes,
            unique_id=disk.wwn,
            mountpoints=tuple(point for point, _ in index.mounted(disk)),
        )
        for disk in view.blocks
        if disk.kind == "disk" and disk.pci_address == function.address and disk.node not in taken
    )
    return Controller(
        id=object_id,
        vendor=function.vendor,
        model=function.model,
        driver=function.driver,
        pci_address=function.address,
        volumes=volumes,
    )


def evidence(controllers: Iterable[Controller], view: HostView) -> list[Output]:
    """Return the evidence of such controllers: one line per fact."""
    index = Index(view)
    output = KernelEvidence()
    for item in controllers:
        function = index.functions.get(item.pci_address or "")
        if function is not None:
            _controller(output, item, function)
        for volume in item.volumes:
            device = view.block(volume.device)
            if device is not None:
                _volume(output, volume, device, index)
    return list(output.outputs())


def _controller(output: KernelEvidence, item: Controller, function: PciDevice) -> None:
    text = f"{function.address}: class {function.pci_class:06x}, {function.vendor_id:04x}:{function.device_id:04x}"
    output.fact(text, item.id, "pci_address", function.address)
    for name in ("driver", "vendor", "model"):
        value = getattr(item, name)
        if value is not None:
            output.fact(f"{function.address}: {name} {value}", item.id, name, value)


def _volume(output: KernelEvidence, volume: Volume, device: BlockDevice, index: Index) -> None:
    output.fact(f"{device.node}: on PCI function {device.pci_address}", volume.id, "device", device.node)
    if volume.size_bytes is not None:
        output.fact(f"{device.node}: {volume.size_bytes} bytes", volume.id, "size_bytes", volume.size_bytes)
    if volume.unique_id is not None:
        output.fact(f"{device.node}: world wide name {volume.unique_id}", volume.id, "unique_id", volume.unique_id)
    for point, layer in index.mounted(device):
        output.fact(f"{layer.node}: mounted on {point}", volume.id, "mountpoints", point)
