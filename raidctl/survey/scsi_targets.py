"""Volumes matched to drives by SCSI target without host. ``2:0:0`` is channel, target, LUN.

The tools do not report the controller's SCSI host. If the controller's PCI function is known, its drives are searched,
else all drives on the family's drivers that no other controller has. Ambiguous matches, in either direction, are
dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from raidctl.discovery.index import Index, registered, wwn
from raidctl.host import BlockDevice
from raidctl.model import Controller, Volume
from raidctl.text import regex

LABEL = "scsi target"
_TARGET = regex(r"\d{1,9}:\d{1,9}:\d{1,9}", re.ASCII)


def by_target(
    controllers: Sequence[Controller], index: Index, drivers: Mapping[str, Sequence[str]]
) -> dict[str, BlockDevice]:
    """Return block devices by volume id, for volumes without one. Their SCSI target must be unique.

    Args:
        controllers: Of all families, with the PCI addresses and devices known so far.
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
    """Return the drives of all hosts at the volume's target. Empty if it has no target, or several."""
    if volume.device is not None:
        return []
    targets = {text.strip(" []") for label, text in volume.details.items() if label.strip().lower().endswith(LABEL)}
    target = targets.pop() if len(targets) == 1 else ""
    # 02:0:0 is the same target as 2:0:0
    bare = ":".join(str(int(part)) for part in target.split(":")) if _TARGET.fullmatch(target) else None
    return index.disks("target", bare)


def _reachable(disk: BlockDevice, address: str | None, drivers: Sequence[str], taken: Collection[str]) -> bool:
    """Whether a drive can be on the controller.

    The drive must be on the controller's function or, if that is unknown, on a free one of its drivers.
    """
    if address is not None:
        return disk.pci_address == address
    return disk.driver in drivers and disk.pci_address is not None and disk.pci_address not in taken


def _another(volume: Volume, disk: BlockDevice) -> bool:
    """Whether both have a full world wide name. Then they are different (equal ones were matched before)."""
    return registered(wwn(volume.unique_id)) and registered(wwn(disk.wwn))
