"""LVM RAID under a real kernel. Two volumes lose a drive that both use, and get it back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab import packages
from tests.lab.guest import Guest
from tests.lab.machines_lvm import DONE, LVM, QUIET

pytestmark = [pytest.mark.lab(minutes=3), pytest.mark.xdist_group("lab-lvm")]


@pytest.fixture
def guest() -> Iterator[Guest]:
    """The machine, with LVM's tools."""
    packages.lvm()
    with Guest(LVM) as machine:
        yield machine.boot()


def _volumes(guest: Guest) -> dict[str, dict[str, Any]]:
    """The volumes that raidctl shows, by name."""
    seen = json.loads(guest.raidctl("show", "--json").text)
    [controller] = [one for one in seen["controllers"] if one["id"] == "lvm"]
    return {volume["name"]: volume for volume in controller["volumes"]}


def test_a_drive_of_both_volumes_is_lost_and_comes_back(guest: Guest) -> None:
    """Both volumes are degraded without the drive. No other of their drives may be pulled until it is back."""
    whole = {
        name: (one["raid_level"], one["status"], one["failures_tolerated"]) for name, one in _volumes(guest).items()
    }
    assert whole == {"mir": ("raid1", "ok", 1), "par": ("raid5", "ok", 1)}
    healthy = guest.raidctl("replace", "LV1", "--check")
    assert (healthy.rc, "1 more drive failure" in healthy.text) == (3, True), healthy  # no health of a virtual drive
    assert guest.raidctl("locate", "LV1", "--dry-run").rc == 1  # a virtual drive has no LED
    node = guest.device("LV2").rpartition("/")[2]
    place = guest.sh(f"basename $(readlink -f /sys/block/{node}/device/..)").strip()
    guest.sh(f"echo {place} > /sys/bus/pci/drivers/virtio-pci/unbind")
    guest.sh("for v in mir par; do dd if=/dev/zero of=/dev/vg/$v bs=64k count=16 oflag=direct; done")
    short = {
        name: (one["status"], one["failures_tolerated"], one["drives_active"]) for name, one in _volumes(guest).items()
    }
    assert short == {"mir": ("degraded", 0, 1), "par": ("degraded", 0, 2)}
    assert guest.raidctl("diagnose").rc == 1
    for serial in ("LV1", "LV3"):
        assert guest.raidctl("replace", serial, "--check").rc == 1
    guest.sh(f"echo {place} > /sys/bus/pci/drivers/virtio-pci/bind; udevadm settle")
    guest.sh(f"lvchange -q {QUIET} --refresh vg/mir vg/par; {DONE}")
    assert {name: one["status"] for name, one in _volumes(guest).items()} == {"mir": "ok", "par": "ok"}
