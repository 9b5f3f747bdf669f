"""A drive expects to fail soon.

**What it looks for.** Drives that predict their failure (SMART, "predictive failure"), or have a warning status.

**Why.** A drive raises this alert when it runs out of reserve sectors, or when a counter passed the maker's threshold.
It is late rather than early: in published field studies a drive with it is many times more likely to die within weeks,
while many drives die without it. It costs a planned replacement now, or an unplanned one with a degraded array.

**Fails** (warning) when the drive counts predicted failures, or its status is a warning that does not only describe
what is being done to it (a rebuild, an erasure). Critical where its failure would lose data or take the last
redundancy: it is in use without redundancy, or its volume survives just this one failure, or none.

**Passes** when the drive reports nothing of the kind.

**Cannot tell:** see `state_unknown` for drives whose state was not understood.

**Remedy.** Replace it while the array still has redundancy: mark it, pull it, let the rebuild finish, then the next.
Never two at once.

**Example.** Fails: `errors.predictive = 3`. Passes: `errors.predictive = 0`, `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, counters, place
from raidctl.audit.builtin._queries import drives
from raidctl.health.judge import Condition
from raidctl.health.redundancy import in_words
from raidctl.model import Drive, Inventory

FINDINGS = RuleFindings("drive_expects_failure", "critical", "A drive expects to fail soon")


def check(inventory: Inventory) -> Findings:
    """One finding for each drive whose status or counter is reported."""
    found = FINDINGS.conditions(inventory)
    for _, drive in drives(inventory):
        if drive.id in found:
            yield _expects(drive, found[drive.id])
        elif drive.status in ("ok", "warning"):
            yield FINDINGS.passed(drive, "The drive does not expect to fail.")


def _expects(drive: Drive, one: Condition) -> Finding:
    count = drive.errors.predictive
    critical = one.severity == "critical"
    left = in_words(one.failures_tolerated)
    behind = f"; its volume {left}" if left else "; it has no redundancy" if critical else ""
    where = f" ({place(drive)})" if place(drive) else ""
    return FINDINGS.failed(
        drive,
        f"The drive{f' in bay {drive.bay}' if drive.bay else ''} expects to fail: {one.cause}{behind}.",
        f"Check the backup now, then replace it{where} as soon as nothing else is being rebuilt."
        if critical
        else f"Replace it{where} now, before another drive fails; one drive at a time.",
        "status status_text errors.predictive serial",
        wants=("errors.predictive" if count else "status", "0" if count else "ok"),
        more=counters(drive),
    )
