"""A query was refused for lack of permissions.

**What it checks.** Tools and files that need root, when raidctl did not run as root.

**Why it matters.** Most tools of RAID controllers need root, and some print "no controller" instead of "permission
denied". The state of what could not be queried is unknown.

**Fails:** never, as this shows nothing about the storage.

**Passes** when nothing was refused.

**Unknown** (warning) for each query that was refused.

**How to fix.** Run `sudo raidctl diagnose`, or add `--host HOST --sudo`.

**Example.** Unknown: a problem of kind `no_right`. Passes: none.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.model import Inventory

FINDINGS = RuleFindings("no_right", "warning", "A query was refused for lack of permissions")


def check(inventory: Inventory) -> Findings:
    """One finding for each query that was refused."""
    refused = [problem for problem in inventory.problems if problem.kind == "no_right"]
    for problem in refused:
        yield FINDINGS.of_problem(problem, "unknown", "Run `sudo raidctl diagnose`; with --host, add --sudo.")
    if not refused and inventory.controllers:
        yield FINDINGS.of_host("Nothing was refused.")
