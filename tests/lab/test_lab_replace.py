"""Replacing drives of real md arrays under a real kernel. The data stay despite mistakes and failures.

The tests of this file share a machine, and each leaves it with complete arrays.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.lab.bays import Bays, scsi
from tests.lab.guest import Done
from tests.lab.machine import MIB
from tests.lab.machines_bays import PARITY, SIZE
from tests.lab.places import program

pytestmark = [pytest.mark.lab(minutes=5), pytest.mark.xdist_group("lab-bays")]

UNDER_WAY, USAGE = 7, 2


def printed(done: Done) -> str:
    """The output of a command, on one line."""
    return " ".join((done.text + done.err.decode()).split())


def ext4(path: Path) -> bytes:
    """The content of a drive with a file system."""
    with path.open("wb") as disk:
        disk.truncate(SIZE)
    subprocess.run([program("mkfs.ext4", "e2fsprogs"), "-q", path], check=True)
    return path.read_bytes()


def test_a_member_is_replaced_despite_mistakes_and_failures(bays: Bays, tmp_path: Path) -> None:
    """A RAID-6 keeps its checksum despite mistakes and failures.

    A wrong drive is pulled, two new drives are unfit, and a second member fails.

    The new drive has the letter and the SCSI address of the old one.
    """
    before, old, letter = bays.fill("md6", 8), PARITY[1], bays.guest.device(PARITY[1])
    refused = bays.raidctl("replace", old, "--yes", "--no-wait")
    assert (refused.rc, bays.state("md6")["degraded"]) == (USAGE, "0"), refused
    taken = bays.raidctl("replace", old, "--confirm", old, "--no-wait")
    assert (taken.rc, bays.state("md6")["degraded"]) == (UNDER_WAY, "1"), taken
    assert f"Pull the drive with serial number {old}" in printed(taken)

    wrong = bays.pull(PARITY[2])
    stopped = bays.raidctl("replace", "resume", "--no-wait")
    assert (stopped.rc, f"{wrong.serial} is gone, but must stay" in printed(stopped)) == (UNDER_WAY, True), stopped
    bays.push(wrong)
    bays.readd("md6", wrong.serial)
    assert bays.state("md6")["degraded"] == "1"

    bays.pull(old)
    waiting = bays.raidctl("replace", "resume", "--no-wait")
    assert (waiting.rc, "Put the new drive into the bay of the old one" in printed(waiting)) == (UNDER_WAY, True), (
        waiting
    )
    assert bays.push(scsi("LABSMALL", 1, size=12 * MIB)) == letter
    small = bays.raidctl("replace", "resume", "--no-wait")
    assert (small.rc, "LABSMALL is too small" in printed(small)) == (UNDER_WAY, True), small
    bays.pull("LABSMALL")

    assert bays.push(scsi("LABSIGN9", 1), ext4(tmp_path / "signed")) == letter
    signed = bays.raidctl("replace", "resume", "--no-wait")
    assert (signed.rc, "LABSIGN9 contains ext4" in printed(signed)) == (UNDER_WAY, True), signed
    bays.speed("md6", 10)
    begun = bays.raidctl("replace", "resume", "--no-wait", "--wipe", "LABSIGN9")
    assert (begun.rc, bays.state("md6")["sync_action"]) == (UNDER_WAY, "recover"), begun

    failed = bays.pull(PARITY[3])
    second = bays.raidctl("replace", "resume", "--no-wait")
    assert (second.rc, bays.state("md6")["degraded"]) == (UNDER_WAY, "2"), second
    bays.push(failed)
    bays.speed("md6")
    bays.idle("md6")
    bays.readd("md6", failed.serial)
    done = bays.raidctl("replace", "resume")
    assert (done.rc, bays.state("md6")) == (0, {"sync_action": "idle", "degraded": "0"}), done
    assert bays.checksum("md6") == before
    assert bays.raidctl("replace", "list").text == "No replacement is open.\n"
