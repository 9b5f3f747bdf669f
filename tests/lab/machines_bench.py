"""Machines whose drives have known speeds. The results of a benchmark are thus known."""

from __future__ import annotations

from tests.lab.machine import MIB, Drive, Machine, Throttle
from tests.lab.machines import WITHOUT_OUR_TOOL
from tests.lab.machines_mfi import drive

COMMITS = 120
"""Writes per second of the drive that waits for its medium. It is like a hard drive of 7200 rpm without a cache."""
CACHE, DESTAGE = 64_000_000, 20_000_000
"""Bytes of the controller's write-back cache, and bytes per second leaving it."""

BUCKET = Machine(
    "megasas-bucket",
    "a MegaRAID controller with 64 MB of write-back cache and a drive of 20 MB/s; a SATA drive of 120 commits a second",
    # the sizes distinguish the drives: without udev, serial numbers are unknown
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
        # reading all of that takes longer than the measurements
        f"rm -f /usr/sbin/smartctl; {WITHOUT_OUR_TOOL}",
        "until [ $(ls -d /sys/block/sd* | wc -l) -eq 3 ]; do sleep 0.2; done",
    ),
    udev=False,
    urgent=True,
)  # fmt: skip

OPERATIONS = 300
"""Operations per second of each of the six drives for arrays."""
SPINS, SWITCHED = 15000, 240
"""Speed of the drive whose cache is switched. It is given in rotations per minute, and in writes per second in any
case."""
READS = 400
"""Reads per second of the drive below a mapping."""
FLUSH_MS = 4
"""Milliseconds of a commit if the cache of a drive is flushed."""

SLOW_DRIVES = Machine(
    "slow-drives",
    "six drives of 300 operations a second for arrays of any level; one to switch its cache, one with an honest cache",
    # the sizes distinguish the drives
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
