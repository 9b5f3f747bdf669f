"""A spare is smaller than the members, or of another type.

**What it checks.** Working spares: their size, type, sector size and, on a controller, interface compared with the
arrays that they cover. The kernel's arrays take drives of any interface.

**Why it matters.** A spare that does not fit is worse than none, because everybody relies on it: controllers silently
ignore one that is a few sectors too small, SAS among SATA, an SSD among hard drives, or 4Kn among 512e.

**Fails** (warning) when a spare fits none of the arrays that it covers; a dedicated one when it does not fit one of
them.

**Passes** when it fits. Failed spares are covered by `drive_failed`.

**Unknown:** never. Unknown sizes and types are not compared.

**How to fix.** Replace it with a drive of the array's type that is at least as large.

**Example.** Fails: `media = ssd` for an array of hard drives. Passes: `media = hdd`, as large as the members.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import members
from raidctl.health.spares import arrays_of, unfit
from raidctl.model import Controller, Drive, Inventory

FINDINGS = RuleFindings("spare_unfit", "warning", "A spare does not fit its arrays")


def check(inventory: Inventory) -> Findings:
    """One finding for each working spare."""
    for controller in inventory.controllers:
        for spare in controller.drives:
            if spare.role == "spare" and spare.status != "critical":
                yield _spare(controller, spare)


def _spare(controller: Controller, spare: Drive) -> Finding:
    """Whether it fits at least one of the arrays that it covers. A dedicated spare must fit each of them."""
    reasons = [(array, unfit(controller, spare, members(controller, array))) for array in arrays_of(controller, spare)]
    wrong = [(array, why) for array, why in reasons if why]
    if not wrong or (not spare.spare_for and len(wrong) < len(reasons)):
        return FINDINGS.passed(spare, "No reported size or type keeps the spare from fitting.")
    array, why = wrong[0]
    message = f"The spare does not fit {array.id}: {why}."
    remedy = "Replace it with a drive of the array's type."
    return FINDINGS.failed(spare, message, remedy, "status size_bytes media interface sector_bytes spare_for")
