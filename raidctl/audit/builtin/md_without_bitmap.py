"""A software RAID has no write-intent bitmap.

**What it looks for.** md arrays with redundancy, of 100 GB and more, without a bitmap, a journal or a partial parity
log.

**Why.** After a crash md does not know which writes were under way, and compares everything: for a mirror of 4 TB
that is a day of slow disks; in RAID-5 the parity may be wrong for as long. With a bitmap it looks only at the regions
that were being written: seconds. The same when a drive was away for a moment and comes back. It costs a little
(an extra write when a region becomes dirty; few percent with the usual chunk of 64 MiB). md makes one by itself for
arrays above 100 GB, so arrays without are old, or somebody removed it, mostly "for speed".

**Fails** (warning) when there is none. As information for arrays with metadata of a BIOS RAID, where older kernels
cannot have one.

**Passes** with a bitmap, a journal or a partial parity log, below 100 GB, and without redundancy.

**Cannot tell:** where it is not told (`/proc/mdstat` alone shows it only when there is one), it is passed over. So are
arrays that are reshaped now (older kernels reshape only arrays without a bitmap), degraded or rebuilding.

**Remedy.** `mdadm --grow --bitmap=internal /dev/mdX`: at once, without stopping anything.

**Example.** Fails: `bitmap = none`, `consistency_policy = resync`. Passes: `bitmap = internal`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import NOT_WHOLE, REDUNDANT, array_of, members, software_volumes
from raidctl.model import Inventory, Volume

FINDINGS = RuleFindings("md_without_bitmap", "warning", "A software RAID has no write-intent bitmap")
_SMALL = 100_000_000_000
_OWN_METADATA = ("0", "0.90", "1", "1.0", "1.1", "1.2")


def check(inventory: Inventory) -> Findings:
    """One finding for each redundant array that tells whether it has one."""
    for card, volume in software_volumes(inventory):
        if volume.raid_level not in REDUNDANT or (volume.bitmap is None and volume.consistency_policy is None):
            continue
        if volume.status in NOT_WHOLE or (volume.progress is not None and volume.progress.operation == "reshape"):
            continue
        if volume.bitmap in (None, "none") and volume.consistency_policy in (None, "resync", "unknown"):
            journal = any(drive.role == "journal" and drive.array == volume.array for drive in card.drives)
            if journal or not members(card, array_of(card, volume)):
                continue
            yield _without(volume)
        else:
            yield FINDINGS.passed(volume, "After a crash only what was being written is compared.")


def _without(volume: Volume) -> Finding:
    if volume.size_bytes is None or volume.size_bytes < _SMALL:
        return FINDINGS.passed(volume, "The array is small: comparing all of it takes minutes.")
    foreign = volume.metadata is not None and volume.metadata not in _OWN_METADATA
    return FINDINGS.failed(
        volume,
        "The array has no write-intent bitmap: after a crash all of it is compared, for hours, and slowly.",
        "Newer kernels can give it one: see the manual page of this rule."
        if foreign
        else f"Give it one, while it runs: `mdadm --grow --bitmap=internal {volume.device or volume.id}`.",
        "bitmap consistency_policy size_bytes metadata",
        severity="info" if foreign else None,
        wants=("bitmap", "internal"),
    )
