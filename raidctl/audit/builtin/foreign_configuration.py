"""Drives hold a configuration that their controller has not imported.

**What it checks.** Drives, or a controller, that the tool reports as foreign.

**Why it matters.** A foreign drive was the member of an array on another controller, or on this one before the
controller lost track of it. No volume uses it, no rebuild starts on it, and it cannot become a spare. It may be the
missing member of a degraded array, or hold the only copy of a lost volume: clearing the configuration destroys that
data.

**Fails** (warning) for each controller with foreign drives.

**Passes** when the tool reports that no drive is foreign.

**Unknown:** never. Controllers whose tool does not report foreign drives are not checked.

**How to fix.** Find out where the drives come from before anything else; `raidctl foreign preview CONTROLLER` shows
which volumes an import would add. Importing keeps the data, clearing deletes it; never clear while a volume of this
controller is missing or degraded.

**Example.** Fails: `foreign = true`. Passes: `foreign = false`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import NOT_WHOLE
from raidctl.audit.builtin._wording import short
from raidctl.model import Controller, Inventory

FINDINGS = RuleFindings("foreign_configuration", "warning", "Drives hold a foreign configuration")


def check(inventory: Inventory) -> Findings:
    """One finding for each controller that reports whether drives are foreign."""
    for controller in inventory.controllers:
        if controller.foreign or any(drive.foreign for drive in controller.drives):
            yield _foreign(controller)
        elif any(drive.foreign is False for drive in controller.drives):
            yield FINDINGS.passed(controller, "No drive is foreign.")


def _foreign(controller: Controller) -> Finding:
    drives = [drive for drive in controller.drives if drive.foreign]
    on = f" on {short(drives)}" if drives else ""
    broken = [volume.id for volume in controller.volumes if volume.status in NOT_WHOLE]
    perhaps = f"; {broken[0]} may need them" if broken else ""
    message = f"Foreign configuration found{on}; no volume uses it{perhaps}."
    remedy = (
        f"Find out where the drives come from: `raidctl foreign preview {controller.id}` shows which volumes an import "
        "would add, where the tool can. Importing keeps their data, clearing deletes it."
    )
    evidence = tuple(fact for drive in drives[:4] for fact in facts(drive, "foreign", "serial", of=controller))
    return FINDINGS.failed(controller, message, remedy, wants=("foreign", "false"), more=evidence)
