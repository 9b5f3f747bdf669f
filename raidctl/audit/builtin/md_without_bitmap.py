"""A software RAID has no write-intent bitmap.

**What it checks.** Redundant md arrays of 100 GB and more, without a bitmap, a journal or a partial parity log.

**Why it matters.** After a crash md has no record of the writes that were in flight, and compares the whole array: on a
4 TB mirror of hard drives for about a day, and on RAID-5 the parity may be wrong until then. With a bitmap md compares
only the regions that were being written, in seconds; likewise when a drive was disconnected briefly and returns. The
cost is small: one extra write when a region becomes dirty, a few percent with the default chunk of 64 MiB. md creates a
bitmap automatically for arrays above 100 GB, so an array without one is old, or somebody removed it "for speed".

**Fails** (warning) when there is none; (information) for arrays with BIOS RAID metadata, for which older kernels
support none.

**Passes** with a bitmap, a journal or a partial parity log, below 100 GB, and without redundancy.

**Unknown:** never. Where it is not reported (`/proc/mdstat` shows a bitmap only if there is one), it is not checked.
Nor are arrays that are degraded, rebuilding or being reshaped (older kernels reshape only arrays without a bitmap).

**How to fix.** `mdadm --grow --bitmap=internal /dev/mdX`: takes effect immediately, without downtime. With parity, what
closes the write hole (`write_hole`) makes a bitmap unnecessary: choose one of the two.

**Example.** Fails: `bitmap = none`, `consistency_policy = resync`. Passes: `bitmap = internal`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import NOT_WHOLE, REDUNDANT, array_of, md_volumes, members
from raidctl.model import Inventory, Volume
from raidctl.model.raid_levels import PARITY

FINDINGS = RuleFindings("md_without_bitmap", "warning", "A software RAID has no write-intent bitmap")
_SMALL = 100_000_000_000
_OWN_METADATA = ("0", "0.90", "1", "1.0", "1.1", "1.2")


def check(inventory: Inventory) -> Findings:
    """One finding for each redundant array that reports whether it has one."""
    for controller, volume in md_volumes(inventory):
        if volume.raid_level not in REDUNDANT or (volume.bitmap is None and volume.consistency_policy is None):
            continue
        if volume.status in NOT_WHOLE or (volume.progress is not None and volume.progress.operation == "reshape"):
            continue
        if volume.bitmap in (None, "none") and volume.consistency_policy in (None, "resync", "unknown"):
            journal = any(drive.role == "journal" and drive.array == volume.array for drive in controller.drives)
            if journal or not members(controller, array_of(controller, volume)):
                continue
            yield _without(volume)
        else:
            yield FINDINGS.passed(volume, "After a crash only the regions that were being written are compared.")


def _without(volume: Volume) -> Finding:
    if volume.size_bytes is None or volume.size_bytes < _SMALL:
        return FINDINGS.passed(volume, "The array is small: comparing it completely takes minutes.")
    device = volume.device or volume.id
    remedy = f"Add one while it runs: `mdadm --grow --bitmap=internal {device}`."
    if volume.raid_level in PARITY:
        instead = "a partial parity log" if volume.raid_level == "raid5" else "a journal"
        remedy = f"{remedy[:-1]}; or {instead} instead, which closes the write hole as well (`write_hole`)."
    foreign = volume.metadata is not None and volume.metadata not in _OWN_METADATA
    return FINDINGS.failed(
        volume,
        "The array has no write-intent bitmap: after a crash all of it is compared, which takes hours.",
        "A newer kernel supports a bitmap with this metadata." if foreign else remedy,
        "bitmap consistency_policy size_bytes metadata",
        severity="info" if foreign else None,
        wants=("bitmap", "internal"),
    )
