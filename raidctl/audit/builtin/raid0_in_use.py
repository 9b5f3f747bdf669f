"""A volume without redundancy is in use.

**What it checks.** RAID-0, linear and JBOD volumes, and software mirrors or parity arrays that survive no failure
although they are complete: of one drive, of several members on one drive, or a pool with a part on one device.

**Why it matters.** One failed drive loses the whole volume. With n drives that is n times as likely as with one: at an
annual failure rate of 2%, a volume of eight drives is lost with a probability of 15% a year. There are good reasons
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
from raidctl.health.redundancy import below
from raidctl.health.shared_drives import LostWithADrive, lost_with_a_drive, shared
from raidctl.model import Controller, Inventory, Volume
from raidctl.model.raid_levels import WITHOUT_REDUNDANCY
from raidctl.select import family_of
from raidctl.text import listing, regex

FINDINGS = RuleFindings("raid0_in_use", "info", "A volume without redundancy is in use")
_SCRATCH = regex(r"(^|[/_.-])(te?mp|scratch|cache|spool|swap)\d*([/_.\]-]|$)", re.IGNORECASE)


def check(inventory: Inventory) -> Findings:
    """One finding for each usable volume with a known RAID level."""
    lost = lost_with_a_drive(inventory.controllers)
    for controller, volume in used_volumes(inventory):
        bare = volume.status == "ok" and volume.failures_tolerated == 0
        if volume.raid_level in REDUNDANT and controller.mode == "software" and bare:
            if (why := _by_name_only(controller, volume, lost)) is not None:
                yield _in_name(volume, *why)
        elif volume.raid_level in REDUNDANT:
            yield FINDINGS.passed(volume, "The volume has redundancy.")
        elif volume.raid_level in WITHOUT_REDUNDANCY:
            yield _without(controller, volume)


def _by_name_only(controller: Controller, volume: Volume, lost: LostWithADrive) -> tuple[str, str] | None:
    """Why a complete volume has no redundancy although its level has, and the remedy. None: something has failed."""
    if volume.drives_expected == 1:
        grow = family_of(controller) == "md" and volume.device
        command = f": `mdadm --grow {volume.device} --raid-devices=2 --add DEVICE`" if grow else ""
        return "has one drive", f"Add a second drive{command}."
    members = below(controller, volume)
    if shared(members, lost):
        return "has several members on one drive", "Move one member to another drive."
    if family_of(controller) == "zfs" and all(drive.status != "critical" for drive in members):
        return "has a part without redundancy", "Attach a second device to the one that is alone: `zpool status`."
    return None


def _in_name(volume: Volume, why: str, remedy: str) -> Finding:
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
