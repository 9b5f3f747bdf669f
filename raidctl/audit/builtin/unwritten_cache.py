"""The controller preserves data that it could not write to its drives.

**What it looks for.** Caches with preserved (pinned) data of volumes that are offline or gone.

**Why.** When drives vanish under write-back, the controller keeps what was not written yet, and waits for them. That
is acknowledged data, often the newest commits, and it exists nowhere else. "Discard preserved cache", which the
controller's own setup offers so that the server boots, throws it away for good.

**Fails** (critical) when the controller reports such data.

**Passes** when it reports none.

**Cannot tell:** controllers whose tool does not report it are passed over. Unwritten data of working volumes is normal
in write-back and not meant here.

**Remedy.** Bring the missing drives back (cable, enclosure, power) and the controller writes the data itself. Only when
they are certainly lost, and their volume is to be restored from a backup anyway, discard it.

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
    for card in inventory.controllers:
        if card.cache is None or card.cache.preserved_data is None:
            continue
        if not card.cache.preserved_data:
            yield FINDINGS.passed(card, "The cache holds no preserved data.")
            continue
        message = "The cache holds preserved data of a volume that is offline or gone; no other copy exists."
        remedy = "Bring the missing drives back: the controller then writes it. Do not discard it."
        yield FINDINGS.failed(
            card, message, remedy, "cache.preserved_data cache.status_text", wants=("cache.preserved_data", "false")
        )
