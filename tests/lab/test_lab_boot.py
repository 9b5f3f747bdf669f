"""A machine with its system on a mirror. It boots from the drive that has replaced a member."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.lab.bays import Bays, scsi
from tests.lab.enclosure import Enclosure
from tests.lab.guest import Guest, software
from tests.lab.kernel import kernel
from tests.lab.machines_bays import BOOT_DRIVES, BOOT_SIZE, BOOTS
from tests.lab.places import program
from tests.lab.qemu import kernel_line

pytestmark = [pytest.mark.lab(minutes=1), pytest.mark.xdist_group("lab-boot")]

GRUB = Path("/usr/lib/grub/i386-pc")
NEW = "LABBOOT9"


def installed(guest: Guest) -> str:
    """Install a system that GRUB boots from either drive. Returns the checksum of its files."""
    assert (GRUB / "boot.img").exists(), "install the Debian package grub-pc-bin (tests/run as root does)"
    packed = kernel().tree / f"boot/vmlinuz-{kernel().version}"
    guest.sh(f"cp {packed} /boot/kernel; cp {software().initramfs} /boot/initramfs; mkdir -p /boot/grub")
    line = kernel_line(guest.machine, software())
    config = f"set timeout=0\nmenuentry lab {{\n linux /kernel {line}\n initrd /initramfs\n}}\n"
    guest.write_file("/boot/grub/grub.cfg", config.encode())
    for serial in BOOT_DRIVES:
        guest.sh(f"{program('grub-install', 'grub2-common')} {guest.device(serial)}")
    guest.sh("sync")
    return content(guest)


def content(guest: Guest) -> str:
    """The checksum of the files below /boot."""
    return guest.sh("cd /boot; find . -type f | sort | xargs sha256sum | sha256sum")


def table(guest: Guest, serial: str) -> tuple[list[tuple[int, int, str]], set[str]]:
    """The partitions and unique ids of a drive. The ids include those of its partitions."""
    read = json.loads(guest.sh(f"sfdisk --json {guest.device(serial)}"))["partitiontable"]
    parts = read["partitions"]
    return [(part["start"], part["size"], part["type"]) for part in parts], {
        read["id"], *(part["uuid"] for part in parts)
    }  # fmt: skip


def test_a_machine_boots_from_the_drive_that_replaced_another_one() -> None:
    """The new drive gets equal partitions with new unique ids. It also gets its half of the mirror, and GRUB.

    The machine boots from it alone, and every file is there.
    """
    old, stays = BOOT_DRIVES
    with Guest(BOOTS) as guest:
        bays = Bays(guest.boot(), Enclosure())
        before = installed(guest)
        # guard R2: an emulated SCSI drive reports nothing of its health
        taken = bays.raidctl("replace", old, "--confirm", old, "--no-wait", "--boot", "--now", "--unsafe", "emulated")
        assert taken.rc == 7, taken.text
        bays.pull(old)
        bays.push(scsi(NEW, 0, size=BOOT_SIZE))
        done = bays.raidctl("replace", "resume")
        assert (done.rc, bays.state("md1")) == (0, {"sync_action": "idle", "degraded": "0"}), done
        assert "grub-install" in done.err.decode(), done
        (parts, ids), (parts_of_other, ids_of_other) = table(guest, NEW), table(guest, stays)
        assert parts == parts_of_other
        assert len(ids) == len(ids_of_other) == 3
        assert not ids & ids_of_other

        guest.sh("umount /boot; sync")
        guest.kill()
        [drive] = [drive for drive in guest.machine.drives if drive.serial == NEW]
        guest.machine = replace(guest.machine, from_drive=True, drives=(drive,))
        guest.boot()
        assert "BOOT_IMAGE=/kernel" in guest.sh("cat /proc/cmdline")
        assert guest.device(NEW)
        assert content(guest) == before
