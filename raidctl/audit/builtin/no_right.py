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

from collections.abc import Iterator

from raidctl.audit.builtin._say import Voice
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Inventory

SAY = Voice("no_right", "warning")


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each thing that was refused."""
    refused = [problem for problem in inventory.problems if problem.kind == "no_right"]
    for problem in refused:
        yield SAY.of_place(
            "unknown",
            problem.where,
            problem.message,
            remedy=problem.remedy or "Ask again as root.",
            evidence=("problem.kind = no_right",),
        )
    if not refused and inventory.controllers:
        yield SAY.of_place("pass", "host", "Nothing was refused.", remedy=None)


RULE = Rule(name=SAY.rule, title="Something could not be asked for lack of rights", severity=SAY.severity, check=check)
