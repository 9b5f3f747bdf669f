"""Two or more drives of one array predict failure.

**What it checks.** Arrays with two or more members that report a predictive failure (SMART).

**Why it matters.** Drives of one batch age together. A rebuild reads every sector of the others for hours, which is
when a second weak drive is most likely to fail. A spare helps only for the first one.

**Fails** (critical) from two members.

**Passes** with at most one (`drive_expects_failure` reports it).

**Unknown:** never. Arrays of which fewer than two members report their state are not checked.

**How to fix.** Make a backup and check it first. Then replace one drive at a time, the worst one first. If the
controller can copy a drive to its replacement while both are online, use that instead of a rebuild.

**Example.** Fails: `errors.predictive = 3` on two members. Passes: on one.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts, pull_check
from raidctl.audit.builtin._queries import members, physical
from raidctl.health.judge import Condition
from raidctl.model import Array, Drive, Inventory

FINDINGS = RuleFindings("several_expect_failure", "critical", "Two or more drives of one array predict failure")


def check(inventory: Inventory) -> Findings:
    """One finding for each array. Two or more of its members have to report their state."""
    found = FINDINGS.conditions(inventory)
    for controller in inventory.controllers:
        for array in controller.arrays:
            drives = {one.id: one for drive in members(controller, array) for one in physical(inventory, drive)}
            known = [drive for drive in drives.values() if drive.status != "unknown"]
            if array.id in found:
                yield _several(inventory, array, known, found[array.id])
            elif len(known) > 1:
                yield FINDINGS.passed(array, "At most one of its drives predicts failure.")


def _several(inventory: Inventory, array: Array, drives: list[Drive], one: Condition) -> Finding:
    bad = [drive for drive in drives if drive.status == "warning" or drive.errors.predictive]
    remedy = "Check the backup now, then replace one drive at a time, the worst one first."
    if bad:
        remedy += pull_check(inventory, max(bad, key=lambda drive: (drive.errors.predictive or 0, _errors(drive))))
    evidence = tuple(
        fact for drive in bad[:4] for fact in facts(drive, "status_text", "errors.predictive", "serial", of=array)
    )
    return FINDINGS.failed(array, f"{one.cause}. The second one may fail during a rebuild.", remedy, more=evidence)


def _errors(drive: Drive) -> int:
    return sum(getattr(drive.errors, name) or 0 for name in ("media", "pending", "uncorrectable"))
