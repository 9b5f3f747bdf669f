"""The machine whose drives are pulled and pushed.

Its SCSI bays have an SES enclosure, its PCIe slots NVMe drives.
"""

from __future__ import annotations

from raidctl.operate.boot_loader import BIOS_BOOT
from tests.lab.machine import MIB, Controller, Drive, Machine
from tests.lab.machines_caches import STATE

SIZE = 24 * MIB
"""Size of the drives that are members of arrays."""
BUS = "bays"
"""The SCSI bus, which also has the enclosure."""
NVME = "LAB NVMe 960"
LINUX_RAID = "a19d880f-05fc-4d3b-a006-743f0f84911e"
"""Type of a partition that is a member of an array."""
_NODE = "$(readlink -f /dev/disk/by-id/*{})"


def _bay(serial: str, place: int) -> Drive:
    return Drive(serial, bus="scsi", controller=BUS, size=SIZE, scsi_id=place)


def _slot(serial: str, number: int) -> Drive:
    return Drive(serial, bus="nvme", slot=number, size=SIZE)


PARITY = ("LABBAYS1", "LABBAYS2", "LABBAYS3", "LABBAYS4")
"""The members of the RAID-6 /dev/md6. Each is in the bay of its SCSI number, from 0."""
MIRROR = ("LABNVME1", "LABNVME2")
"""The members of the mirror /dev/md1, in slots 1 and 2. Slots 3 and 4 are empty."""


def _made(name: str, serials: tuple[str, ...], how: str) -> str:
    """The command that assembles or creates an array. Missing members do not prevent the assembly."""
    nodes = " ".join(_NODE.format(serial) for serial in serials)
    return (
        f"[ -e /sys/block/{name}/md ] || mdadm --assemble --quiet --run --config=partitions /dev/{name} --name={name} "
        f"|| mdadm --create /dev/{name} --quiet --run --name={name} -n{len(serials)} {how} {nodes}"
    )


BAYS = Machine(
    "bays",
    "a RAID-6 in four of eight SCSI bays, a mirror of NVMe drives in two of four PCIe slots; a SATA drive with a cache",
    controllers=(Controller(BUS, "virtio-scsi"),),
    slots=4,
    drives=(
        *(_bay(serial, place) for place, serial in enumerate(PARITY)),
        *(_slot(serial, number) for number, serial in enumerate(MIRROR, 1)),
        Drive("P1", model="LAB SATA 4000", rpm=7200, size=16 * MIB),
        Drive("PJ", bus="virtio", size=32 * MIB, backing="volatile"),
    ),
    memory=448,
    modules=("virtio_scsi", "sd_mod", "sg", "ses", "ahci", "nvme", "virtio_blk", "ext4", "raid456", "raid1"),
    nvme_model=NVME,
    prepare=(
        # the system around the lab may be a container; the guest is none
        "rm -f /.dockerenv /run/.containerenv",
        f"mkdir -p {STATE}; blkid -p /dev/vda || mkfs.ext4 -q /dev/vda; mount /dev/vda {STATE}; chmod 700 {STATE}",
        _made("md6", PARITY, "--level=6 --chunk=64 --bitmap=internal"),
        _made("md1", MIRROR, "--level=1 --assume-clean --bitmap=internal"),
        "while [ $(cat /sys/block/md6/md/sync_action) != idle ]; do sleep 0.2; done",
    ),
)

BOOT_DRIVES = ("LABBOOT1", "LABBOOT2")
BOOT_SIZE = 40 * MIB
_TABLE = f"label: gpt\\nsize=1MiB, type={BIOS_BOOT[0]}\\ntype={LINUX_RAID}\\n"
"""A partition for GRUB, and the member of the mirror."""
_TABLES = "; ".join(f"printf '{_TABLE}' | sfdisk --quiet {_NODE.format(serial)}" for serial in BOOT_DRIVES)
_PARTS = " ".join(f"{_NODE.format(serial)}2" for serial in BOOT_DRIVES)
_ASSEMBLE = "mdadm --assemble --quiet --run --config=partitions /dev/md1 --name=md1"
_CREATE = f"mdadm --create /dev/md1 --quiet --run --name=md1 -n2 --level=1 --assume-clean --bitmap=internal {_PARTS}"
_FORMAT = "mkfs.ext4 -q -O ^has_journal /dev/md1"
BOOTS = Machine(
    "boots",
    "a mirror on GPT partitions of two SCSI drives, with the file system from which GRUB starts a kernel",
    controllers=(Controller(BUS, "virtio-scsi"),),
    drives=tuple(
        Drive(serial, bus="scsi", controller=BUS, size=BOOT_SIZE, scsi_id=place)
        for place, serial in enumerate(BOOT_DRIVES)
    ),
    memory=448,
    modules=("virtio_scsi", "sd_mod", "ext4", "raid1"),
    prepare=(
        "rm -f /.dockerenv /run/.containerenv",
        f"[ -e /sys/block/md1/md ] || {_ASSEMBLE} || {{ {_TABLES}; udevadm settle; {_CREATE}; {_FORMAT}; }}",
        # udev has begun to assemble it, and waits for the other half
        "! grep -q inactive /sys/block/md1/md/array_state || mdadm --run --quiet /dev/md1",
        "mount /dev/md1 /boot",
    ),
)

MACHINES = (BAYS, BOOTS)
