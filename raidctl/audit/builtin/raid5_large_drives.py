"""A RAID-5 is made of large disks.

**What it looks for.** RAID-5 and RAID-50 volumes on disks of 2 TB and more.

**Why.** To rebuild one disk, RAID-5 reads all others from end to end, with no redundancy left. Makers promise less
than one unreadable sector in 10^14 bits (12.5 TB, desktop) or 10^15 bits (125 TB, server). A RAID-5 of six disks of
4 TB reads 20 TB: at the server's promise 15 % of the rebuilds meet an unreadable sector, at the desktop's 80 %; in
practice drives are better than promised, and arrays older. Then the volume fails, or a file is damaged without a name.
And reading 4 TB at 100 MB/s beside the daily work takes more than eleven hours, in which nothing may fail.

**Fails** (information) from disks of 2 TB on: it is a property of the design.

**Passes** for smaller disks, and for SSDs (10^17 bits, and rebuilt in an hour). Volumes that have failed or were not
started are passed over.

**Cannot tell** when the drives are large, and it is not told whether they are disks.

**Remedy.** At the next occasion RAID-6 or RAID-10. Until then: a patrol read every week (`patrol_off`), so that bad
sectors are found while there is redundancy; a spare; and a backup that was restored once for a trial.

**Example.** Fails: `raid_level = raid5` on six disks of 3 TB. Passes: `raid_level = raid6` on the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import SINGLE_PARITY, below, count, used_volumes
from raidctl.model import Drive, Inventory, Volume
from raidctl.units import format_decimal

FINDINGS = RuleFindings("raid5_large_drives", "info", "A RAID-5 is made of large disks")
_LARGE = 1_950_000_000_000
"""A little less than 2 TB: some tools print a drive's usable size."""
_DESKTOP_BITS, _SERVER_BITS = 1e14, 1e15


def check(inventory: Inventory) -> Findings:
    """One finding for each volume with single parity whose drives tell their size."""
    for card, volume in used_volumes(inventory):
        if volume.raid_level not in SINGLE_PARITY:
            continue
        drives = [drive for drive in below(card, volume) if drive.size_bytes]
        if not drives:
            continue
        size = min(drive.size_bytes or 0 for drive in drives)
        kinds = {drive.media for drive in drives}
        if size < _LARGE or kinds == {"ssd"}:
            yield FINDINGS.passed(volume, "A rebuild has little to read, or reads SSDs.")
        elif "hdd" in kinds:
            yield _large(volume, drives, size, count(card, volume) or len(drives))
        else:
            yield _untold(volume, size)


def _large(volume: Volume, drives: Sequence[Drive], size: int, number: int) -> Finding:
    groups = volume.spans or (2 if volume.raid_level == "raid50" else 1)  # two are the least
    read = size * max(number // groups - 1, 1)
    chances = [1 - math.exp(-read * 8 / bits) for bits in (_SERVER_BITS, _DESKTOP_BITS)]
    server, desktop = (f"{100 * chance:.0f} %" for chance in chances)
    return FINDINGS.failed(
        volume,
        f"A rebuild of this {volume.raid_level} reads {format_decimal(read)} without redundancy: by the makers' "
        f"figures it meets an unreadable sector in {server} (server disks) to {desktop} (desktop disks) of the cases.",
        "Plan for RAID-6 or RAID-10; until then keep patrol reads, a spare and a tested backup.",
        "raid_level drives_expected",
        wants=("raid_level", "raid6 or raid10"),
        more=facts(drives[0], "size_bytes", "media", of=volume),
    )


def _untold(volume: Volume, size: int) -> Finding:
    message = (
        f"It is a {volume.raid_level} of drives of {format_decimal(size)}, and nothing tells whether they are disks: "
        "for disks that is risky."
    )
    remedy = "Look their model up; for disks of this size plan for RAID-6."
    return FINDINGS.unknown(volume, message, remedy, "raid_level", wants=("raid_level", None))
