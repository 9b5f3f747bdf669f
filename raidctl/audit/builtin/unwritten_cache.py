"""A cache holds preserved data that could not be written to drives.

**What it checks.** Caches with preserved (pinned) data of volumes that are offline or gone.

**Why it matters.** If drives disappear while write-back is active, the controller preserves the unwritten data and
waits for them. This is acknowledged data, often the newest commits, and it exists nowhere else. "Discard preserved
cache", which the controller's setup offers so that the server can boot, deletes it permanently.

**Fails** (critical) when the controller reports such data.

**Passes** when it reports none.

**Unknown:** never. Controllers whose tool does not report it are not checked. Unwritten data of working volumes is
normal in write-back and does not count.

**How to fix.** `raidctl preserved show` lists the volumes. Reconnect their missing drives (cable, enclosure, power),
and the controller writes the data. Discard it only when the drives are certainly lost and the volume will be restored
from a backup.

**Example.** Fails: `cache.preserved_data = true`. Passes: `cache.preserved_data = false`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.model import Inventory

FINDINGS = RuleFindings(
    "unwritten_cache", "critical", "A cache holds preserved data of a volume that is offline or gone"
)


def check(inventory: Inventory) -> Findings:
    """One finding for each controller that reports it."""
    for controller in inventory.controllers:
        if controller.cache is None or controller.cache.preserved_data is None:
            continue
        if not controller.cache.preserved_data:
            yield FINDINGS.passed(controller, "The cache holds no preserved data.")
            continue
        message = "The cache holds preserved data of a volume that is offline or gone; no other copy exists."
        remedy = (
            "Reconnect the missing drives, and the controller writes the data; "
            f"`raidctl preserved show {controller.id}` lists the volumes. Do not discard it."
        )
        yield FINDINGS.failed(
            controller,
            message,
            remedy,
            "cache.preserved_data cache.status_text",
            wants=("cache.preserved_data", "false"),
        )
