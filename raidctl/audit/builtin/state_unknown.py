"""What a tool says of a state does not tell whether it is good.

**What it looks for.** Volumes, drives and batteries with `status = unknown` for which the tool did print a word.

**Why.** Monitoring that takes every word it does not know for "good" has overlooked "Recovering, 54 % complete" and
"Ready for Rebuild" for years. An unknown word is not a pass.

**Fails:** never.

**Passes** when the state is one that is known.

**Cannot tell** when the tool's word is not known, or says too little (one member's view of an array); the word stands
in the message.

**Remedy.** Look the word up in the maker's manual; report it, so that the next release knows it.

**Example.** Cannot tell: `status = unknown`, `status_text = Copyback pending`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import plain
from raidctl.model import Battery, Drive, Inventory, Volume

FINDINGS = RuleFindings("state_unknown", "warning", "A tool reports a state of unknown meaning")


def check(inventory: Inventory) -> Findings:
    """One finding for each volume, drive and battery that tells a state."""
    for card in inventory.controllers:
        items: list[Volume | Drive | Battery] = [*card.volumes, *card.drives, *card.batteries]
        for item in items:
            if item.status != "unknown":
                yield FINDINGS.passed(item, "Its state is known.")
            elif item.status_text:
                yield _unknown(item)


def _unknown(item: Volume | Drive | Battery) -> Finding:
    message = f'The tool reports "{plain(item.status_text)}": whether that is good is unknown.'
    remedy = "Look the word up in the maker's manual, and report it."
    return FINDINGS.unknown(item, message, remedy, "status status_text", wants=("status", "a state that is known"))
