"""A spare is smaller than the drives that it is for, or of another kind.

**What it looks for.** Spares that work: their size, kind, interface and sector size against the arrays that they serve.

**Why.** A spare that does not fit is worse than none, as everybody relies on it: controllers silently pass over one
that is a few sectors too small, SAS among SATA, an SSD among disks, or 4Kn among 512e.

**Fails** (warning) when a spare would do for none of the arrays that it serves; a dedicated one when it would not do
for one of them.

**Passes** when it would do. A spare that has failed is the matter of `drive_failed`.

**Cannot tell:** sizes and kinds that are unknown are not compared.

**Remedy.** Replace it by a drive of the array's own kind, and at least as large.

**Example.** Fails: `media = ssd` for an array of disks. Passes: `media = hdd`, as large as the members.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import members
from raidctl.audit.builtin._spares import arrays_of, unfit
from raidctl.model import Controller, Drive, Inventory

FINDINGS = RuleFindings("spare_unfit", "warning", "A spare does not fit its arrays")


def check(inventory: Inventory) -> Findings:
    """One finding for each spare that works."""
    for card in inventory.controllers:
        for spare in card.drives:
            if spare.role == "spare" and spare.status != "critical":
                yield _spare(card, spare)


def _spare(card: Controller, spare: Drive) -> Finding:
    """Whether it would do for at least one of the arrays that it is for; a dedicated one for each of them."""
    reasons = [(array, unfit(spare, members(card, array))) for array in arrays_of(card, spare)]
    wrong = [(array, why) for array, why in reasons if why]
    if not wrong or (not spare.spare_for and len(wrong) < len(reasons)):
        return FINDINGS.passed(spare, "The spare would do.")
    array, why = wrong[0]
    message = f"The spare would not do for {array.id}: {why}."
    remedy = "Replace it by a drive of the array's own kind."
    return FINDINGS.failed(spare, message, remedy, "status size_bytes media interface sector_bytes spare_for")
