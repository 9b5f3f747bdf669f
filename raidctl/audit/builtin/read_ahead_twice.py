"""Controller read-ahead is duplicated by a layer above or has no benefit.

**What it checks.** Volumes of a controller with read-ahead on, used by ZFS, Btrfs, Ceph or a database, or made of SSDs
only.

**Why it matters.** Read-ahead guesses which blocks will be needed next. The kernel's page cache, the prefetcher of ZFS
and the buffer manager of a database do this too, and with more information: they have files and tables, the controller
only block numbers. When several streams interleave, the controller fetches data without a request, which displaces
write data from its cache. SSDs have no seek time to save: reading ahead only takes bandwidth from random reads.

**Fails** (information) when the policy is read-ahead (or adaptive) and one of these applies. Expect a gain of a few
percent; measure it.

**Passes** when the controller does not read ahead.

**Unknown:** never. Volumes whose read policy is not reported are not checked.

**How to fix.** `raidctl cache set VOLUME --read none` (`--read off` on controllers whose read cache includes
read-ahead), and the block device's read-ahead for sequential access (see `block_read_ahead_small`).

**Example.** Fails: `cache.read_policy = read_ahead` on a volume on `/var/lib/postgresql`. Passes:
`cache.read_policy = none`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.audit.builtin._queries import below, cached_volumes, database, medium
from raidctl.model import Controller, Inventory, Volume
from raidctl.model.settable import settable

FINDINGS = RuleFindings("read_ahead_twice", "info", "The controller reads ahead without benefit")
_READS_AHEAD = {"zfs_member": "ZFS", "zfs": "ZFS", "btrfs": "Btrfs", "ceph_bluestore": "Ceph", "bcachefs": "bcachefs"}


def check(inventory: Inventory) -> Findings:
    """One finding for each volume with a known read policy."""
    for controller, volume in cached_volumes(inventory):
        policy = volume.cache.read_policy if volume.cache else None
        if policy in ("none", "off"):
            yield FINDINGS.passed(volume, "The controller does not read ahead.")
        elif policy is not None and (why := _why(controller, volume)):
            message = f"The controller reads ahead, but {why}."
            remedy = settable(controller, "read_policy", _remedy(controller, volume), "Try it without read-ahead")
            yield FINDINGS.failed(volume, message, remedy, "cache.read_policy", wants=("cache.read_policy", "none"))


def _why(controller: Controller, volume: Volume) -> str | None:
    """Why read-ahead does not help here; None if it may."""
    kinds = [mount.filesystem for mount in volume.mounts] + [layer.filesystem for layer in volume.layers]
    above = next((_READS_AHEAD[kind] for kind in kinds if kind in _READS_AHEAD), None)
    if above:
        return f"{above}, which uses the volume, reads ahead too"
    if place := database(volume.mountpoints):
        return f"the database that seems to be on {place} reads at random and has its own read-ahead"
    return "its drives are SSDs, which do not benefit" if medium(below(controller, volume)) == "ssd" else None


def _remedy(controller: Controller, volume: Volume) -> str:
    """The command to try. A note on the setting means that this controller lacks one of its values."""
    setting = controller.capabilities.get("read_policy")
    if setting is None or not setting.why:
        return f"Try `raidctl cache set {volume.id} --read none`, and measure before and after."
    return f"Try `raidctl cache set {volume.id} --read off`, and measure before and after: {setting.why}"
