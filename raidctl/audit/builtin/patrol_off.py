"""Nobody looks for bad sectors: patrol read, or surface scan, is off.

**What it looks for.** Cards on which the background search for unreadable sectors is disabled, or only starts by hand.

**Why.** A sector that nobody reads can be bad for years. It is found by the rebuild, that is at the one moment when
there is no redundancy to mend it from. A patrol read touches every sector every week or month while the array is whole,
and has bad ones rewritten from parity at no risk. It uses idle time only.

**Fails** (warning) when it is disabled, (information) when it runs only when somebody starts it.

**Passes** when it runs by itself.

**Cannot tell:** cards whose tool does not tell it are passed over. Software RAID has its check instead
(`consistency_check_off`).

**Remedy.** Switch it on with the maker's tool, weekly or monthly.

**Example.** Fails: `patrol_read.mode = disabled`. Passes: `patrol_read.mode = automatic`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.model import Controller, Inventory

FINDINGS = RuleFindings("patrol_off", "warning", "Bad sectors are not looked for (patrol read)")


def check(inventory: Inventory) -> Findings:
    """One finding for each card with volumes that tells how its patrol read is set."""
    for card in inventory.controllers:
        mode = card.patrol_read.mode if card.patrol_read else None
        if mode is None or not card.volumes:
            continue
        if mode == "automatic":
            yield FINDINGS.passed(card, "Bad sectors are looked for by themselves.")
        else:
            yield _off(card, mode)


def _off(card: Controller, mode: str) -> Finding:
    how = "is off" if mode == "disabled" else "runs only when somebody starts it"
    return FINDINGS.failed(
        card,
        f"The search for bad sectors (patrol read) {how}: they come to light in a rebuild, when nothing can mend them.",
        "Switch it on with the maker's tool, weekly or monthly; it uses idle time.",
        "patrol_read.mode patrol_read.status_text",
        severity=None if mode == "disabled" else "info",
        wants=("patrol_read.mode", "automatic"),
    )
