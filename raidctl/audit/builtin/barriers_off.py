"""A file system is mounted so that it sends no flush to its device.

**What it looks for.** Mounts with `nobarrier` or `barrier=0` (F2FS: `fsync_mode=nobarrier`).

**Why.** A journalling file system is safe because it writes in an order: the journal, a flush, then the rest. Without
the flush ("barrier") the drive's volatile cache may write the commit before what it commits. After a power failure the
journal is replayed over data that never arrived, and the file system is damaged, not merely behind. The option was
once recommended for controllers with a battery; it stays in `/etc/fstab` when the machine moves to plain drives.

**Fails** (critical) on drives and software RAID whose own write cache is on or not known. As information where a
protected cache of a controller, or drives with their caches off, lie below: it is safe there, gains next to nothing on
kernels of today, and waits for the day on which the battery fails.

**Passes** when no mount has such an option.

**Cannot tell:** where the mounts are not told (loose outputs of tools), it is passed over.

**Remedy.** Take the option out of `/etc/fstab`, then `mount -o remount,barrier MOUNTPOINT` (ext4); XFS has to be
mounted anew.

**Example.** Fails: `nobarrier` on a drive with `write_cache = enabled`. Passes: `rw,relatime`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import below
from raidctl.audit.builtin._say import Voice
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Controller, Drive, Inventory, Mount, Volume
from raidctl.model_parts import NO_BARRIER
from raidctl.text import listing

SAY = Voice("barriers_off", "critical")


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each volume or drive with mounted file systems."""
    caches: dict[str, str | None] = {
        drive.device: drive.write_cache for card in inventory.controllers for drive in card.drives if drive.device
    }
    for card in inventory.controllers:
        items: list[Volume | Drive] = [*card.volumes, *card.drives]
        for item in items:
            if not item.mounts:
                continue
            wrong = [mount for mount in item.mounts if NO_BARRIER.intersection(mount.options)]
            if wrong:
                yield _off(item, wrong, _safe(card, item, caches))
            else:
                yield SAY.passed(item, "Its file systems send flushes.")


def _safe(card: Controller, item: Volume | Drive, caches: dict[str, str | None]) -> str | None:
    """Why nothing is lost all the same; None when it may be."""
    if isinstance(item, Volume) and card.mode != "software":
        held = item.cache is not None and item.cache.write_protected and item.cache.drive_write_cache != "enabled"
        return "the controller's cache is protected" if held else None
    drives = below(card, item) if isinstance(item, Volume) else (item,)
    off = bool(drives) and all(_state(drive, caches) == "disabled" for drive in drives)
    return "the drives' own caches are off" if off else None


def _state(drive: Drive, caches: dict[str, str | None]) -> str | None:
    """The state of a drive's cache; of a partition in a software RAID it is that of the drive with its name."""
    if drive.write_cache or not drive.device:
        return drive.write_cache
    disks = [name for name in caches if caches[name] and drive.device.startswith(name)]
    return caches[max(disks, key=len)] if disks else None


def _off(item: Volume | Drive, wrong: list[Mount], safe: str | None) -> Finding:
    points = listing(mount.point for mount in wrong)
    then = f": safe while {safe}" if safe else ": after a power failure the file system may be damaged"
    return SAY.failed(
        item,
        f"{points} {'is' if len(wrong) == 1 else 'are'} mounted without barriers, so no flush is sent{then}.",
        remedy="Take the option out of /etc/fstab and mount it anew.",
        severity="info" if safe else None,
        wanted="a mount without nobarrier",
        evidence=tuple(f"{mount.point} options = {','.join(mount.options)}" for mount in wrong),
    )


RULE = Rule(name=SAY.rule, title="A file system is mounted without barriers", severity=SAY.severity, check=check)
