"""A controller's cache is disabled or damaged.

**What it checks.** Cache modules that the controller does not use, or reports a problem with.

**Why it matters.** A cache that is "temporarily" or "permanently disabled" speeds up nothing: every write waits for
the drives. The usual cause is the backup power: old, not charged, or a cable fault. With a loose cable some
controllers no longer list a battery, so a check of the battery alone finds nothing wrong.

**Fails** (critical) when the cache status is critical and write-back is still active; (warning) otherwise: writes are
slow, but safe.

**Passes** when it is ok. A cache that is not configured counts as ok.

**Unknown:** never. Controllers whose cache status is not reported are not checked.

**How to fix.** The message contains the reason. Replace the backup power or reseat its cable; the cache is then
enabled again, on some controllers after a restart.

**Example.** Fails: `cache.status = critical`. Passes: `cache.status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._wording import plain
from raidctl.model import Controller, Inventory

FINDINGS = RuleFindings("cache_in_trouble", "critical", "A controller's cache is disabled or damaged")


def check(inventory: Inventory) -> Findings:
    """One finding for each controller that reports the status of its cache."""
    for controller in inventory.controllers:
        if controller.cache is None or controller.cache.status in (None, "unknown"):
            continue
        if controller.cache.status == "ok":
            yield FINDINGS.passed(controller, "The cache is ok.")
        else:
            yield _problem(controller, controller.cache.status or "", plain(controller.cache.status_text))


def _problem(controller: Controller, status: str, text: str) -> Finding:
    reason = text or "no reason reported"
    critical = status == "critical"
    evidence = facts(controller, "cache.status", "cache.status_text")
    evidence += tuple(fact for battery in controller.batteries for fact in facts(battery, "status", of=controller))
    message = f"The controller's cache {'is not in use' if critical else 'reports a warning'}: {reason}."
    name = controller.id
    remedy = (
        "Check the backup power of the cache (battery, capacitor, cable); writes are slow until it is fixed."
        if critical
        else f"Check the battery and the events: `raidctl battery show {name}`, `raidctl events {name}`."
    )
    return FINDINGS.failed(controller, message, remedy, wants=("cache.status", "ok"), more=evidence)
