"""A controller reports a problem.

**What it checks.** Controllers whose own status is a warning or critical.

**Why it matters.** The controller status covers what no other line does: memory errors, a firmware lock-up,
overheating, a configuration that was not accepted. Some controllers also raise it for their volumes and drives; this
finding would then only repeat theirs.

**Fails** (critical or warning, as the controller reports) when its status is not ok. If one of its volumes, drives or
batteries is as bad, the finding is folded under that one.

**Passes** when it is ok.

**Unknown:** never. Many tools report no controller status; these controllers are not checked.

**How to fix.** Read the controller's event log (`raidctl events CONTROLLER`); check its temperature and firmware.

**Example.** Fails: controller `status = critical`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.audit.builtin._wording import plain
from raidctl.model import Inventory

FINDINGS = RuleFindings("controller_in_trouble", "critical", "A controller reports a problem")


def check(inventory: Inventory) -> Findings:
    """One finding for each controller whose status is known."""
    found = FINDINGS.conditions(inventory)
    for controller in inventory.controllers:
        if controller.status == "ok":
            yield FINDINGS.passed(controller, "The controller is ok.")
        elif controller.id in found:
            explained = found[controller.id].under is not None
            also = " One of its volumes, drives or batteries is not ok, which may be the reason." if explained else ""
            message = f"The controller reports: {plain(controller.status_text) or controller.status}.{also}"
            remedy = (
                "Fix the volume, drive or battery first."
                if explained
                else f"Read its events: `raidctl events {controller.id}`."
            )
            yield FINDINGS.failed(controller, message, remedy, "status status_text firmware", wants=("status", "ok"))
