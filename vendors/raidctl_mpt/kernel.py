"""IR volumes as the kernel has them.

The driver shows one as a drive on SCSI channel 1 (RAID_CHANNEL in drivers/scsi/mpt3sas/mpt3sas_base.h).
"""

from __future__ import annotations

import re

from raidctl.host import BlockDevice, HostView
from raidctl.text import regex

DRIVERS = ("mpt2sas", "mpt3sas")
_VOLUME = regex(r"\d+:1:\d+:\d+", re.ASCII)


def volumes(host: HostView) -> list[BlockDevice]:
    """The block devices that are IR volumes."""
    return [
        block
        for block in host.blocks
        if block.kind == "disk" and block.driver in DRIVERS and _VOLUME.fullmatch(block.scsi_address or "")
    ]
