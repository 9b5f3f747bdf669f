"""The description of a machine of the lab; nothing here uses QEMU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MIB = 1 << 20

Bus = Literal["sata", "scsi", "megasas", "nvme", "virtio"]
Backing = Literal["file", "volatile", "lying"]
ControllerKind = Literal["ahci", "virtio-scsi", "megasas", "megasas-gen2", "mptsas"]


@dataclass(frozen=True)
class Throttle:
    """Limits of a drive; 0 is not a limit.

    ``bps_write`` with ``bps_write_max`` is a leaky bucket: ``bps_write_max * bps_write_max_length`` bytes are accepted
    at once, the rest at ``bps_write`` bytes a second, as by a controller with a write-back cache.
    """

    iops_total: int = 0
    iops_read: int = 0
    iops_write: int = 0
    bps_read: int = 0
    bps_write: int = 0
    bps_write_max: int = 0
    bps_write_max_length: int = 0  # seconds

    def options(self) -> str:
        """QEMU's options for it, each with a comma in front."""
        named = {name.replace("_", "-"): value for name, value in vars(self).items() if value}
        return "".join(f",throttling.{name}={value}" for name, value in named.items())


@dataclass(frozen=True)
class Controller:
    """A controller. Drives without one get the AHCI ports or the controller of their bus."""

    name: str
    kind: ControllerKind
    options: str = ""  # more properties for QEMU's -device, e.g. "hba_serial=LAB1"


@dataclass(frozen=True)
class Drive:
    """A drive. ``serial`` names it, since the kernel's letters change from boot to boot.

    ``rpm`` 0 is not reported, 1 makes a solid-state drive. ``model`` is used by SATA (40 characters) and SCSI (16)
    drives; QEMU's NVMe drive has a fixed one and virtio none. ``backing``: "file" loses on a power cut only what the
    guest held; "volatile" loses what was not flushed, as a drive with a write cache does; "lying" loses that and what
    was flushed.
    """

    serial: str
    bus: Bus = "sata"
    size: int = 64 * MIB
    model: str = ""
    vendor: str = ""  # SCSI only, 8 characters
    rpm: int = 0
    write_cache: bool = True
    throttle: Throttle | None = None
    backing: Backing = "file"
    flush_ms: int = 0  # what a block of 64 KiB takes from the cache of a "volatile" drive to its medium
    controller: str = ""  # the name of a Controller of the machine
    scsi_id: int | None = None  # the target number on a SCSI bus; the next free one when left out
    slot: int = 0  # of an NVMe drive: the hot plug slot of the machine that it is in, from 1; 0: it cannot be pulled
    wwn: int = 0
    options: str = ""  # more properties for QEMU's -device
    drive_options: str = ""  # more properties for QEMU's -drive

    def __post_init__(self) -> None:
        """Refuse what QEMU would truncate silently."""
        limit = 40 if self.bus == "sata" else 16
        if len(self.serial) > 20 or len(self.model) > limit or len(self.vendor) > 8:
            raise ValueError(f"drive {self.serial}: serial, model or vendor is longer than the drive can report")
        if self.flush_ms and self.backing != "volatile":
            raise ValueError(f"drive {self.serial}: only a volatile one has a cache that is flushed")
        if self.size % 512:
            raise ValueError(f"drive {self.serial}: its size is no multiple of 512 bytes")


@dataclass(frozen=True)
class Machine:
    """A server: its hardware, and the scripts of every boot.

    ``prepare`` is a tuple of shell scripts (``/bin/sh -e``), run in order as root in the guest after the modules are
    loaded and udev has settled. They also run at the boot after a power cut, so they have to accept drives that are
    already prepared.
    """

    name: str
    title: str
    drives: tuple[Drive, ...] = ()
    controllers: tuple[Controller, ...] = ()
    from_drive: bool = False  # whether the BIOS starts what a drive has, instead of QEMU the lab's kernel
    slots: int = 0  # PCIe slots for hot plugging, which the kernel's own driver has, with an attention LED each
    memory: int = 1024  # MiB
    cpus: int = 1
    modules: tuple[str, ...] = ()  # arguments of modprobe, e.g. ("raid456",)
    prepare: tuple[str, ...] = ()
    hidden: int = 0  # how many of the drives the kernel never shows: nobody waits for them
    udev: bool = True  # whether udevd runs
    kernel_arguments: str = ""
    qemu: tuple[str, ...] = ()  # more arguments for QEMU
    urgent: bool = False  # its timing is tested: it gets priority over the host's other work, if permitted
    nvme_model: str = ""  # what NVMe drives call themselves instead of "QEMU NVMe Ctrl": at most 14 characters

    def __post_init__(self) -> None:
        """Refuse duplicate serial numbers, which identify the drives."""
        serials = [drive.serial for drive in self.drives]
        if len(set(serials)) != len(serials):
            raise ValueError(f"machine {self.name}: two drives have the same serial number")

    def drive(self, serial: str) -> Drive:
        """The drive with this serial number."""
        return next(drive for drive in self.drives if drive.serial == serial)
