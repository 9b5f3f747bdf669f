"""An SSD has used up most of the writes that it was made for.

**What it looks for.** How much of its endurance a drive says that it has used.

**Why.** Flash cells bear a limited number of writes. At 100 % the maker's promise ends; many drives go on for long,
some become read-only, and error correction slows them down before. All SSDs of one array were written alike: they
arrive there together, and one spare does not help.

**Fails** (warning) from 90 %, (critical) from 100 %; as information from 80 %.

**Passes** below.

**Cannot tell:** drives that do not tell are passed over.

**Remedy.** Plan the replacement, one drive of an array after the other, not all at the end.

**Example.** Fails: `life_used_percent = 94`. Passes: `life_used_percent = 12`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings, Severity
from raidctl.audit.builtin._queries import drives
from raidctl.model import Inventory

FINDINGS = RuleFindings("ssd_worn", "critical", "An SSD is nearly worn out")
_STEPS: tuple[tuple[int, Severity], ...] = ((100, "critical"), (90, "warning"), (80, "info"))


def check(inventory: Inventory) -> Findings:
    """One finding for each drive that tells its wear."""
    for _, drive in drives(inventory):
        used = drive.life_used_percent
        if used is None:
            continue
        severity = next((severity for step, severity in _STEPS if used >= step), None)
        if severity is None:
            yield FINDINGS.passed(drive, "Its endurance is not used up.")
            continue
        yield FINDINGS.failed(
            drive,
            f"The SSD has used {used} % of the writes that it was made for.",
            "Plan its replacement; drives of one array wear alike, so begin with one.",
            "life_used_percent power_on_hours model",
            severity=severity,
            wants=("life_used_percent", "below 80"),
        )
