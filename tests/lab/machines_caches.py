"""Machines on which caches are changed. They have drives of every kind, kernel layers, and failing devices."""

from __future__ import annotations

from tests.lab.machine import MIB, Controller, Drive, Machine

STATE = "/var/lib/raidctl"

CACHES = Machine(
    "caches",
    "a SATA, a SAS and an NVMe drive with write caches, and a SATA drive with a file system on it",
    drives=(
        Drive("CS1", model="LAB SATA 4000", rpm=7200),
        Drive("CS2", model="LAB SATA 4000", rpm=7200),
        Drive(
            "CA1", bus="scsi", controller="sas", model="LAB SAS 900", vendor="LAB", rpm=10000, wwn=0x5000C50000000011
        ),
        Drive("CN1", bus="nvme"),
    ),
    controllers=(Controller("sas", "mptsas"),),
    memory=512,
    modules=("sd_mod", "sg", "mptsas", "ahci", "nvme", "ext4"),
    nvme_model="LAB NVMe 960",
)

LAYERS = Machine(
    "layers",
    "dm-cache, bcache, dm-writecache on a RAID-5 with a journal; a SATA drive to remove, a scsi_debug drive that fails",
    drives=(
        *(Drive(name, bus="virtio", size=48 * MIB) for name in ("ORIGIN", "BACKED")),
        *(Drive(name, bus="virtio", size=32 * MIB) for name in ("BCACHE", "M1", "M2", "M3", "MJ", "F2")),
        *(Drive(name, bus="virtio", size=16 * MIB) for name in ("FAST", "META", "LOGGED")),
        Drive("F1", model="LAB SATA 4000", rpm=7200),
    ),
    memory=512,
    modules=("virtio_blk", "ahci", "sd_mod", "sg", "raid456", "dm-cache", "dm-cache-smq", "dm-writecache", "bcache",
             "ext4", "dm-flakey"),
    prepare=("rm -f /usr/sbin/smartctl",),
    udev=False,
)  # fmt: skip

MACHINES = (CACHES, LAYERS)
