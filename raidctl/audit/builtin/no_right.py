"""Something could not be asked for lack of rights.

**What it looks for.** Programs and files that only root may use, when raidctl was not root.

**Why.** Most tools of RAID cards need root, and some answer "no controller" instead of "permission denied". What was
not asked may be in any state.

**Fails:** never, as it says nothing of the storage.

**Passes** when nothing was refused.

**Cannot tell** (information) for each thing that was refused.

**Remedy.** Run `sudo raidctl diagnose`, or with `--host HOST --sudo`.

**Example.** Cannot tell: a problem of kind `no_right`. Passes: none.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.model import Inventory

FINDINGS = RuleFindings("no_right", "warning", "Something could not be asked for lack of rights")


def check(inventory: Inventory) -> Findings:
    """One finding for each thing that was refused."""
    refused = [problem for problem in inventory.problems if problem.kind == "no_right"]
    for problem in refused:
        yield FINDINGS.of_problem(problem, "unknown", "Ask again as root.")
    if not refused and inventory.controllers:
        yield FINDINGS.of_host("Nothing was refused.")
