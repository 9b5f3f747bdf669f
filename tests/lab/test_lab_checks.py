"""Checks of a mirror whose copies differ, and a drive's self-test. The drive is emulated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab.bays import Bays
from tests.lab.machines_bays import MIRROR

pytestmark = [pytest.mark.lab(minutes=5), pytest.mark.xdist_group("lab-checks")]

NO, USAGE = 1, 2
DAMAGE = 12 * 1024
"""Bytes of one copy that are overwritten. md counts them in the units that it compares."""
DIFFER = 128  # sectors


@pytest.fixture
def quick(bays: Bays) -> Iterator[Bays]:
    """The machine without smartctl, which array checks do not need. smartctl takes a third of the time."""
    bays.guest.sh("mv /usr/sbin/smartctl /run/smartctl")
    yield bays
    bays.guest.sh("cp /run/smartctl /usr/sbin/smartctl")


def last(bays: Bays) -> dict[str, Any]:
    """The running or last check of the mirror."""
    [shown] = json.loads(bays.raidctl("check", "show", "md1", "--json").text)
    found: dict[str, Any] = shown
    return found


def check(bays: Bays, *words: str) -> int:
    """Run a command about the check of the mirror. Returns the exit code."""
    return bays.raidctl("check", words[0], "md1", *words[1:], "--yes").rc


def damage(bays: Bays, serial: str) -> None:
    """Overwrite a part of one copy near its end. md does not notice it."""
    node = bays.guest.device(serial)
    name = node.rpartition("/")[2]
    offset = int(bays.guest.sh(f"cat /sys/block/md1/md/dev-{name}/offset")) * 512
    place = offset + int(bays.guest.sh("cat /sys/block/md1/size")) * 512 * 85 // 100 // 4096 * 4096
    size = f"iflag=fullblock oflag=direct,seek_bytes bs={DAMAGE} count=1 seek={place} conv=notrunc status=none"
    bays.guest.sh(f"dd if=/dev/urandom of={node} {size}")


def test_a_check_that_was_stopped_has_not_passed(quick: Bays) -> None:
    """A check that is stopped before the damage counts as interrupted. The kernel still shows 0 differences."""
    before = quick.fill("md1", 4)
    damage(quick, MIRROR[1])
    quick.speed("md1", 10)
    assert (check(quick, "start"), last(quick)["state"]) == (0, "running")
    assert (check(quick, "pause"), last(quick)["state"]) == (0, "paused")
    assert (check(quick, "resume"), check(quick, "stop")) == (0, 0)
    state = last(quick)
    assert (state["state"], state["complete"], state["differ"]) == ("interrupted", False, 0)
    assert quick.guest.sh("cat /sys/block/md1/md/last_sync_action /sys/block/md1/md/mismatch_cnt").split() == [
        "check", "0",
    ]  # fmt: skip
    quick.speed("md1")

    assert check(quick, "start", "--wait") == NO
    state = last(quick)
    assert (state["state"], state["complete"], state["differ"]) == ("complete", True, DIFFER)
    refused = quick.raidctl("check", "start", "md1", "--repair", "--yes")
    assert (refused.rc, quick.state("md1")["sync_action"]) == (USAGE, "idle"), refused
    unique = quick.guest.sh("mdadm --detail --export /dev/md1 | sed -n s/^MD_UUID=//p").strip()
    # a repair counts what it has corrected; another check is the proof
    assert check(quick, "start", "--repair", "--confirm", unique, "--wait") == NO
    assert check(quick, "start", "--wait") == 0
    assert (last(quick)["state"], last(quick)["differ"]) == ("complete", 0)
    assert quick.checksum("md1") == before
    damaged, other = (quick.guest.sh(f"tail -c +2097153 {quick.guest.device(serial)} | sha256sum") for serial in MIRROR)
    assert damaged == other


def test_a_drive_runs_a_self_test(bays: Bays) -> None:
    """A short self-test of the emulated SATA drive is run. Its result is read from the log.

    QEMU's NVMe and SCSI drives have no self-tests.
    """
    done = bays.raidctl("check", "media", "P1", "--short", "--wait", "--at-most", "5m")
    assert done.rc == 0, done
    [state] = json.loads(bays.raidctl("check", "media", "show", "P1", "--json").text)
    assert (state["kind"], state["state"]) == ("short", "passed")
