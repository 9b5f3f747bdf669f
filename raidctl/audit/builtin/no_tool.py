"""The kernel sees a storage controller that no installed tool can query.

**What it checks.** RAID controllers and drives whose tool is not installed.

**Why it matters.** The system sees volumes as plain block devices: it does not show that one is degraded, its battery
dead, its cache disabled. Monitoring on such a machine stays green forever. It happens after a reinstallation, and when
a new controller is of a family that the old tool does not support: the tool prints "no controller found", which looks
as if there were none.

**Fails** (warning) for each controller that cannot be queried; (information) for lesser gaps, such as the health of
plain drives.

**Passes** for each controller that a tool reports.

**Unknown:** never. The state of the controller is unknown: that is the finding.

**How to fix.** Install the tool that the message names; `raidctl doctor` lists the tool for each controller.

**Example.** Fails: a problem of kind `no_tool`. Passes: a controller with `told_by`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.model import Inventory

FINDINGS = RuleFindings("no_tool", "warning", "No installed tool can query a controller")


def check(inventory: Inventory) -> Findings:
    """One finding for each missing tool. Each controller that a tool reports has one, too."""
    for problem in inventory.problems:
        if problem.kind == "no_tool":
            remedy = "`raidctl doctor` lists the tool that is needed."
            yield FINDINGS.of_problem(problem, "fail", remedy, None if problem.severity == "error" else "info")
    for controller in inventory.controllers:
        if controller.told_by:
            yield FINDINGS.passed(controller, "A tool reports the controller.")
