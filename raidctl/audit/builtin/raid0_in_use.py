"""A volume without any redundancy is in use.

**What it looks for.** RAID-0, linear and JBOD volumes.

**Why.** One drive that fails takes the whole volume. With n drives that is n times as likely as with one: of eight
disks with two percent a year each, one fails in fifteen of a hundred years of such arrays. There are good reasons for
it (scratch space, caches, data that exists elsewhere), and bad ones (somebody was after the capacity).

**Fails** (information) for volumes of two drives or more: it is a property of the design.

**Passes** every volume with redundancy, and those of a single drive: old cards cannot pass a drive through in any other
way, and it is as safe as a plain drive. Volumes that have failed or were not started are passed over.

**Cannot tell** of how many drives a volume is made, where the tool does not (information); and whether the data exists
elsewhere: that only you know.

**Remedy.** RAID-1, RAID-10 or RAID-6 if the data is worth a restore; else write into the policy that it is meant so.

**Example.** Fails: `raid_level = raid0` on `/srv/data`. Passes: `raid_level = raid1`.
"""

from __future__ import annotations

import re

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import REDUNDANT, count, used_volumes
from raidctl.model import Controller, Inventory, Volume
from raidctl.text import listing

FINDINGS = RuleFindings("raid0_in_use", "info", "A volume without redundancy is in use")
_WITHOUT = ("raid0", "linear", "jbod")
_SCRATCH = re.compile(r"(^|[/_.-])(te?mp|scratch|cache|spool|swap)\d*([/_.\]-]|$)", re.IGNORECASE)


def check(inventory: Inventory) -> Findings:
    """One finding for each usable volume whose level is told."""
    for card, volume in used_volumes(inventory):
        if volume.raid_level in REDUNDANT:
            yield FINDINGS.passed(volume, "The volume has redundancy.")
        elif volume.raid_level in _WITHOUT:
            yield _without(card, volume)


def _without(card: Controller, volume: Volume) -> Finding:
    drives = count(card, volume)
    if drives == 1:
        return FINDINGS.passed(volume, "The volume is a single drive.")
    evidence = facts(volume, "raid_level", "drives_expected", "mountpoints")
    if drives is None:
        return _untold(volume, evidence)
    points = [point for point in volume.mountpoints if not _SCRATCH.search(point)]
    on = f"; {listing(points)} {'goes' if len(points) == 1 else 'go'} with it" if points else ""
    message = f"The volume has no redundancy: when any of its {drives} drives fails, it is lost{on}."
    remedy = "Keep only what exists elsewhere on it; RAID-1, RAID-10 or RAID-6 for the rest."
    return FINDINGS.failed(volume, message, remedy, wants=("raid_level", "a level with redundancy"), more=evidence)


def _untold(volume: Volume, evidence: tuple[str, ...]) -> Finding:
    message = (
        "The volume has no redundancy, and it is not told whether it is one drive or several, any of which takes all "
        "along."
    )
    remedy = f"Look at its drives: `raidctl show {volume.id}`."
    return FINDINGS.unknown(volume, message, remedy, wants=("raid_level", None), more=evidence)
