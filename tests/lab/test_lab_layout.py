"""Layouts under a real kernel, applied, refused, interrupted and deleted.

Signatures cause the refusal, a power cut the interruption.
"""

from __future__ import annotations

import re
import struct
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.guest import Done, Guest
from tests.lab.machine import MIB, Controller, Drive, Machine
from tests.lab.machines_caches import STATE
from tests.lab.places import program

pytestmark = [pytest.mark.lab(minutes=4), pytest.mark.xdist_group("lab-layout")]

FREE = ("LABLAY1", "LABLAY2", "LABLAY3", "LABLAY4")
KINDS = ("ext4", "gpt", "LVM2_member", "crypto_LUKS", "linux_raid_member")
LAYOUT = Machine(
    "layout",
    "empty SCSI drives, and one for each kind of signature",
    controllers=(Controller("lay", "virtio-scsi"),),
    drives=(
        *(Drive(name, bus="scsi", controller="lay", size=64 * MIB) for name in FREE),
        *(Drive(f"LABSIG{number}", bus="scsi", controller="lay", size=16 * MIB) for number in range(len(KINDS))),
        Drive("PJ", bus="virtio", size=32 * MIB),
    ),
    memory=448,
    modules=("virtio_scsi", "sd_mod", "sg", "virtio_blk", "ext4", "raid456", "raid1", "raid0"),
    prepare=(
        # emulated drives report no health; the programs that would query them take most of a reading
        "rm -f /usr/sbin/smartctl /usr/sbin/sdparm /usr/sbin/hdparm",
        "rm -f /.dockerenv /run/.containerenv",  # the system around the lab may be a container; the guest is none
        f"mkdir -p {STATE}; blkid -p /dev/vda || mkfs.ext4 -q /dev/vda; mount /dev/vda {STATE}; chmod 700 {STATE}",
        "mkdir -p /etc/mdadm; echo 'MAILADDR root' > /etc/mdadm/mdadm.conf; udevadm settle",
    ),
)
PLACE = "/run/lab.toml"
SYSTEM = """
[[volume]]
controller = "md"
name = "boot"
raid_level = "raid1"
drives = ["LABLAY1", "LABLAY2"]
partition = { size = "16MiB" }
metadata = "1.0"

[[volume]]
controller = "md"
name = "data"
raid_level = "raid1"
drives = ["LABLAY1", "LABLAY2"]
partition = { size = "max" }
consistency_policy = "bitmap"
"""
STRIPED = """
[[volume]]
controller = "md"
name = "lake"
raid_level = "raid0"
strip = "64KiB"
drives = ["LABLAY3", "LABLAY4"]
"""


def lvm(size: int) -> bytes:
    """A physical volume of LVM. Its label is in the second sector, with LVM's checksum."""
    rest = struct.pack("<I8s32s", 32, b"LVM2 001", b"lab" * 10)
    body = rest.ljust(512 - 20, b"\0")
    crc = zlib.crc32(body, 0xF597A6CF ^ 0xFFFFFFFF) ^ 0xFFFFFFFF
    return (bytes(512) + struct.pack("<8sQI", b"LABELONE", 1, crc) + body).ljust(size, b"\0")


def content(kind: str, path: Path) -> bytes:
    """The first bytes of a drive with a signature."""
    with path.open("wb") as disk:
        disk.truncate(16 * MIB)
    if kind == "ext4":
        subprocess.run([program("mkfs.ext4", "e2fsprogs"), "-q", path], check=True)
    elif kind == "gpt":
        subprocess.run([program("sfdisk", "fdisk"), "-q", path], input=b"label: gpt\n,\n", check=True)
    elif kind == "LVM2_member":
        return lvm(MIB)
    elif kind == "crypto_LUKS":
        return b"LUKS\xba\xbe\x00\x01".ljust(MIB, b"\0")
    else:
        block = struct.pack("<II", 0xA92B4EFC, 1).ljust(144, b"\0") + struct.pack("<Q", 8)
        return bytes(4096) + block.ljust(MIB, b"\0")
    return path.read_bytes()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """The machine with signatures on its drives."""
    scratch = tmp_path_factory.mktemp("signed")
    with Guest(LAYOUT) as guest:
        for number, kind in enumerate(KINDS):
            drive = LAYOUT.drive(f"LABSIG{number}")
            with guest.places.disk(drive).open("r+b") as disk:
                disk.write(content(kind, scratch / kind))
        yield guest.boot()


def apply(guest: Guest, *words: str) -> Done:
    """Run ``raidctl layout apply``."""
    return guest.raidctl("layout", "apply", *words, "--unsafe", "QEMU's drives report no health", timeout=900)


def printed(done: Done) -> str:
    """The output of a command, on one line."""
    return " ".join((done.text + done.err.decode()).split())


def write(guest: Guest, text: str) -> None:
    """Write the layout file."""
    guest.write_file(PLACE, f"layout = 1\n{text}".encode())


def coded(guest: Guest, *words: str) -> str:
    """The plan's code, from a run without it that changes nothing."""
    done = apply(guest, PLACE, *words, "--yes")
    found = re.search(r"confirm this plan with --confirm ([0-9a-f]{8})", printed(done))
    assert (done.rc, found is not None) == (2, True), done
    return found[1] if found is not None else ""


def test_every_signature_is_refused_and_kept(machine: Guest) -> None:
    """A layout for all of these drives is refused with every signature. Nothing is written."""
    volumes = "".join(
        f'[[volume]]\ncontroller = "md"\nname = "v{number}"\nraid_level = "raid0"\ndrives = ["LABSIG{number}"]\n'
        for number in range(len(KINDS))
    )
    write(machine, volumes)
    nodes = [machine.device(f"LABSIG{number}") for number in range(len(KINDS))]
    sums = machine.sh(f"sha256sum {' '.join(nodes)}")
    done = apply(machine, PLACE, "--confirm", "00000000")
    assert done.rc == 1, done
    for kind in KINDS:
        assert kind in printed(done), (kind, printed(done))
    assert machine.sh(f"sha256sum {' '.join(nodes)}") == sums
    assert machine.sh("cat /proc/mdstat | grep -c active || true").strip() == "0"


def test_a_layout_is_applied(machine: Guest) -> None:
    """Two mirrors are created on new partitions and listed in mdadm.conf."""
    write(machine, SYSTEM)
    done = apply(machine, PLACE, "--confirm", coded(machine))
    assert done.rc == 0, done
    conf = machine.sh("cat /etc/mdadm/mdadm.conf")
    uuids = machine.sh("mdadm --detail --export /dev/md/boot /dev/md/data | grep ^MD_UUID=").split()
    assert all(f"UUID={one.partition('=')[2]}" in conf for one in uuids), conf
    assert machine.sh("cat /sys/block/$(basename $(readlink -f /dev/md/data))/md/bitmap/location").strip() != "none"


def test_a_power_cut_at_the_creation_is_continued(machine: Guest) -> None:
    """After a cut, the next command completes the creation. Otherwise it names the obstacle.

    A second run of the whole layout then has nothing to do.
    """
    write(machine, STRIPED)
    job = machine.start_raidctl("layout", "apply", PLACE, "--unsafe", "lab", "--confirm", coded(machine))
    while b"--create" not in job.stderr() and job.wait(0) is None:
        pass
    machine.kill()
    machine.boot()
    write(machine, SYSTEM + STRIPED)
    done = apply(machine, "resume")
    if "linux_raid_member" in printed(done):
        wiped = [word for serial in FREE[2:] for word in ("--wipe", serial)]
        done = apply(machine, "resume", *wiped)
    assert done.rc in (0, 2), done  # 2: cut before the first line of the journal, or after its last one
    if done.rc == 2 and "nothing to do" not in apply(machine, PLACE, "--dry-run").text:
        assert apply(machine, PLACE, "--confirm", coded(machine)).rc == 0
    level = "mdadm --detail /dev/md/lake | grep -c -e raid0 -e LABLAY -e 'Raid Devices : 2'"
    assert machine.sh(level).strip() == "2"
    again = apply(machine, PLACE)
    assert (again.rc, "nothing to do" in again.text) == (0, True), again


def test_a_volume_is_deleted(machine: Guest) -> None:
    """A deleted volume is stopped, and its members are empty. Its line is gone from mdadm.conf."""
    uuid = machine.sh("mdadm --detail --export /dev/md/lake | grep ^MD_UUID=").strip().partition("=")[2]
    host = machine.sh("cat /proc/sys/kernel/hostname").strip()
    write(machine, f'[machine]\nhostname = "{host}"\n[[delete]]\ncontroller = "md"\nunique_id = "{uuid}"\n')
    machine.sh("mkfs.ext4 -q /dev/md/lake; mkdir -p /mnt/lake; mount /dev/md/lake /mnt/lake; udevadm settle")
    refused = apply(machine, PLACE, "--confirm", "00000000")
    assert refused.rc == 1, refused
    assert "is in use: /mnt/lake" in printed(refused)
    assert "contains ext4" in printed(refused)
    machine.sh("umount /mnt/lake; udevadm settle")
    code = coded(machine, "--wipe", uuid)
    done = apply(machine, PLACE, "--wipe", uuid, "--confirm", code)
    assert done.rc == 0, done
    machine.sh("udevadm settle")
    assert uuid not in machine.sh("cat /etc/mdadm/mdadm.conf /proc/mdstat; mdadm --detail --scan")
    nodes = " ".join(machine.device(serial) for serial in FREE[2:])
    assert machine.sh(f"for node in {nodes}; do wipefs --no-act $node; done").strip() == ""
