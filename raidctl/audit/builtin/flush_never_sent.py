"""The kernel takes a drive's write cache for off, while the drive says that it is on.

**What it looks for.** Drives whose own answer is "write cache enabled", and whose block device the kernel treats as
`write through`.

**Why.** The kernel sends flush commands only to devices that it takes for `write back`. Somebody wrote "write through"
into `/sys/block/sdX/queue/write_cache` for speed, or a tool switched the drive's cache on behind the kernel's back:
from then on `fsync` returns at once, and a power failure loses what it promised.

**Fails** (critical) when the two contradict each other in this direction. The other direction only costs time.

**Passes** when the kernel sends flushes, or the drive's cache is off.

**Cannot tell:** where one of the two is not told, it is passed over.

**Remedy.** `echo "write back" > /sys/block/sdX/queue/write_cache`, or switch the drive's cache off
(`raidctl cache drive`); then find who wrote it.

**Example.** Fails: `write_cache = enabled`, `block.write_cache = write_through`. Passes: `block.write_cache =
write_back`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.audit.builtin._queries import drives
from raidctl.model import Inventory

FINDINGS = RuleFindings("flush_never_sent", "critical", "The kernel sends no flush to a drive with its cache on")


def check(inventory: Inventory) -> Findings:
    """One finding for each drive that the system sees itself, and of which both sides are told."""
    for _, drive in drives(inventory):
        kernel = drive.block.write_cache if drive.block else None
        if kernel is None or drive.write_cache is None or not drive.device:
            continue
        if kernel == "write_through" and drive.write_cache == "enabled":
            yield FINDINGS.failed(
                drive,
                "The drive's write cache is on, but the kernel takes it for off and sends no flush: a power failure "
                "loses acknowledged data.",
                f'`echo "write back" > /sys/block/{drive.device.rpartition("/")[2]}/queue/write_cache`',
                "write_cache block.write_cache",
                wants=("block.write_cache", "write_back"),
            )
        else:
            yield FINDINGS.passed(drive, "The kernel sends flushes, or has none to send.")
