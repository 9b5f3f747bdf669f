"""Kernel drives behind a RAID controller that its tool does not list. Pure.

Such a drive may hold the machine's data, but its RAID level, status and cache are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.host import BlockDevice, HostView
from raidctl.model import Controller, Problem
from raidctl.survey.block_devices import claimed_nodes
from raidctl.text import listing


def unmatched(view: HostView, controllers: Sequence[Controller]) -> Iterator[Problem]:
    """A problem for each address of RAID controllers with such drives.

    Up to the number of volumes and passed-through drives without a known device, this is a note: they may be the same.
    More such drives are volumes that the tool did not report.
    """
    taken = claimed_nodes(controllers, view)
    for address in dict.fromkeys(one.pci_address for one in controllers if one.pci_address and one.mode != "none"):
        own = [one for one in controllers if one.pci_address == address]
        left = [one for one in view.blocks if one.pci_address == address and one.node not in taken and _is_drive(one)]
        if not left:
            continue
        loose = [one for controller in own for one in _without_device(controller)]
        names = listing(one.node for one in left)
        if len(left) > len(loose):
            message = f"{names}: not among the volumes that the tool lists; RAID level, state and cache are unknown."
            yield Problem("error", own[0].id, message, "Compare the volumes that the tool lists with lsblk.", "unread")
        else:
            message = f"{names}: perhaps {listing(loose, 'or')}, for which no tool reports a device."
            yield Problem("warning", own[0].id, message, "Compare the sizes with those that lsblk prints.", "note")


def _without_device(controller: Controller) -> Iterator[str]:
    """The ids of volumes and drives that the kernel may show. Of drives, they are those that are passed through."""
    yield from (volume.id for volume in controller.volumes if volume.device is None)
    for drive in controller.drives:
        passed = drive.role in ("passthrough", None) or (drive.role == "unassigned" and controller.mode != "raid")
        if drive.device is None and passed:
            yield drive.id


def _is_drive(block: BlockDevice) -> bool:
    return block.kind == "disk" and bool(block.size_bytes)
