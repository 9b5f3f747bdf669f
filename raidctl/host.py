"""The kernel's view of a machine: PCI functions, block devices, mounts. Data only.

Built by :mod:`raidctl.discovery`, passed to every vendor's ``observe()``.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from msgspec import Struct, field

from raidctl.model import Interface, Mount
from raidctl.text import regex

BlockKind = Literal["disk", "partition", "md", "dm", "loop", "ram", "cdrom", "other"]
_ZVOL = "/dev/zvol/"
_INTERFACES: Mapping[str, Interface] = {
    "sata": "sata", "sas": "sas", "nvme": "nvme", "scsi": "scsi", "ata": "ata", "usb": "usb", "virtio": "virtual",
}  # fmt: skip

_DISK_OF = regex(
    r"(?!/dev/vdev\d)"  # a file in the documentation of OpenZFS
    r"(/dev/(?:[hsv]d[a-z]+|xvd[a-z]+)|/dev/(?:nvme\d+n|mmcblk|md|cciss/c\d+d)\d+(?=p)|/dev/\S+(?=-part\d))"
    r"(?:p|-part)?\d+", re.ASCII,
)  # fmt: skip


def disk_of(node: str) -> str | None:
    """The whole device of a partition, from its name. None: no partition's name.

    >>> disk_of("/dev/sda1"), disk_of("/dev/cciss/c0d1p2"), disk_of("/dev/nvme0n1p3"), disk_of("/dev/nvme0n1")
    ('/dev/sda', '/dev/cciss/c0d1', '/dev/nvme0n1', None)
    """
    match = _DISK_OF.fullmatch(node)
    return match[1] if match else None


class Piece(NamedTuple):
    """Place of a piece of a block device on the device below."""

    below: str
    """Kernel name of the device below."""
    start_bytes: int
    """Offset there, bytes."""


class Lanes(Struct, frozen=True):
    """A PCI Express link from sysfs; None if unknown."""

    width: int | None = None
    """``current_link_width``."""
    max_width: int | None = None
    speed_gtps: float | None = None
    """``current_link_speed``, GT/s of one lane."""
    max_speed_gtps: float | None = None


class PciDevice(Struct, frozen=True):
    """A PCI function of class 01 (mass storage)."""

    address: str
    """``0000:03:00.0``, lower case."""
    pci_class: int
    """24 bits: 0x010400 is a RAID controller, 0x010601 AHCI, 0x010802 NVMe."""
    vendor_id: int
    device_id: int
    subvendor_id: int | None = None
    subdevice_id: int | None = None
    driver: str | None = None
    vendor: str | None = None
    """Name from udev's hardware database, None without it."""
    model: str | None = None
    lanes: Lanes | None = None


class BlockDevice(Struct, frozen=True):
    """A block device of the kernel."""

    name: str
    """Kernel name: ``sda``, ``cciss!c0d0`` as ``cciss/c0d0``."""
    node: str
    """``/dev/sda``."""
    kind: BlockKind = "other"
    size_bytes: int | None = None
    parent: str | None = None
    """Of a partition: the kernel name of its drive."""
    slaves: tuple[str, ...] = ()
    """Of md and device-mapper: the kernel names of the devices below."""
    links: tuple[str, ...] = ()
    """``/dev/disk/by-id/…``, ``/dev/mapper/…``."""
    mountpoints: tuple[str, ...] = ()
    """Of this device itself; ``[swap]`` for active swap."""
    model: str | None = None
    serial: str | None = None
    wwn: str | None = None
    """As udev prints it, ``0x600508b1001c…``, without extension lost."""
    vendor: str | None = None
    firmware: str | None = None
    scsi_address: str | None = None
    """``H:C:T:L``."""
    pci_address: str | None = None
    """The PCI function that it is attached to, None for virtual devices."""
    driver: str | None = None
    """Driver of that function."""
    rotational: bool | None = None
    removable: bool | None = None
    write_cache: str | None = None
    """``queue/write_cache``: ``write back`` or ``write through``, as the kernel assumes."""
    controller: str | None = None
    """Node of the NVMe controller, ``/dev/nvme0``. None for other drives, and if there are several."""
    transport: str | None = None
    """``sata``, ``sas``, ``nvme``, ``virtio``, ``usb``, ``scsi``; None when unknown."""
    dm_name: str | None = None
    dm_uuid: str | None = None
    """Begins with the program that created it: ``LVM-``, ``CRYPT-``, ``mpath-``."""
    filesystem: str | None = None
    partition_type: str | None = None
    """Type of a partition, as udev prints it. It is a GUID of GPT, ``0xef`` of MBR."""
    mounts: tuple[Mount, ...] = ()
    """Of this device itself, without swap."""
    pieces: tuple[Piece, ...] = ()
    """Its offsets on the devices below; empty if unknown."""
    read_ahead_bytes: int | None = None
    scheduler: str | None = None
    minimum_io_bytes: int | None = None
    optimal_io_bytes: int | None = None
    """None if the device reports none."""
    command_timeout_seconds: int | None = None
    """Time after which the kernel aborts a SCSI or ATA drive's command."""
    enclosure: str | None = None
    """Logical identifier of the SES enclosure that it is in."""
    bay: str | None = None
    """Its bay there, as the enclosure names it: ``Slot 03``."""

    @property
    def probed(self) -> bool:
        """Whether udev has probed it. If not, it may have contents although ``filesystem`` is None."""
        return any(link.startswith("/dev/disk/") for link in self.links)

    @property
    def dataset(self) -> str | None:
        """The name of a volume of ZFS, ``tank/vm/root``, by its link in ``/dev/zvol``."""
        return next((link.removeprefix(_ZVOL) for link in self.links if link.startswith(_ZVOL)), None)

    @property
    def interface(self) -> Interface | None:
        """The transport in the model's words."""
        return _INTERFACES.get(self.transport or "")


class HostView(Struct, frozen=True, dict=True):
    """The machine as the kernel shows it."""

    hostname: str | None = None
    kernel: str | None = None
    root: bool | None = None
    """Whether requests are carried out as root; None when unknown."""
    virtual: str | None = None
    """The hypervisor, if the machine is known to be virtual (``kvm``, ``vmware`` …)."""
    maybe_virtual: bool = False
    """Whether it is unknown if the machine is virtual, because what would show it could not be read."""
    sys_read_only: bool | None = None
    """Whether ``/sys`` is mounted read-only, as in a container. None if no mount of it is listed."""
    filesystems: frozenset[str] = frozenset()
    """The kinds of all mounted file systems. Those whose devices are gone are included."""
    pci: tuple[PciDevice, ...] = ()
    blocks: tuple[BlockDevice, ...] = ()
    claimed: frozenset[str] = field(default_factory=frozenset)
    """Device nodes that other families show as a volume or a drive. The set is filled before the last family is
    read."""
    help_texts: Mapping[str, str] = field(default_factory=dict)
    """The help texts of tools, by tool. They are read only before deeds, if a family needs them."""

    @cached_property
    def _named(self) -> dict[str, BlockDevice]:
        """The devices by kernel name, node and link. If two have the same name, the first one counts."""
        found: dict[str, BlockDevice] = {}
        for device in self.blocks:
            for name in (device.name, device.node, *device.links):
                found.setdefault(name, device)
        return found

    @cached_property
    def _above(self) -> dict[str, list[BlockDevice]]:
        """The devices directly on each device, by its kernel name."""
        found: dict[str, list[BlockDevice]] = {}
        for device in self.blocks:
            for below in dict.fromkeys((device.parent, *device.slaves)):
                if below is not None:
                    found.setdefault(below, []).append(device)
        return found

    def block(self, name_or_node: str | None) -> BlockDevice | None:
        """Return the block device of a kernel name, node or link; None for None."""
        return self._named.get(name_or_node) if name_or_node else None

    def directly_above(self, name: str) -> Sequence[BlockDevice]:
        """Return the partitions, md and device-mapper devices that are directly on a device."""
        return self._above.get(name, ())

    def above(self, name: str) -> Iterator[BlockDevice]:
        """Yield the partitions, md and device-mapper devices on a device. Each comes once, the nearest first."""
        seen = {name}
        waiting = deque([name])
        while waiting:
            for device in self.directly_above(waiting.popleft()):
                if device.name not in seen:
                    seen.add(device.name)
                    waiting.append(device.name)
                    yield device

    def mountpoints(self, name: str) -> tuple[str, ...]:
        """Return the mount points of a device, its partitions and layers above.

        Each is listed once, in sorted order.
        """
        own = self.block(name)
        devices = ([own] if own else []) + list(self.above(own.name if own else name))
        return tuple(sorted({point for device in devices for point in device.mountpoints}))


def partition_node(node: str, partition: str) -> str:
    """Return the device node of a partition: ``/dev/sda1``, ``/dev/nvme0n1p1``. Empty: that of the whole device."""
    return f"{node}{'p' if partition and node[-1:].isdigit() else ''}{partition}"
