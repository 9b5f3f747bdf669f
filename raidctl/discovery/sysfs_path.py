"""Parse a device's sysfs path: PCI function, SCSI address, transport."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from raidctl.host import BlockKind
from raidctl.text import regex

_PCI = regex(r"(?<=/)([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?=/)")
_SCSI = regex(r"/(\d+:\d+:\d+:\d+)/block/", re.ASCII)
_NVME = regex(r"/(nvme\d+)/nvme\d+(?:c\d+)?n\d+(?=/|$)", re.ASCII)
_HIDDEN = regex(r"(nvme\d+)c\d+(n\d+)", re.ASCII)
_KINDS: tuple[tuple[re.Pattern[str], BlockKind], ...] = (
    (regex(r"md(\d|_)"), "md"),
    (regex(r"dm-\d"), "dm"),
    (regex(r"loop\d"), "loop"),
    (regex(r"z?ram\d"), "ram"),
    (regex(r"(sr|scd)\d"), "cdrom"),
    (regex(r"(fd|nbd|drbd|rbd|bcache|zd|pktcdvd|mtdblock|ublkb)\d|mmcblk\d+(boot|rpmb|gp)"), "other"),
)


class Place(Struct, frozen=True):
    """The facts that a device's path contains."""

    path: str
    pci_address: str | None = None
    """The PCI function nearest to the device, not the bridges before it."""
    scsi_address: str | None = None
    """``H:C:T:L``."""

    @classmethod
    def of(cls, path: str) -> Place:
        """Parse ``/devices/…`` or ``/sys/bus/pci/devices/0000:00:1f.2/ata1/…``."""
        functions = _PCI.findall(path)
        address = _SCSI.search(path)
        return cls(path, functions[-1] if functions else None, address[1] if address else None)

    def transport(self, properties: Mapping[str, str], vendor: str | None, driver: str | None) -> str | None:
        """Return how a drive is attached, see :attr:`raidctl.host.BlockDevice.transport`.

        Args:
            properties: udev's; ``ID_BUS``, ``ID_ATA``, ``ID_ATA_SATA`` are used.
            vendor: SCSI's vendor field; ``ATA`` for ATA drives.
            driver: Of the PCI function.
        """
        path = self.path
        bus = properties.get("ID_BUS")
        if "/nvme" in path or bus == "nvme":
            return "nvme"
        if "/usb" in path or bus == "usb":
            return "usb"
        if "/virtio" in path:
            return "virtio"
        if "/ata" in path:
            return "sata" if "ID_ATA_SATA" in properties or driver == "ahci" else "ata"
        if bus == "ata" or vendor == "ATA":
            return "sata"
        if "/end_device-" in path:
            return "sas"
        return "scsi" if bus == "scsi" or self.scsi_address else None


def kind_of(name: str, *, partition: bool, path: str | None) -> BlockKind:
    """Return the kind of a block device by its kernel name. Unknown virtual devices are ``other``."""
    if partition:
        return "partition"
    for pattern, kind in _KINDS:
        if pattern.match(name):
            return kind
    return "other" if path and path.startswith("/devices/virtual/") and not name.startswith("nvme") else "disk"


def nvme_controllers(paths: Iterable[str]) -> dict[str, str]:
    """Return the NVMe controller node of each namespace. Namespaces with several controllers are left out.

    The numbers do not show it: if a drive can have several controllers, ``nvme1n1`` may belong to ``nvme0``.

    >>> nvme_controllers(["/devices/pci0000:00/0000:00:03.0/nvme/nvme0/nvme0n1"])
    {'nvme0n1': '/dev/nvme0'}
    """
    found: dict[str, set[str]] = {}
    for path in paths:
        name = path.rsplit("/", 1)[-1]
        match = _NVME.search(path)
        if match:
            found.setdefault(visible_nvme(name) or name, set()).add(f"/dev/{match[1]}")
    return {name: next(iter(nodes)) for name, nodes in found.items() if len(nodes) == 1}


def visible_nvme(name: str) -> str | None:
    """Return ``nvme0n1`` for ``nvme0c1n1``, else None.

    The latter is a hidden path of a multipath NVMe drive; only it is below the PCI function in sysfs.
    """
    match = _HIDDEN.fullmatch(name)
    return match[1] + match[2] if match else None
