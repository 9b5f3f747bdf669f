"""A machine with bays: an enclosure is attached to it by the test, which asks that which LEDs are on."""

from __future__ import annotations

from tests.lab.machine import MIB, Controller, Drive, Machine
from tests.lab.machines_caches import STATE

BAYS = Machine(
    "bays",
    "a SCSI bus for an SES enclosure; the journal is on a drive of its own",
    controllers=(Controller("bays", "virtio-scsi"),),
    drives=(
        Drive("B1", bus="scsi", controller="bays", vendor="LAB", model="SAS 900", size=16 * MIB),
        Drive("PJ", bus="virtio", size=32 * MIB, backing="volatile"),
    ),
    memory=320,
    modules=("virtio_scsi", "sd_mod", "sg", "ses", "virtio_blk", "ext4"),
    prepare=(
        "rm -f /usr/sbin/smartctl",
        f"mkdir -p {STATE}; blkid -p /dev/vda || mkfs.ext4 -q /dev/vda; mount /dev/vda {STATE}; chmod 700 {STATE}",
    ),
    udev=False,
)

MACHINES = (BAYS,)
