"""A file system is mounted so that it sends no flush to its device.

**What it looks for.** Mounts with `nobarrier` or `barrier=0` (F2FS: `fsync_mode=nobarrier`).

**Why.** A journalling file system is safe because it writes in an order: the journal, a flush, then the rest. Without
the flush ("barrier") the drive's volatile cache may write the commit before what it commits. After a power failure the
journal is replayed over data that never arrived, and the file system is damaged, not merely behind. The option was
once recommended for controllers with a battery; it stays in `/etc/fstab` when the machine moves to plain drives.

**Fails** (critical) on drives and software RAID whose own write cache is on or not known; a warning where a protected
cache of a controller lies below and no tool reports the caches of its drives. As information where a protected cache of
a controller and drives with their caches off lie below: it is safe there, gains next to nothing on current kernels, and
loses data on the day the battery fails.

**Passes** when no mount has such an option.

**Cannot tell:** where the mounts are not told (loose outputs of tools), it is passed over.

**Remedy.** Take the option out of `/etc/fstab`, then `mount -o remount,barrier MOUNTPOINT` (ext4); XFS has to be
mounted anew.

**Example.** Fails: `nobarrier` on a drive with `write_cache = enabled`. Passes: `rw,relatime`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, Severity
from raidctl.model import Controller, Drive, Inventory, Mount, Volume
from raidctl.model.block_layer import NO_BARRIER
from raidctl.model.drives_below import DrivesBelow
from raidctl.model.write_protection import drive_caches
from raidctl.text import listing

FINDINGS = RuleFindings("barriers_off", "critical", "A file system is mounted without barriers")


def check(inventory: Inventory) -> Findings:
    """One finding for each volume or drive with mounted file systems."""
    below = DrivesBelow(inventory.controllers)
    for card in inventory.controllers:
        items: list[Volume | Drive] = [*card.volumes, *card.drives]
        for item in items:
            if not item.mounts:
                continue
            wrong = [mount for mount in item.mounts if NO_BARRIER.intersection(mount.options)]
            if wrong:
                yield _off(item, wrong, _safe(card, item, below))
            else:
                yield FINDINGS.passed(item, "Its file systems send flushes.")


def _safe(card: Controller, item: Volume | Drive, below: DrivesBelow) -> str | None:
    """Why nothing is lost in spite of it; None if data may be lost."""
    if isinstance(item, Volume) and card.mode != "software":
        return "the controller's cache is protected" if item.cache and item.cache.write_protected else None
    off = item.write_cache == "disabled" if isinstance(item, Drive) else drive_caches(item, below) == "off"
    return "the drives' own caches are off" if off else None


def _off(item: Volume | Drive, wrong: list[Mount], safe: str | None) -> Finding:
    points = listing(mount.point for mount in wrong)
    cache = item.cache if isinstance(item, Volume) else None
    doubtful = cache and cache.write_protected is None and cache.controller_cache != "unknown"
    then = ": after a power failure the file system may be damaged"
    if safe or doubtful:
        then = f": safe while {safe or 'the caches of the drives are off, which no tool reports'}"
    message = f"{points} {'is' if len(wrong) == 1 else 'are'} mounted without barriers, so no flush is sent{then}."
    remedy = "Take the option out of /etc/fstab and mount it anew."
    severity: Severity | None = "info" if safe else "warning" if doubtful else None
    evidence = tuple(f"{mount.point} options = {','.join(mount.options)}" for mount in wrong)
    return FINDINGS.failed(
        item, message, remedy, severity=severity, wants=(None, "a mount without nobarrier"), more=evidence
    )
