"""An SSD has used most of its rated write endurance.

**What it checks.** The share of its endurance that a drive reports as used.

**Why it matters.** Flash cells endure a limited number of writes. At 100% the manufacturer's rating ends; many drives
work much longer, some become read-only, and error correction slows them down before that. All SSDs of one array
receive the same writes: they reach the end together, and one spare does not help.

**Fails** (critical) from 100%; (warning) from 90%; (information) from 80%.

**Passes** below 80%.

**Unknown:** never. Drives that do not report it are not checked.

**How to fix.** Plan the replacement, one drive of an array at a time, not all at the end.

**Example.** Fails: `life_used_percent = 94`. Passes: `life_used_percent = 12`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings, Severity
from raidctl.audit.builtin._queries import drives
from raidctl.model import Inventory
from raidctl.units import format_percent
from raidctl.vendor.limits import WORN_OUT

FINDINGS = RuleFindings("ssd_worn", "critical", "An SSD has used most of its rated endurance")
_STEPS: tuple[tuple[int, Severity], ...] = ((WORN_OUT, "critical"), (90, "warning"), (80, "info"))


def check(inventory: Inventory) -> Findings:
    """One finding for each drive that reports its wear."""
    for _, drive in drives(inventory):
        used = drive.life_used_percent
        if used is None:
            continue
        severity = next((severity for step, severity in _STEPS if used >= step), None)
        if severity is None:
            yield FINDINGS.passed(drive, "The drive has endurance left.")
            continue
        yield FINDINGS.failed(
            drive,
            f"The SSD has used {format_percent(used)} of its rated write endurance.",
            "Plan the replacement; drives of one array wear alike, so replace one at a time.",
            "life_used_percent power_on_hours model",
            severity=severity,
            wants=("life_used_percent", "below 80"),
        )
