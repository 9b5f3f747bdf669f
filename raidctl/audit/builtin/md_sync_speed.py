"""The speed limits of software RAID hold rebuilds back.

**What it looks for.** md arrays whose highest speed of a rebuild is below what their drives can.

**Why.** md keeps a rebuild or check below `sync_speed_max` (200 MB/s a drive unless somebody changed it), and gives way
to other work down to `sync_speed_min` (1 MB/s). Somebody who was disturbed by a rebuild once turned the maximum down,
and forgot. At 5 MB/s a disk of 4 TB takes nine days without redundancy. SSDs can do many times the usual 200 MB/s.

**Fails** (warning) when the maximum is below 50 MB/s for disks or 100 MB/s for SSDs; as information below the usual
200 MB/s of a redundant array that is being rebuilt just now.

**Passes** else.

**Cannot tell:** where the limits are not told, or the drives' kind is not, it is passed over.

**Remedy.** `echo 200000 > /proc/sys/dev/raid/speed_limit_max` (kilobytes a second), or for one array
`/sys/block/mdX/md/sync_speed_max`; to keep it, `dev.raid.speed_limit_max` in `/etc/sysctl.d`.

**Example.** Fails: `sync_speed_max_bytes = 5120000`. Passes: `sync_speed_max_bytes = 204800000`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import REDUNDANT, below, medium, software_volumes
from raidctl.model import Inventory, Volume

FINDINGS = RuleFindings("md_sync_speed", "warning", "Speed limits hold the rebuild of a software RAID back")
_LEAST = {"hdd": 50e6, "ssd": 100e6}
_USUAL = 200e6


def check(inventory: Inventory) -> Findings:
    """One finding for each redundant array that tells its limits, and whose drives tell their kind."""
    for card, volume in software_volumes(inventory):
        kind = medium(below(card, volume))
        if volume.raid_level not in REDUNDANT or volume.sync_speed_max_bytes is None or kind is None:
            continue
        rebuilt = volume.status == "rebuilding" and volume.sync_speed_max_bytes < _USUAL
        if volume.sync_speed_max_bytes < _LEAST[kind] or rebuilt:
            yield _slow(volume, volume.sync_speed_max_bytes, low=volume.sync_speed_max_bytes < _LEAST[kind])
        else:
            yield FINDINGS.passed(volume, "The limits let a rebuild go as fast as is usual.")


def _slow(volume: Volume, speed: int, *, low: bool) -> Finding:
    return FINDINGS.failed(
        volume,
        f"A rebuild of the array is held to {speed / 1e6:.0f} MB/s a drive"
        + (", far below what its drives can: it stays without redundancy for so much longer." if low else "."),
        "Raise it: `echo 200000 > /proc/sys/dev/raid/speed_limit_max` (kilobytes a second).",
        "sync_speed_max_bytes sync_speed_min_bytes status",
        severity=None if low else "info",
        wants=("sync_speed_max_bytes", "200 MB/s or more"),
    )
