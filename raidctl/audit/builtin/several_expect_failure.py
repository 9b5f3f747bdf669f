"""Two or more drives of one array expect to fail.

**What it looks for.** Arrays in which at least two members predict their failure (SMART, predictive failure).

**Why.** Drives of one batch age together. A rebuild reads every sector of the others for hours: the second drive that
is about to fail then fails most probably. A spare helps for the first one only.

**Fails** (critical) from two members on.

**Passes** with one at most (`drive_expects_failure` reports it).

**Cannot tell:** arrays of which fewer than two members report their state are passed over.

**Remedy.** Make and check a backup before anything else. Then replace one drive at a time, the worse one first; where
the controller can copy a drive onto its replacement while both run, use that instead of a rebuild.

**Example.** Fails: `errors.predictive = 3` on two members. Passes: on one.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import members, physical
from raidctl.health.judge import Condition
from raidctl.model import Array, Drive, Inventory

FINDINGS = RuleFindings("several_expect_failure", "critical", "Several drives of an array expect to fail")


def check(inventory: Inventory) -> Findings:
    """One finding for each array of which two members at least report their state."""
    found = FINDINGS.conditions(inventory)
    for card in inventory.controllers:
        for array in card.arrays:
            drives = {one.id: one for drive in members(card, array) for one in physical(inventory, drive)}
            known = [drive for drive in drives.values() if drive.status != "unknown"]
            if array.id in found:
                yield _several(array, known, found[array.id])
            elif len(known) > 1:
                yield FINDINGS.passed(array, "Not more than one of its drives expects to fail.")


def _several(array: Array, drives: list[Drive], one: Condition) -> Finding:
    bad = [drive for drive in drives if drive.status == "warning" or drive.errors.predictive]
    remedy = "Check the backup now; then replace one at a time, the worse one first."
    evidence = tuple(
        fact for drive in bad[:4] for fact in facts(drive, "status_text", "errors.predictive", "serial", of=array)
    )
    return FINDINGS.failed(array, f"{one.cause}. A rebuild may meet the second failure.", remedy, more=evidence)
