"""A RAID-5 consists of large hard drives.

**What it checks.** RAID-5 and RAID-50 volumes on hard drives of 2 TB and more.

**Why it matters.** To rebuild one drive, RAID-5 reads all others completely, without any redundancy left. The rated
error rate is one unreadable sector in 10^14 bits (12.5 TB, desktop) or 10^15 bits (125 TB, enterprise). A RAID-5 of
six 4 TB drives reads 20 TB: at the enterprise rate 15% of the rebuilds hit an unreadable sector, at the desktop rate
80%; in practice drives are better than rated, but arrays grow old. Then the volume fails, or a file is damaged. And
reading 4 TB at 100 MB/s under load takes more than eleven hours, in which nothing else may fail.

**Fails** (information: a property of the design) from 2 TB.

**Passes** for smaller drives, and for SSDs (10^17 bits, and rebuilt within an hour). Volumes that have failed or are
not started are not checked.

**Unknown** when the drives are large and their type is not reported.

**How to fix.** Migrate to RAID-6 or RAID-10 at the next opportunity. Until then: a weekly patrol read (`patrol_off`),
so that bad sectors are found while there is redundancy; a spare; and a backup whose restore was tested.

**Example.** Fails: `raid_level = raid5` on six drives of 3 TB. Passes: `raid_level = raid6` on the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import SINGLE_PARITY, below, count, used_volumes
from raidctl.model import Drive, Inventory, Volume
from raidctl.units import format_decimal

FINDINGS = RuleFindings("raid5_large_drives", "info", "A RAID-5 consists of large hard drives")
_LARGE = 1_950_000_000_000
"""Slightly less than 2 TB. Some tools print the usable size of a drive."""
_DESKTOP_RATE, _ENTERPRISE_RATE = 1e-14, 1e-15
"""Rated unreadable sectors for each bit read."""


def check(inventory: Inventory) -> Findings:
    """One finding for each single-parity volume whose drives report their size."""
    for controller, volume in used_volumes(inventory):
        if volume.raid_level not in SINGLE_PARITY:
            continue
        drives = [drive for drive in below(controller, volume) if drive.size_bytes]
        if not drives:
            continue
        size = min(drive.size_bytes or 0 for drive in drives)
        kinds = {drive.media for drive in drives}
        if size < _LARGE or kinds == {"ssd"}:
            yield FINDINGS.passed(volume, "A rebuild reads little data, or reads SSDs.")
        elif "hdd" in kinds:
            yield _large(volume, drives, size, count(controller, volume) or len(drives))
        else:
            yield _unknown_type(volume, size)


def _large(volume: Volume, drives: Sequence[Drive], size: int, number: int) -> Finding:
    groups = volume.spans or (2 if volume.raid_level == "raid50" else 1)  # at least two
    read = size * max(number // groups - 1, 1)
    chances = [1 - math.exp(-read * 8 * rate) for rate in (_ENTERPRISE_RATE, _DESKTOP_RATE)]
    enterprise, desktop = (f"{chance:.0%}" for chance in chances)
    return FINDINGS.failed(
        volume,
        f"A rebuild of this {volume.raid_level} reads {format_decimal(read)} without redundancy and, at the rated "
        f"error rate of 1e-15 (enterprise) or 1e-14 (desktop), hits an unreadable sector with a probability of "
        f"{enterprise} or {desktop}.",
        "Plan for RAID-6 or RAID-10; until then run patrol reads, keep a spare and a tested backup.",
        "raid_level drives_expected",
        wants=("raid_level", "raid6 or raid10"),
        more=facts(drives[0], "size_bytes", "media", of=volume),
    )


def _unknown_type(volume: Volume, size: int) -> Finding:
    message = (
        f"The {volume.raid_level} consists of {format_decimal(size)} drives of unknown type; if they are hard drives, "
        "a rebuild is risky."
    )
    remedy = "Look up their model; for hard drives of this size plan for RAID-6."
    return FINDINGS.unknown(volume, message, remedy, "raid_level", wants=("raid_level", None))
