"""Failing drives cause a problem or a failure, never a hang. They vanish, return errors or do not respond."""

from __future__ import annotations

import json

import pytest

from tests.lab.guest import Guest

pytestmark = [pytest.mark.lab(minutes=3), pytest.mark.xdist_group("lab-layers")]

DEBUG = "/sys/bus/pseudo/drivers/scsi_debug"
ERRORS, SILENCE = 0x10, 0x4
"""How scsi_debug fails a command: an aborted transport, or no reply."""


@pytest.fixture(scope="module")
def faults(layers_machine: Guest) -> Guest:
    """The machine, with a working drive of scsi_debug."""
    layers_machine.sh("modprobe scsi_debug dev_size_mb=8 statistics=1")
    layers_machine.sh("until ls /sys/class/scsi_disk | grep -qv ^0:; do sleep 1; done")
    return layers_machine


def debugged(guest: Guest) -> str:
    """The node of the drive of scsi_debug."""
    return "/dev/" + guest.sh("ls /sys/bus/pseudo/devices/adapter0/host*/target*/*/block").strip()


def inject(guest: Guest, what: int) -> None:
    """Fail every command to that drive from now on; 0: none."""
    guest.sh(f"echo {what} > {DEBUG}/opts; echo {1 if what == ERRORS else -1 if what else 0} > {DEBUG}/every_nth")


def test_a_drive_that_vanishes_during_a_batch_is_restored_when_it_returns(faults: Guest) -> None:
    """The batch and ``restore`` end with 6. Once the drive is back, ``restore`` undoes the change."""
    name = faults.sh("ls /sys/class/scsi_disk/0:0:0:0/device/block").strip()
    node = f"/dev/{name}"
    gone = faults.raidctl(
        *(
            "batch",
            node,
            "--drive-cache",
            "off",
            "--yes",
            "--",
            "sh",
            "-c",
            f"echo 1 > /sys/block/{name}/device/delete",
        ),
        timeout=900,
    )
    assert (gone.rc, b"could not be restored" in gone.err) == (6, True), gone
    still = faults.raidctl("restore", timeout=900)
    assert (still.rc, b"does not exist" in still.err) == (6, True), still
    faults.sh("for scan in /sys/class/scsi_host/host*/scan; do echo - - - > $scan; done")
    faults.sh(f"until [ -b {node} ]; do sleep 1; done")
    assert "write-caching =  0 (off)" in faults.sh(f"hdparm -W {node}")
    back = faults.raidctl("restore", timeout=900)
    assert (back.rc, "write-caching =  1 (on)" in faults.sh(f"hdparm -W {node}")) == (0, True), back


def test_a_drive_that_returns_errors_is_unchanged(faults: Guest) -> None:
    """The change is undone, and a flush fails. ``show`` reports what it could not read."""
    node = debugged(faults)
    inject(faults, ERRORS)
    change = faults.raidctl("cache", "drive", node, "off", "--yes", timeout=900)
    flush = faults.raidctl("cache", "flush", node, "--json", timeout=900)
    show = faults.raidctl("show", node, "--json", timeout=900)
    inject(faults, 0)
    assert change.rc in (3, 5), change
    results = {layer["kind"]: layer["answer"]["result"] for layer in json.loads(flush.text)["layers"]}
    assert (flush.rc, results) == (3, {"page_cache": "done", "drive": "failed"})
    problems = [problem for problem in json.loads(show.text)["problems"] if node in problem["where"]]
    assert (show.rc, [problem["kind"] for problem in problems]) == (3, ["unread"]), show
    output = faults.run(["sdparm", "--get=WCE", node], check=False).text
    assert "WCE           1" in output


def test_a_file_system_that_cannot_be_written_is_not_flushed(faults: Guest) -> None:
    """If dm-flakey fails all writes, the flush fails. The data is reported as unwritten."""
    disk = f"/dev/{faults.sh('cd /sys/block; grep -lx F2 vd*/serial').partition('/')[0]}"
    faults.sh(
        f"""size=$(blockdev --getsz {disk}); dmsetup create weak --table "0 $size linear {disk} 0"; dmsetup mknodes
        mkfs.ext4 -q /dev/mapper/weak; mkdir -p /srv/weak; mount /dev/mapper/weak /srv/weak; sync
        dmsetup load weak --table "0 $size flakey {disk} 0 0 86400 1 error_writes"
        dmsetup suspend --noflush --nolockfs weak; dmsetup resume weak
        dd if=/dev/urandom of=/srv/weak/file bs=64k count=16"""
    )
    done = faults.raidctl("cache", "flush", "/srv/weak", "--json", timeout=900)
    layers = {layer["kind"]: layer for layer in json.loads(done.text)["layers"]}
    assert (done.rc, layers["page_cache"]["answer"]["result"]) == (3, "failed")
    assert "Input/output error" in layers["page_cache"]["answer"]["why"]


def test_an_unresponsive_drive_delays_no_other(faults: Guest) -> None:
    """``show`` lists the other drives and reports it as a problem (3). A flush ends at its limit (3)."""
    node = debugged(faults)
    inject(faults, SILENCE)
    flushing = faults.start_raidctl("cache", "flush", node, "--timeout", "5", "--json")
    show = faults.raidctl("show", "--json", timeout=900)
    flushed = json.loads(flushing.read(400))
    inject(faults, 0)
    shown = json.loads(show.text)
    drives = {drive["serial"]: drive for controller in shown["controllers"] for drive in controller["drives"]}
    assert (show.rc, drives["F1"]["write_cache"]) == (3, "enabled")
    assert [problem["kind"] for problem in shown["problems"] if node in problem["where"]] == ["unread"]
    results = {layer["kind"]: layer["answer"]["result"] for layer in flushed["layers"]}
    assert (flushing.wait(60), results) == (3, {"page_cache": "done", "drive": "failed"})
