"""Volumes whose tool tells the SCSI target but not the host, ``2:0:0`` for channel, target and unit (LUN).

Which host a card is the tools do not know. Where the card's PCI function is known, its disks are looked through; else
all disks on the drivers of the family that no other controller has. What fits twice, either way round, fits nobody.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from raidctl.discovery.index import Index, registered, wwn
from raidctl.host import BlockDevice
from raidctl.model import Controller, Volume

LABEL = "scsi target"
_TARGET = re.compile(r"\d{1,9}:\d{1,9}:\d{1,9}", re.ASCII)


def by_target(
    controllers: Sequence[Controller], index: Index, drivers: Mapping[str, Sequence[str]]
) -> dict[str, BlockDevice]:
    """The disk of each volume, by the volume's id, that has no device yet and whose SCSI target one disk has.

    Args:
        controllers: Of all families, with what is known of their PCI addresses and devices by now.
        index: The kernel's view.
        drivers: The kernel drivers of each family, by its name.
    """
    linked = {volume.device for controller in controllers for volume in controller.volumes if volume.device}
    linked |= {drive.device for controller in controllers for drive in controller.drives if drive.device}
    taken = {controller.pci_address for controller in controllers if controller.pci_address}
    found: dict[str, BlockDevice] = {}
    for controller in controllers:
        if controller.mode == "software":
            continue
        own = drivers.get(controller.id.split(":", 1)[0], ())
        for volume in controller.volumes:
            disks = [
                disk
                for disk in _candidates(volume, index)
                if disk.node not in linked and _reachable(disk, controller.pci_address, own, taken)
            ]
            if len(disks) == 1 and not _another(volume, disks[0]):
                found[volume.id] = disks[0]
    claims = Counter(disk.node for disk in found.values())
    return {object_id: disk for object_id, disk in found.items() if claims[disk.node] == 1}


def _candidates(volume: Volume, index: Index) -> list[BlockDevice]:
    """The disks of all hosts at the volume's target; none where it tells no target, or several."""
    if volume.device is not None:
        return []
    told = {text.strip(" []") for label, text in volume.details.items() if label.strip().lower().endswith(LABEL)}
    target = told.pop() if len(told) == 1 else ""
    # 02:0:0 is no other target than 2:0:0
    bare = ":".join(str(int(part)) for part in target.split(":")) if _TARGET.fullmatch(target) else None
    return index.disks("target", bare)


def _reachable(disk: BlockDevice, address: str | None, drivers: Sequence[str], taken: Collection[str]) -> bool:
    """Whether a disk can be on the controller: on its function; or, that unknown, on one of its drivers' own."""
    if address is not None:
        return disk.pci_address == address
    return disk.driver in drivers and disk.pci_address is not None and disk.pci_address not in taken


def _another(volume: Volume, disk: BlockDevice) -> bool:
    """Whether both have a full world wide name of their own: then they are not the same, wherever they are."""
    return registered(wwn(volume.unique_id)) and registered(wwn(disk.wwn))
