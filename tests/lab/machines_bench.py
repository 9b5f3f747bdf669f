"""Machines whose drives are as fast as they are said to be: what the benchmark finds out is known beforehand."""

from __future__ import annotations

from tests.lab.machine import MIB, Drive, Machine, Throttle
from tests.lab.machines import WITHOUT_OUR_TOOL
from tests.lab.machines_mfi import drive

COMMITS = 120
"""Writes a second of the drive that waits for its medium: as a disk of 7200 rpm without a cache."""
CACHE, DESTAGE = 64_000_000, 20_000_000
"""Bytes of the card's write-back cache, and bytes a second that leave it."""

BUCKET = Machine(
    "megasas-bucket",
    "a MegaRAID card with a write-back cache of 64 MB before a drive of 20 MB/s; a SATA drive of 120 commits a second",
    # the sizes tell the drives apart: without udev nobody knows serial numbers
    drives=(
        drive("FAST", 0, size=20 * MIB),
        drive("BUCKET", 1, size=192 * MIB,
              throttle=Throttle(bps_write=DESTAGE, bps_write_max=CACHE, bps_write_max_length=1)),
        Drive("SLOW", model="LAB SATA 4000", rpm=7200, size=16 * MIB, write_cache=False,
              throttle=Throttle(iops_write=COMMITS)),
        Drive("FILES", bus="virtio", size=128 * MIB),
        Drive("EXT4", bus="virtio", size=24 * MIB),
        Drive("MEMBER", bus="virtio", size=8 * MIB),
    ),
    memory=512,
    modules=("megaraid_sas", "sd_mod", "ahci", "virtio_blk", "ext4", "raid1", "dm-flakey"),
    prepare=(
        # what raidctl would ask takes longer than what it measures
        f"rm -f /usr/sbin/smartctl; {WITHOUT_OUR_TOOL}",
        "until [ $(ls -d /sys/block/sd* | wc -l) -eq 3 ]; do sleep 0.2; done",
    ),
    udev=False,
    urgent=True,
)  # fmt: skip

OPERATIONS = 300
"""A second, of each of six drives of which arrays are made."""
SPINS, SWITCHED = 15000, 240
"""Revolutions a minute of the drive whose write cache is switched, and writes a second: it commits no more, ever."""
READS = 400
"""A second, of the drive below a mapping."""
FLUSH_MS = 4
"""What a commit waits for where the cache of a drive is flushed."""

SLOW_DRIVES = Machine(
    "slow-drives",
    "six drives of 300 operations a second for arrays of any level; one whose cache is switched, one that is flushed",
    # the sizes tell them apart
    drives=(
        *(Drive(f"R{number}", bus="virtio", size=128 * MIB, throttle=Throttle(iops_total=OPERATIONS))
          for number in range(6)),
        Drive("SWITCH", model="LAB SATA 4000", rpm=SPINS, size=16 * MIB, throttle=Throttle(iops_write=SWITCHED)),
        Drive("MAPPED", bus="virtio", size=64 * MIB, throttle=Throttle(iops_read=READS)),
        Drive("HONEST", bus="virtio", size=32 * MIB, backing="volatile", flush_ms=FLUSH_MS),
    ),
    memory=512,
    modules=("virtio_blk", "ahci", "sd_mod", "ext4", "dm-crypt", "raid0", "raid1", "raid10", "raid456"),
    prepare=(f"rm -f /usr/sbin/smartctl; {WITHOUT_OUR_TOOL}",),
    udev=False,
    urgent=True,
)  # fmt: skip

MACHINES = (BUCKET, SLOW_DRIVES)
