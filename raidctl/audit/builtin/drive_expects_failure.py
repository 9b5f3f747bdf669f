"""A drive predicts that it will fail soon.

**What it checks.** Drives with a predictive failure (SMART) or a warning status.

**Why it matters.** A drive raises this alert when it runs out of reserve sectors, or when a counter exceeds the
vendor's threshold. It comes late rather than early: in published field studies such a drive is many times more likely
to die within weeks, while many drives die without any alert. The cost is a planned replacement now, or an unplanned
one with a degraded array later.

**Fails** (warning) when the drive reports predicted failures, or a warning status that does not merely describe an
operation such as a rebuild or an erasure; (critical) when its failure would lose data or take the last redundancy: it
is used without redundancy, or its volume survives at most one more failure.

**Passes** when the drive reports nothing of the kind.

**Unknown:** never. Drives with a state of unknown meaning are covered by `state_unknown`.

**How to fix.** Replace it while the array is redundant; `raidctl replace DRIVE --check` shows whether it may be pulled
now. Let the rebuild finish, then do the next one. Never two at once.

**Example.** Fails: `errors.predictive = 3`. Passes: `errors.predictive = 0`, `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, counters, place, pull_check
from raidctl.audit.builtin._queries import drives
from raidctl.health.judge import Condition
from raidctl.health.redundancy import in_words
from raidctl.model import Drive, Inventory

FINDINGS = RuleFindings("drive_expects_failure", "critical", "A drive predicts its own failure")


def check(inventory: Inventory) -> Findings:
    """One finding for each drive whose status or counter is reported."""
    found = FINDINGS.conditions(inventory)
    for _, drive in drives(inventory):
        if drive.id in found:
            yield _predicts_failure(inventory, drive, found[drive.id])
        elif drive.status in ("ok", "warning"):
            yield FINDINGS.passed(drive, "The drive predicts no failure.")


def _predicts_failure(inventory: Inventory, drive: Drive, one: Condition) -> Finding:
    count = drive.errors.predictive
    critical = one.severity == "critical"
    left = in_words(one.failures_tolerated)
    behind = f"; its volume {left}" if left else "; it has no redundancy" if critical else ""
    if one.failures_tolerated == 1:
        behind += ", and this one would take its last redundancy"
    where = f" ({place(drive)})" if place(drive) else ""
    remedy = f"Replace it{where} now, before another drive fails; one drive at a time."
    if critical:
        remedy = f"Check the backup now, then replace it{where} as soon as no rebuild is running."
    elif drive.role == "spare":
        remedy = f"Replace it{where}: no volume has data on it, but it may not be there when it is needed."
    elif one.failures_tolerated is None:
        remedy = f"Check the backup now, then replace it{where}; which data its failure would affect is unknown."
    return FINDINGS.failed(
        drive,
        f"The drive{f' in bay {drive.bay}' if drive.bay else ''} may fail soon: {one.cause}{behind}.",
        f"{remedy}{pull_check(inventory, drive)}",
        "status status_text errors.predictive serial",
        wants=("errors.predictive" if count else "status", "0" if count else "ok"),
        more=counters(drive),
    )
