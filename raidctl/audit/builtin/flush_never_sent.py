"""A drive's write cache is on, but the kernel sends no flushes.

**What it checks.** Drives that report their write cache enabled while the kernel treats the block device as
`write through`.

**Why it matters.** The kernel sends flush commands only to devices that it treats as `write back`. Somebody wrote
"write through" to `/sys/block/sdX/queue/write_cache` for speed, or a tool enabled the drive's cache without the kernel
noticing: from then on `fsync` returns immediately, and a power failure loses acknowledged data.

**Fails** (critical) when the drive's cache is on and the kernel sends no flush. The opposite only costs time.

**Passes** when the kernel sends flushes, or the drive's cache is off.

**Unknown:** never. Drives for which one of the two is not reported are not checked.

**How to fix.** `echo "write back" > /sys/block/sdX/queue/write_cache`, or disable the drive's cache
(`raidctl cache drive`); then find out who changed it.

**Example.** Fails: `write_cache = enabled`, `block.write_cache = write_through`. Passes:
`block.write_cache = write_back`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.audit.builtin._queries import drives
from raidctl.model import Inventory

FINDINGS = RuleFindings("flush_never_sent", "critical", "The kernel sends no flush to a drive whose write cache is on")


def check(inventory: Inventory) -> Findings:
    """One finding for each drive that reports its write cache. The kernel has to report it as well."""
    for _, drive in drives(inventory):
        kernel = drive.block.write_cache if drive.block else None
        if kernel is None or drive.write_cache is None or not drive.device:
            continue
        if kernel == "write_through" and drive.write_cache == "enabled":
            yield FINDINGS.failed(
                drive,
                "The drive's write cache is on, but the kernel treats it as off and sends no flush: a power failure "
                "loses acknowledged data.",
                f'`echo "write back" > /sys/block/{drive.device.rpartition("/")[2]}/queue/write_cache`',
                "write_cache block.write_cache",
                wants=("block.write_cache", "write_back"),
            )
        else:
            yield FINDINGS.passed(drive, "The kernel sends flushes, or none are needed.")
