"""The controller's cache is disabled or damaged.

**What it looks for.** Cache modules that the controller does not use, or complains of.

**Why.** A cache that is "temporarily" or "permanently disabled" speeds up nothing: each write waits for the drives.
The reason is mostly the backup power: too old, not charged, cable error. One trap: with a loose cable some cards no
longer list a battery at all, and a check that asks only for the battery's state finds nothing wrong.

**Fails** (critical) when the cache's status is critical and write-back goes on, (warning) otherwise: then writes are
slow, and safe.

**Passes** when it is ok; a cache that nobody configured is ok.

**Cannot tell:** cards whose tool tells no status of the cache are passed over.

**Remedy.** The reason stands in the message. Replace the backup power or seat its cable; then the cache comes back by
itself, some cards need a restart.

**Example.** Fails: `cache.status = critical`. Passes: `cache.status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import plain
from raidctl.model import Controller, Inventory

FINDINGS = RuleFindings("cache_in_trouble", "critical", "A controller's cache is disabled or damaged")


def check(inventory: Inventory) -> Findings:
    """One finding for each card that tells how its cache is."""
    for card in inventory.controllers:
        if card.cache is None or card.cache.status in (None, "unknown"):
            continue
        if card.cache.status == "ok":
            yield FINDINGS.passed(card, "The cache is ok.")
        else:
            yield _trouble(card, card.cache.status or "", plain(card.cache.status_text))


def _trouble(card: Controller, status: str, text: str) -> Finding:
    told = text or "no reason reported"
    critical = status == "critical"
    evidence = facts(card, "cache.status", "cache.status_text")
    evidence += tuple(fact for battery in card.batteries for fact in facts(battery, "status", of=card))
    message = f"The controller's cache {'is not in use' if critical else 'warns'}: {told}."
    remedy = (
        "Look at the backup power of the cache (battery, capacitor, cable); writes are slow until it is fixed."
        if critical
        else "Look at the battery and the firmware's event log."
    )
    return FINDINGS.failed(card, message, remedy, wants=("cache.status", "ok"), more=evidence)
