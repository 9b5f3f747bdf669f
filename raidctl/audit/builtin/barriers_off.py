"""A mount option stops a file system from sending flushes.

**What it checks.** Mounts with `nobarrier` or `barrier=0` (F2FS: `fsync_mode=nobarrier`).

**Why it matters.** A journalling file system is crash-safe because it writes in order: the journal, a flush, then the
rest. Without the flush ("barrier") a volatile drive cache may write the commit record before the data that it commits.
After a power failure the journal is then replayed over data that was never written, and the file system is corrupted.
The option was once recommended for controllers with a battery, and it often stays in `/etc/fstab` when the machine
moves to plain drives.

**Fails** (critical) on drives and software RAID whose write caches are on or unknown; (warning) above a protected
controller cache when no tool reports the caches of its drives; (information) above a protected controller cache and
drives with their caches off. In that case it is safe, but gains next to nothing on current kernels, and loses data
once the battery fails.

**Passes** when no mount has such an option.

**Unknown:** never. Without a list of mounts (single output files of tools) nothing is checked.

**How to fix.** Remove the option from `/etc/fstab`, then `mount -o remount,barrier=1 MOUNTPOINT` (ext3, ext4). Unmount
and mount other file systems; if that is `/`, restart the machine. If ext4 has it as a default of the file system, as
`/proc/fs/ext4/*/options` shows: `tune2fs -o ^nobarrier DEVICE`.

**Example.** Fails: `nobarrier` on a drive with `write_cache = enabled`. Passes: `rw,relatime`.
"""

from __future__ import annotations

import shlex

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, Severity
from raidctl.model import Controller, Drive, Inventory, Mount, Volume
from raidctl.model.block_layer import NO_BARRIER
from raidctl.model.drives_below import DrivesBelow
from raidctl.model.write_protection import drive_caches
from raidctl.text import listing

FINDINGS = RuleFindings("barriers_off", "critical", "A file system is mounted without barriers")
_REMOUNTED = ("ext3", "ext4")
"""File systems that accept the option when they are remounted."""


def check(inventory: Inventory) -> Findings:
    """One finding for each volume or drive with mounted file systems."""
    below = DrivesBelow(inventory.controllers)
    for controller in inventory.controllers:
        items: list[Volume | Drive] = [*controller.volumes, *controller.drives]
        for item in items:
            if not item.mounts:
                continue
            wrong = [mount for mount in item.mounts if NO_BARRIER.intersection(mount.options)]
            if wrong:
                yield _without_flushes(item, wrong, _why_safe(controller, item, below))
            else:
                yield FINDINGS.passed(item, "The file systems on it send flushes.")


def _why_safe(controller: Controller, item: Volume | Drive, below: DrivesBelow) -> str | None:
    """Why no data is lost nevertheless; None if data may be lost."""
    if isinstance(item, Volume) and controller.mode != "software":
        return "the controller's cache is protected" if item.cache and item.cache.write_protected else None
    off = item.write_cache == "disabled" if isinstance(item, Drive) else drive_caches(item, below) == "off"
    return "the drives' own caches are off" if off else None


def _mounted_again(mount: Mount) -> str:
    """How the removed option takes effect."""
    point = shlex.quote(mount.point)
    if mount.filesystem in _REMOUNTED:
        return f"`mount -o remount,barrier=1 {point}`"
    if mount.point == "/":
        return "restart the machine: / cannot be unmounted"
    return f"`umount {point}` and `mount {point}`"


def _without_flushes(item: Volume | Drive, wrong: list[Mount], safe: str | None) -> Finding:
    points = [mount.point for mount in wrong]
    cache = item.cache if isinstance(item, Volume) else None
    doubtful = cache and cache.write_protected is None and cache.controller_cache != "unknown"
    then = ": a power failure may corrupt the file system"
    if safe or doubtful:
        then = f": safe only while {safe or 'the caches of its drives are off, which no tool reports'}"
    message = (
        f"{listing(points)} {'is' if len(wrong) == 1 else 'are'} mounted without barriers, so no flush is sent{then}."
    )
    where = "/etc/fstab"
    if wrong[0].filesystem in _REMOUNTED:
        where += f" or, if it is not there, from the file system's defaults (`tune2fs -o ^nobarrier {wrong[0].device}`)"
    remedy = f"Remove the option from {where}, then {_mounted_again(wrong[0])}."
    severity: Severity | None = "info" if safe else "warning" if doubtful else None
    evidence = tuple(f"{mount.point} options = {','.join(mount.options)}" for mount in wrong)
    return FINDINGS.failed(
        item, message, remedy, severity=severity, wants=(None, "a mount without nobarrier"), more=evidence
    )
