"""The controller reads ahead where the system above does so itself, or where it does not help.

**What it looks for.** Volumes of a card with read-ahead on, with ZFS, Btrfs, Ceph or a database above them, or made of
SSDs only.

**Why.** Read-ahead guesses that the next blocks will be wanted too. The kernel's page cache, ZFS's prefetcher and a
database's buffer manager guess as well, with more knowledge: they know files and tables, the controller only block
numbers. When several streams interleave, it fetches what nobody asks for, and throws write data out of its cache to
make room. On SSDs there is no head to save a movement of: reading ahead only takes transfer time from random reads.

**Fails** (information) when the policy is read-ahead (or adaptive) and one of these lies above or below the volume.
A gain of some percent is usual; measure before you believe it.

**Passes** when the controller does not read ahead.

**Cannot tell:** volumes whose read policy is not told are passed over.

**Remedy.** `raidctl cache set VOLUME --read none` (`--read off` on cards whose read cache cannot be had without
read-ahead), and the block device's own read-ahead for sequential work (see `block_read_ahead_small`).

**Example.** Fails: `cache.read_policy = read_ahead` on a volume on `/var/lib/postgresql`. Passes:
`cache.read_policy = none`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings, settable
from raidctl.audit.builtin._queries import below, cached_volumes, database, medium
from raidctl.model import Controller, Inventory, Volume

FINDINGS = RuleFindings("read_ahead_twice", "info", "The controller reads ahead where the system above does so itself")
_READS_AHEAD = {"zfs_member": "ZFS", "zfs": "ZFS", "btrfs": "Btrfs", "ceph_bluestore": "Ceph", "bcachefs": "bcachefs"}


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose read policy is told."""
    for card, volume in cached_volumes(inventory):
        policy = volume.cache.read_policy if volume.cache else None
        if policy in ("none", "off"):
            yield FINDINGS.passed(volume, "The controller does not read ahead.")
        elif policy is not None and (why := _why(card, volume)):
            message = f"The controller reads ahead, but {why}."
            remedy = settable(card, "read_policy", _remedy(card, volume), "Try it without read-ahead")
            yield FINDINGS.failed(volume, message, remedy, "cache.read_policy", wants=("cache.read_policy", "none"))


def _why(card: Controller, volume: Volume) -> str | None:
    """Why read-ahead does not help here; None where it may."""
    kinds = [mount.filesystem for mount in volume.mounts] + [layer.filesystem for layer in volume.layers]
    above = next((_READS_AHEAD[kind] for kind in kinds if kind in _READS_AHEAD), None)
    if above:
        return f"{above} on it reads ahead itself"
    if place := database(volume.mountpoints):
        return f"the database that {place} seems to hold reads at random, and ahead by itself"
    return "its drives are SSDs, where it gains nothing" if medium(below(card, volume)) == "ssd" else None


def _remedy(card: Controller, volume: Volume) -> str:
    """What to try; a note on a setting that can be made tells that not each of its words is for this card."""
    told = card.capabilities.get("read_policy")
    if told is None or not told.why:
        return f"Try `raidctl cache set {volume.id} --read none`, and measure before and after."
    return f"Try `raidctl cache set {volume.id} --read off`, and measure before and after: {told.why}"
