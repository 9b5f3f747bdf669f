"""Volumes as the kernel has them.

The kernel shows drives of ahci or nvme, known by their model: ``DELLBOSS VD`` of Dell BOSS-S1 and S2.
"""

from __future__ import annotations

import re

from raidctl.host import BlockDevice, HostView
from raidctl.text import regex

_MARVELL = 0x1B4B
"""Of PCI."""
_NAMED = regex(r"DELLBOSS[ _]VD|BOSS-N\d", re.IGNORECASE)
_VOLUME = regex(r"(?<![A-Za-z])VD(?![A-Za-z])")


def volumes(host: HostView) -> list[BlockDevice]:
    """The block devices that are volumes."""
    own = {device.address for device in host.pci if device.vendor_id == _MARVELL}
    return [block for block in host.blocks if block.kind == "disk" and _is_volume(block, own)]


def _is_volume(block: BlockDevice, own: set[str]) -> bool:
    model = block.model or ""
    return bool(_NAMED.search(model)) or (block.pci_address in own and bool(_VOLUME.search(model)))
