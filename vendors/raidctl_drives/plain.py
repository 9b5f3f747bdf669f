"""Plain drives among block devices: recognises virtual drives, and groups the paths to one drive."""

from __future__ import annotations

import re

from raidctl.host import BlockDevice, HostView
from raidctl.text import regex
from raidctl_drives.to_model import serial_key, wwn_key
from raidctl_drives.tools import DRIVERS

HBA_DRIVERS = frozenset({
    "mpt3sas", "mpt2sas", "mptsas", "mptspi", "mptfc", "pm80xx", "pm8001", "isci", "mvsas", "aic94xx", "aic7xxx",
    "aic79xx", "sym53c8xx", "esas2r", "hisi_sas_v3_hw",
})  # fmt: skip
"""Drivers of SCSI and SAS HBAs: their controllers are in mode ``hba``."""
_CONTROLLER_DRIVERS = frozenset({
    "hpsa", "smartpqi", "cciss", "megaraid_sas", "megaraid_mbox", "megaraid_legacy", "aacraid", "3w-9xxx", "3w-sas",
    "3w-xxxx", "arcmsr", "ips", "dpt_i2o", "hptiop", "gdth", "DAC960", "myrb", "myrs", "mvumi", "stex",
})  # fmt: skip
"""Drivers of RAID controllers: other families report their drives."""
_RAID_CLASS = 0x0104
_LOGICAL = regex(r"LOGICAL[ _]?VOLUME|^PERC|^MR\d|^RAID|^Virtual Disk$|^LSI Logical|^SAS\d+.*RAID", re.IGNORECASE)
_VIRTUAL = regex(
    r"QEMU|VMware|VBOX|Virtual[ _]?(?:disk|HD)|^Msft|PersistentDisk|Elastic Block Store|Xen|bhyve|"
    r"^(?:Google|OVHcloud|DO|HC|Nutanix|AliCloud|BlockVolume)\b",
    re.IGNORECASE,
)
_BUSES = ("sata", "ata", "sas", "nvme")
_GUEST_NAME = regex(r"(?:vd|xvd)[a-z]+\d*")


def is_virtual(block: BlockDevice) -> bool:
    """Whether a drive is virtual. Only its host can show the storage below such a drive."""
    named = any(_VIRTUAL.search(word) for word in (block.vendor, block.model) if word)
    return block.transport == "virtio" or _GUEST_NAME.fullmatch(block.name) is not None or named


def has_no_capacity(block: BlockDevice) -> bool:
    """Whether a drive that is not a reader has a size of 0: the kernel could not read its capacity, or has lost it."""
    return block.size_bytes == 0 and block.removable is False and block.transport in _BUSES


def plain_drives(host: HostView) -> list[BlockDevice]:
    """Drives outside arrays that no other family shows, without empty readers and unused nodes."""
    controllers = {device.address for device in host.pci if _is_controller(device.pci_class >> 8, device.driver)}
    answered = {block.pci_address for block in host.blocks if block.node in host.claimed}
    return [
        block
        for block in host.blocks
        if block.kind == "disk"
        and block.node not in host.claimed
        and (block.size_bytes != 0 or has_no_capacity(block))
        and not (block.removable and not block.size_bytes)
        and not _belongs_to_controller(block, controllers, answered)
    ]


def _is_controller(pci_class: int, driver: str | None) -> bool:
    return driver in _CONTROLLER_DRIVERS or (pci_class == _RAID_CLASS and driver not in DRIVERS)


def _belongs_to_controller(block: BlockDevice, controllers: set[str], answered: set[str | None]) -> bool:
    """Whether the family of a RAID controller reports a drive.

    If the family reports other drives of the controller, a drive that it left out is passed through.
    """
    if block.pci_address not in controllers:
        return False
    return block.pci_address not in answered or bool(block.model and _LOGICAL.search(block.model))


def by_drive(blocks: list[BlockDevice]) -> list[list[BlockDevice]]:
    """Group the block devices by drive. WWNs are compared, else serial numbers and models."""
    groups: list[list[BlockDevice]] = []
    index: dict[str, list[BlockDevice]] = {}
    for block in blocks:
        keys = []
        # adapters with several USB drives give all of them the same identifiers
        if block.transport == "usb":
            groups.append([block])
            continue
        # the namespaces of an NVMe drive have separate names and the drive's serial number
        if wwn := wwn_key(block.wwn):
            keys.append(f"wwn {wwn}")
        if (serial := serial_key(block.serial)) and not is_virtual(block):
            keys.append(f"serial {serial} {block.model}")
        group = next((index[key] for key in keys if key in index), None)
        if group is None:
            group = []
            groups.append(group)
        group.append(block)
        for key in keys:
            index.setdefault(key, group)
    return groups
