"""The battery or capacitor of a cache is failed, missing, or asks to be replaced.

**What it looks for.** Batteries that cannot carry the cache over a power failure.

**Why.** The battery is the only part of a RAID card that wears out by doing nothing: two to five years, less in a hot
chassis. When it is gone, a careful controller falls back to write-through (slow), a careless one goes on (unsafe).
Capacitors last longer, but fail by the same sudden drop.

**Fails** (critical) when it is failed or missing and a volume of its controller goes on in write-back, or is set to and
no tool reports what is active. (warning) when the controller has fallen back to write-through, when it is degraded, and
when it still works but asks for its replacement.

**Passes** when it is ok, learning or charging (`battery_learning` describes these), and where a controller has none
and all its volumes write through: nothing relies on it.

**Cannot tell** when no tool reports its state, and a volume is set to write-back. A missing battery means nothing where
no volumes are reported.

**Remedy.** Order the spare part by the card's model, replace it in a maintenance window, and wait for it to charge:
write-back comes back by itself. Until then leave the volumes in write-through.

**Example.** Fails: `status = failed`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import batteries, kind, plain
from raidctl.health.judge import relied_on
from raidctl.model import Battery, Inventory

FINDINGS = RuleFindings("battery_failed", "critical", "The battery of a cache is failed, missing or to be replaced")
_REMEDY = "Replace it (the part is named after the card's model) and let it charge; write through until then."
_FIT = "Fit one if the card takes one; write through until then."


def check(inventory: Inventory) -> Findings:
    """One finding for each battery that a tool reports."""
    found = FINDINGS.conditions(inventory)
    for card, battery in batteries(inventory):
        if battery.id in found:
            yield _failed(battery)
        elif battery.status == "missing":
            if card.volumes:
                yield FINDINGS.passed(battery, f"There is no {kind(battery)}, and no volume relies on one.")
        elif battery.status != "unknown":
            yield FINDINGS.passed(battery, f"The {kind(battery)} does not have to be replaced.")
        elif relied_on(card):
            message = f"No tool reports the state of the {kind(battery)}, and write-back relies on it."
            remedy = "Ask with a newer tool of the maker, or look at the LED on the card."
            yield FINDINGS.unknown(
                battery, message, remedy, "status status_text charge_percent", wants=("status", "ok")
            )


def _failed(battery: Battery) -> Finding:
    bad = battery.status in ("failed", "degraded", "missing")
    name = kind(battery)
    evidence = facts(battery, "status", "status_text", "replace", "charge_percent")
    state = {"failed": "has failed", "degraded": "is degraded", "missing": "is missing"}.get(
        battery.status, "asks to be replaced"
    )
    text = plain(battery.status_text)
    told = f" ({text})" if text and text.lower() != battery.status else ""
    then = ": it does not protect unwritten data from a power failure." if bad else "; it still works."
    message = f"The {name} of the cache {state}{told}{then}"
    remedy = _FIT if battery.status == "missing" else _REMEDY
    return FINDINGS.failed(
        battery, message, remedy, wants=("status" if bad else "replace", "ok" if bad else "false"), more=evidence
    )
