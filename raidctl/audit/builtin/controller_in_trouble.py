"""A controller says that it is not well.

**What it looks for.** Cards whose own status is a warning or critical.

**Why.** The status of the card covers what no other line does: memory errors, a lock-up of its firmware, overheating,
a configuration that was not taken over. Some cards also raise it for what its volumes and drives have; then this
finding would only repeat what theirs say.

**Fails** (critical or warning, as the controller reports) when its status is not ok. Where a volume, drive or battery
of it is not ok either, the finding is folded under that one.

**Passes** when it is ok.

**Cannot tell:** many tools tell no status of the card; these cards are passed over.

**Remedy.** Read the card's event log with the maker's tool; look at its temperature and firmware.

**Example.** Fails: controller `status = critical`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Findings, RuleFindings
from raidctl.audit.builtin._queries import plain
from raidctl.model import Inventory

FINDINGS = RuleFindings("controller_in_trouble", "critical", "A controller says that it is not well")


def check(inventory: Inventory) -> Findings:
    """One finding for each controller whose status is told."""
    found = FINDINGS.conditions(inventory)
    for card in inventory.controllers:
        if card.status == "ok":
            yield FINDINGS.passed(card, "The controller is ok.")
        elif card.id in found:
            explained = found[card.id].under is not None
            also = " What is on it is not all ok, which may be the reason." if explained else ""
            message = f"The controller reports: {plain(card.status_text) or card.status}.{also}"
            remedy = "Look at what is on it first." if explained else "Read its event log with the vendor's tool."
            yield FINDINGS.failed(card, message, remedy, "status status_text firmware", wants=("status", "ok"))
