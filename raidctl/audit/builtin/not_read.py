"""A tool's answer could not be read, or not in full.

**What it looks for.** Programs that died, hung or printed what raidctl does not understand.

**Why.** "Could not read" is not "nothing there". A check that takes an empty answer for a good one has been the reason
of many a lost array; so it is said, and the exit code is 3.

**Fails:** never, as it says nothing of the storage.

**Passes** when all that was asked was understood.

**Cannot tell** (warning) for each answer that could not be read.

**Remedy.** The message says what happened. Run the program by hand; when raidctl does not understand what it prints,
report it with `raidctl record --redact`.

**Example.** Cannot tell: a problem of kind `unread`. Passes: none.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.model import Inventory

FINDINGS = RuleFindings("not_read", "warning", "A tool's answer could not be read")


def check(inventory: Inventory) -> Findings:
    """One finding for each answer that could not be read."""
    unread = [problem for problem in inventory.problems if problem.kind == "unread"]
    for problem in unread:
        yield FINDINGS.of_problem(problem, "unknown")
    if not unread and inventory.controllers:
        yield FINDINGS.of_host("All that was asked was understood.")
