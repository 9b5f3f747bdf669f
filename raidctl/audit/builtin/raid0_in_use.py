"""A volume without redundancy is in use.

**What it checks.** RAID-0, linear and JBOD volumes, and software mirrors or parity arrays that survive no failure
although they are complete: of one drive, or of several members on one drive.

**Why it matters.** One failed drive loses the whole volume. With n drives that is n times as likely as with one: at an
annual failure rate of 2 %, a volume of eight drives is lost with a probability of 15 % a year. There are good reasons
for it (scratch space, caches, data that exists elsewhere) and bad ones (capacity).

**Fails** (information: a property of the design) for volumes of two or more drives, and for arrays that are redundant
by name only.

**Passes** for every volume with redundancy, and for volumes of a single drive: old controllers cannot pass a drive
through in any other way, and it is as safe as a plain drive. Volumes that have failed or are not started are not
checked.

**Unknown** when the number of drives is not reported.

**How to fix.** Use RAID-1, RAID-10 or RAID-6 if the data is worth it; otherwise accept it in the policy.

**Example.** Fails: `raid_level = raid0` on `/srv/data`. Passes: `raid_level = raid1`.
"""

from __future__ import annotations

import re

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import REDUNDANT, count, used_volumes
from raidctl.model import Controller, Inventory, Volume
from raidctl.model.raid_levels import WITHOUT_REDUNDANCY
from raidctl.select import family_of
from raidctl.text import listing, regex

FINDINGS = RuleFindings("raid0_in_use", "info", "A volume without redundancy is in use")
_SCRATCH = regex(r"(^|[/_.-])(te?mp|scratch|cache|spool|swap)\d*([/_.\]-]|$)", re.IGNORECASE)


def check(inventory: Inventory) -> Findings:
    """One finding for each usable volume with a known RAID level."""
    for controller, volume in used_volumes(inventory):
        if volume.raid_level in REDUNDANT and controller.mode == "software" and _by_name_only(volume):
            yield _in_name(controller, volume)
        elif volume.raid_level in REDUNDANT:
            yield FINDINGS.passed(volume, "The volume has redundancy.")
        elif volume.raid_level in WITHOUT_REDUNDANCY:
            yield _without(controller, volume)


def _by_name_only(volume: Volume) -> bool:
    return volume.status == "ok" and volume.failures_tolerated == 0


def _in_name(controller: Controller, volume: Volume) -> Finding:
    one = volume.drives_expected == 1
    why = "has one drive" if one else "has several members on one drive"
    remedy = "Move one member to another drive."
    if one:
        remedy = "Add a second drive."
        if family_of(controller) == "md" and volume.device:
            remedy = f"Add a second drive: `mdadm --grow {volume.device} --raid-devices=2 --add DEVICE`."
    message = f"The volume is a {volume.raid_level} but {why}: it survives no failure."
    evidence = facts(volume, "raid_level", "drives_expected", "failures_tolerated")
    return FINDINGS.failed(volume, message, remedy, wants=("failures_tolerated", "1 or more"), more=evidence)


def _without(controller: Controller, volume: Volume) -> Finding:
    drives = count(controller, volume)
    if drives == 1:
        return FINDINGS.passed(volume, "The volume is a single drive.")
    evidence = facts(volume, "raid_level", "drives_expected", "mountpoints")
    if drives is None:
        return _unknown_drives(volume, evidence)
    points = [point for point in volume.mountpoints if not _SCRATCH.search(point)]
    on = f", and with it {listing(points)}" if points else ""
    message = f"The volume has no redundancy: if any of its {drives} drives fails, it is lost{on}."
    remedy = "Store only data on it that exists elsewhere; use RAID-1, RAID-10 or RAID-6 for the rest."
    return FINDINGS.failed(volume, message, remedy, wants=("raid_level", "a level with redundancy"), more=evidence)


def _unknown_drives(volume: Volume, evidence: tuple[str, ...]) -> Finding:
    message = "The volume has no redundancy, and whether it is one drive or several is unknown."
    remedy = f"Check its drives: `raidctl show {volume.id}`."
    return FINDINGS.unknown(volume, message, remedy, wants=("raid_level", None), more=evidence)
