"""A machine with bays. Its drives are pulled and pushed, and its power is cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tests.lab.enclosure import Enclosure
from tests.lab.guest import Done, Guest
from tests.lab.machine import Drive
from tests.lab.machines_bays import BUS, SIZE
from tests.lab.qemu import slot

_PUSHED = "for _ in $(seq 1200); do ls /dev/disk/by-id/*{0} >/dev/null 2>&1 && break; sleep 0.1; done; udevadm settle"
_PULLED = "for _ in $(seq 1200); do [ -e {0} ] || break; sleep 0.1; done; udevadm settle; ! [ -e {0} ]"
_OFF = "cd /sys/bus/pci/slots; for _ in $(seq 600); do [ $(cat {0}/power) = 0 ] && break; sleep 0.1; done; sleep 1"
"""A wait until a PCIe slot accepts a new drive. Its driver does so one second after it has powered the slot off."""
_SPEED = "for file in sync_speed_min sync_speed_max; do echo {1} > /sys/block/{0}/md/$file; done"
_WRITABLE = "mdadm --readwrite /dev/{0} || ! grep -qx read-auto /sys/block/{0}/md/array_state"
_IDLE = "while [ $(cat /sys/block/{0}/md/sync_action) != idle ]; do sleep 0.2; done"
_SUMS = "echo 3 > /proc/sys/vm/drop_caches; sha256sum {0}"


def scsi(serial: str, place: int, size: int = SIZE) -> Drive:
    """A drive for a SCSI bay; bays are counted from 0."""
    return Drive(serial, bus="scsi", controller=BUS, scsi_id=place, size=size)


def nvme(serial: str, number: int, size: int = SIZE) -> Drive:
    """A drive for a PCIe slot; slots are counted from 1."""
    return Drive(serial, bus="nvme", slot=number, size=size)


@dataclass
class Bays:
    """A running machine with bays. A power cut keeps the drives that are in them."""

    guest: Guest
    enclosure: Enclosure
    _files: set[str] = field(default_factory=set)
    """Serial numbers of pushed drives, whose files QEMU has open."""

    def push(self, drive: Drive, content: bytes = b"") -> str:
        """Insert a drive while the machine runs. Returns its device node once udev has it."""
        path = self.guest.places.disk(drive)
        if not path.exists():
            path.write_bytes(content)
            with path.open("r+b") as disk:
                disk.truncate(drive.size)
        node = f"pushed-{drive.serial}"
        if drive.serial not in self._files:
            file = {"driver": "file", "filename": str(path)}
            self.guest.qmp("blockdev-add", **{"driver": "raw", "node-name": node, "file": file})
            self._files.add(drive.serial)
        place = {"bus": slot(drive.slot)} if drive.slot else {"bus": f"{BUS}.0", "scsi-id": drive.scsi_id}
        words = {"driver": "nvme" if drive.slot else "scsi-hd", "drive": node, "serial": drive.serial}
        self.guest.qmp("device_add", id=f"drive-{drive.serial}", **words, **place)
        self._change(lambda drives: (*drives, drive))
        self.guest.sh(_PUSHED.format(drive.serial))
        return self.guest.device(drive.serial)

    def pull(self, serial: str) -> Drive:
        """Remove a drive while the machine runs. Returns the drive once the kernel has noticed."""
        drive, node = self.guest.machine.drive(serial), self.guest.device(serial)
        self.guest.qmp("device_del", id=f"drive-{serial}")
        self.guest.sh(_PULLED.format(node))
        if drive.slot:
            self.guest.sh(_OFF.format(drive.slot))
        self._change(lambda drives: tuple(one for one in drives if one.serial != serial))
        return drive

    def _change(self, change: Callable[[tuple[Drive, ...]], tuple[Drive, ...]]) -> None:
        self.guest.machine = replace(self.guest.machine, drives=change(self.guest.machine.drives))

    def cut(self) -> None:
        """Cut the power and boot again."""
        self.guest.kill()
        self._files.clear()
        self.guest.boot()

    def raidctl(self, *words: str) -> Done:
        """Run raidctl."""
        return self.guest.raidctl(*words, timeout=900)

    def speed(self, array: str, speed: int | None = None) -> None:
        """Limit the rebuild of an array to this number of KiB/s. None: no limit."""
        self.guest.sh(_SPEED.format(array, "system" if speed is None else speed))

    def idle(self, array: str) -> None:
        """Wait until an array is idle."""
        self.guest.sh(_IDLE.format(array), timeout=180)

    def writable(self, array: str) -> None:
        """Make an array writable that was assembled as "auto-read-only". Nothing is copied until then.

        Any write does the same; mdadm ends with 1 if one was earlier.
        """
        self.guest.sh(_WRITABLE.format(array))

    def readd(self, array: str, serial: str) -> None:
        """Re-add a member that was pulled by mistake."""
        self.guest.sh(f"mdadm --quiet /dev/{array} --re-add {self.guest.device(serial)}")
        self.idle(array)

    def state(self, array: str) -> dict[str, str]:
        """The sync action of an array, and the number of missing members."""
        names = ("sync_action", "degraded")
        words = self.guest.sh(f"cd /sys/block/{array}/md; cat {' '.join(names)}").split()
        return dict(zip(names, words, strict=True))

    def fill(self, array: str, mib: int) -> str:
        """Write random data to the beginning of an array; returns its checksum."""
        self.guest.sh(f"dd if=/dev/urandom of=/dev/{array} bs=1M count={mib} conv=fsync status=none")
        return self.checksum(array)

    def checksum(self, array: str) -> str:
        """The checksum of an array's data, read from its drives."""
        return self.guest.sh(_SUMS.format(f"/dev/{array}")).split()[0]
