"""The machine with RAID volumes of LVM. A mirror and a RAID-5 share a drive."""

from __future__ import annotations

from tests.lab.machine import MIB, Drive, Machine
from tests.lab.packages import LVM as PACKAGES

SERIALS = ("LV1", "LV2", "LV3", "LV4")
QUIET = "--config 'activation{monitoring=0}'"
"""No daemon monitors the volumes in a machine of the lab."""
_NODES = "for s in LV1 LV2 LV3 LV4; do eval $s=$(readlink -f /dev/disk/by-id/virtio-$s); done"
DONE = "until [ \"$(lvs --noheadings -o sync_percent vg | sort -u | tr -d ' \\n')\" = 100.00 ]; do sleep 0.3; done"
"""Waits until all volumes are in sync."""

LVM = Machine(
    "lvm",
    "an LVM mirror and an LVM RAID-5 on four virtio drives, one of which they share",
    drives=tuple(Drive(serial, bus="virtio", size=32 * MIB) for serial in SERIALS),
    memory=448,
    modules=("virtio_blk", "dm-raid", "raid1", "raid456"),
    prepare=(
        f"cp -a {PACKAGES}/sbin/. /usr/local/sbin/; cp -a {PACKAGES}/lib/*-linux-gnu/. /usr/local/lib/; ldconfig",
        # it creates the links in /dev/vg
        (f"mkdir -p /run/udev/rules.d; cp {PACKAGES}/lib/udev/rules.d/56-lvm.rules /run/udev/rules.d/; "
        "udevadm control --reload"),
        (f"{_NODES}; pvcreate -q $LV1 $LV2 $LV3 $LV4; vgcreate -q -s 1m vg $LV1 $LV2 $LV3 $LV4; "
        f"lvcreate -q {QUIET} --type raid1 -m1 -L 8m -n mir vg $LV1 $LV2; "
        f"lvcreate -q {QUIET} --type raid5 -i2 -L 8m -n par vg $LV2 $LV3 $LV4; {DONE}"),
    ),
)  # fmt: skip

MACHINES = (LVM,)
