"""The speed limits of software RAID slow down rebuilds.

**What it checks.** md arrays whose maximum rebuild speed is below what their drives can do.

**Why it matters.** md limits a rebuild or scrub to `sync_speed_max` (200 MB/s per drive by default), and yields to
other I/O down to `sync_speed_min` (1 MB/s). Often somebody lowered the maximum during a rebuild and forgot to restore
it. At 5 MB/s a 4 TB drive takes nine days, without redundancy. SSDs can do many times the default.

**Fails** (warning) when the maximum is below 50 MB/s for hard drives or 100 MB/s for SSDs; (information) when it is
below the default 200 MB/s while a redundant array is being rebuilt.

**Passes** otherwise.

**Unknown:** never. Arrays whose limits, or the type of whose drives, are not reported are not checked.

**How to fix.** `raidctl rate md:mdX --max 200M` for one array. For all arrays without a separate limit:
`echo 200000 > /proc/sys/dev/raid/speed_limit_max` (KiB/s); permanently with `dev.raid.speed_limit_max` in
`/etc/sysctl.d`.

**Example.** Fails: `sync_speed_max_bytes = 5120000`. Passes: `sync_speed_max_bytes = 204800000`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import REDUNDANT, below, md_volumes, medium
from raidctl.model import Inventory, Volume

FINDINGS = RuleFindings("md_sync_speed", "warning", "Speed limits slow down the rebuild of a software RAID")
_MIN_SPEED = {"hdd": 50e6, "ssd": 100e6}
_USUAL = 200e6


def check(inventory: Inventory) -> Findings:
    """One finding for each redundant array with known limits and drive type."""
    for controller, volume in md_volumes(inventory):
        kind = medium(below(controller, volume))
        if volume.raid_level not in REDUNDANT or volume.sync_speed_max_bytes is None or kind is None:
            continue
        rebuilt = volume.status == "rebuilding" and volume.sync_speed_max_bytes < _USUAL
        if volume.sync_speed_max_bytes < _MIN_SPEED[kind] or rebuilt:
            yield _slow(volume, volume.sync_speed_max_bytes, low=volume.sync_speed_max_bytes < _MIN_SPEED[kind])
        else:
            yield FINDINGS.passed(volume, "The limits allow the usual rebuild speed.")


def _slow(volume: Volume, speed: int, *, low: bool) -> Finding:
    return FINDINGS.failed(
        volume,
        f"A rebuild of the array is limited to {speed / 1e6:.0f} MB/s per drive"
        + (", far below what its drives can do: redundancy returns later than it could." if low else "."),
        f"Raise the limit: `raidctl rate {volume.id} --max 200M`.",
        "sync_speed_max_bytes sync_speed_min_bytes status",
        severity=None if low else "info",
        wants=("sync_speed_max_bytes", "200 MB/s or more"),
    )
