"""A drive that becomes a real array's spare and is removed again."""

from __future__ import annotations

import json

import pytest

from tests.lab.bays import Bays, nvme

pytestmark = [pytest.mark.lab(minutes=5), pytest.mark.xdist_group("lab-checks")]


def test_a_spare_is_added_and_removed_and_nothing_is_overwritten(bays: Bays) -> None:
    """A removed spare is refused until its superblock is wiped."""
    before = bays.fill("md1", 2)
    node = bays.push(nvme("LABSPARE", 4))
    added = bays.raidctl("spare", "add", "LABSPARE", "--for", "md1", "--yes")
    name = node.rpartition("/")[2]
    state = f"cat /sys/block/md1/md/dev-{name}/state /sys/block/md1/md/dev-{name}/slot"
    assert (added.rc, bays.guest.sh(state).split()) == (0, ["spare", "none"]), added
    arrays = {one["array"]: one["spares"] for one in json.loads(bays.raidctl("spare", "show", "--json").text)}
    assert [(one["serial"], one["fits"]) for one in arrays["md:md1/array"]] == [("LABSPARE", True)]
    removed = bays.raidctl("spare", "remove", "LABSPARE", "--yes")
    assert (removed.rc, bays.guest.sh(f"ls -d /sys/block/md1/md/dev-{name} || true")) == (0, ""), removed
    again = bays.raidctl("spare", "add", "LABSPARE", "--for", "md1", "--yes")
    assert (again.rc, "contains linux_raid_member" in " ".join(again.text.split())) == (1, True), again
    assert bays.guest.sh(f"ls -d /sys/block/md1/md/dev-{name} || true") == ""
    bays.pull("LABSPARE")
    assert bays.checksum("md1") == before
