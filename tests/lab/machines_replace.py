"""A machine with a RAID-6 whose drives can be pulled and pushed."""

from __future__ import annotations

from tests.lab.machine import MIB, Controller, Drive, Machine

SERIALS = ("LABSWAP1", "LABSWAP2", "LABSWAP3", "LABSWAP4")
_NODES = " ".join(f"$(readlink -f /dev/disk/by-id/*{serial})" for serial in SERIALS)

_MADE = (
    f"mdadm --assemble --quiet /dev/md0 {_NODES} || "
    f"mdadm --create /dev/md0 --quiet --run --level=6 -n4 --chunk=64 {_NODES}"
)

SWAP = Machine(
    "swap",
    "a RAID-6 of four drives on a SCSI bus that takes others while it runs",
    controllers=(Controller("swap", "virtio-scsi"),),
    drives=tuple(
        Drive(serial, bus="scsi", controller="swap", vendor="LAB", model="SAS 900", size=64 * MIB, scsi_id=place)
        for place, serial in enumerate(SERIALS)
    ),
    memory=384,
    modules=("virtio_scsi", "sd_mod", "md_mod", "raid456", "ext4"),
    prepare=(
        # the system around the lab may be a container; the guest is none
        "rm -f /usr/sbin/smartctl /.dockerenv /run/.containerenv",
        _MADE,
        "while [ $(cat /sys/block/md0/md/sync_action) != idle ]; do sleep 0.2; done",
    ),
    udev=True,
)

MACHINES = (SWAP,)
