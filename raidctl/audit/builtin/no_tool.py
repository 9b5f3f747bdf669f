"""The kernel sees a storage card that no installed program can ask.

**What it looks for.** RAID cards, and drives, for which the program that could tell of them is not installed.

**Why.** The system sees volumes as plain disks: it does not know that one is degraded, its battery dead, its cache
lost. Monitoring built on such a machine is green for ever. It happens after a reinstallation, and when a new card comes
of a family that the old tool does not know: that one answers "no controller found", which reads like "there is none".

**Fails** (warning) for each card that nobody can ask; as information for lesser gaps, such as the health of plain
drives.

**Passes** for each controller that a program tells of.

**Cannot tell:** whether the card is well. That is the point.

**Remedy.** Install the program that the message names; `raidctl doctor` says for each card which one fits.

**Example.** Fails: a problem of kind `no_tool`. Passes: a controller with `told_by`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.model import Inventory

FINDINGS = RuleFindings("no_tool", "warning", "No installed program can ask a card")


def check(inventory: Inventory) -> Findings:
    """One finding for each gap, one for each controller that a program told of."""
    for problem in inventory.problems:
        if problem.kind == "no_tool":
            remedy = "`raidctl doctor` tells which program is needed."
            yield FINDINGS.of_problem(problem, "fail", remedy, None if problem.severity == "error" else "info")
    for card in inventory.controllers:
        if card.told_by:
            yield FINDINGS.passed(card, "A program tells of the controller.")
