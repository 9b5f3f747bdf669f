"""A drive of a real md array is replaced: pulled and pushed under QEMU, with the data and the letter watched."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.lab.guest import Guest
from tests.lab.machine import MIB, Machine
from tests.lab.machines_replace import SWAP

OLD, NEW = "LABSWAP2", "LABSWAP9"


def push(guest: Guest, serial: str, place: int) -> None:
    """Put a drive into a bay of the running machine."""
    path = guest.places.disk(SWAP.drives[0]).with_name(f"{serial}.img")
    with path.open("wb") as disk:
        disk.truncate(64 * MIB)
    guest.qmp("blockdev-add", **{"node-name": f"new-{serial}", "driver": "raw",
                                 "file": {"driver": "file", "filename": str(path)}})  # fmt: skip
    guest.qmp(
        "device_add", driver="scsi-hd", drive=f"new-{serial}", id=f"drive-{serial}", serial=serial, bus="swap.0",
        **{"scsi-id": place, "vendor": "LAB", "product": "SAS 900"},
    )  # fmt: skip


@pytest.mark.lab
def test_a_member_is_replaced_while_the_data_stay(lab_machine: Callable[[Machine], Guest]) -> None:
    """From the first command to the verified rebuild: the checksum stays, the new drive has the old name."""
    guest = lab_machine(SWAP)
    guest.sh("dd if=/dev/urandom of=/dev/md0 bs=1M count=40 status=none; sync")
    before = guest.sh("sha256sum /dev/md0")
    letter = guest.device(OLD)

    refused = guest.raidctl("replace", OLD, "--yes", "--no-wait")
    assert (refused.rc, guest.sh("cat /sys/block/md0/md/degraded").strip()) == (2, "0"), refused
    taken = guest.raidctl("replace", OLD, "--confirm", OLD, "--no-wait", "--unsafe", "a lab without SMART")
    assert taken.rc == 7, taken
    assert f"Pull the drive with serial number {OLD}" in taken.text + taken.err.decode()

    guest.qmp("device_del", id=f"drive-{OLD}")
    guest.sh(f"while [ -e {letter} ]; do sleep 0.1; done")
    waiting = guest.raidctl("replace", "resume", "--no-wait")
    assert (waiting.rc, "Put the new drive" in waiting.err.decode()) == (7, True), waiting
    push(guest, NEW, SWAP.drives[1].scsi_id or 1)
    guest.sh(f"until ls /dev/disk/by-id/*{NEW} >/dev/null 2>&1; do sleep 0.1; done; udevadm settle")
    assert guest.device(NEW) == letter

    done = guest.raidctl("replace", "resume", "--unsafe", "a lab without SMART")
    assert done.rc == 0, done
    assert guest.sh("cat /sys/block/md0/md/degraded").strip() == "0"
    assert guest.sh("echo 3 > /proc/sys/vm/drop_caches; sha256sum /dev/md0") == before
    assert guest.raidctl("replace", "list").text == "No replacement is open.\n"
