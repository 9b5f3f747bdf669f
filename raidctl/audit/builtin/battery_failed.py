"""A cache battery or capacitor has failed, is missing or needs replacement.

**What it checks.** Batteries and capacitors that cannot power the cache through a power failure.

**Why it matters.** The battery is the part of a RAID controller that wears out even when idle: it lasts two to five
years, less in a hot chassis. When it fails, most controllers fall back to write-through (slow); some continue in
write-back (unsafe). Capacitors last longer, but fail just as suddenly.

**Fails** (critical) when it is failed or missing and a volume of its controller stays in write-back, or is configured
to and no tool reports the active policy; (warning) when the controller has fallen back to write-through, when the
battery is degraded, and when it still works but needs replacement.

**Passes** when it is ok, learning or charging (see `battery_learning`), and when a controller has none and all its
volumes are in write-through.

**Unknown** when its state is not reported and a volume is configured for write-back.

**How to fix.** Order the spare part for the controller's model, replace it in a maintenance window and let it charge;
write-back then resumes. Until then leave the volumes in write-through.

**Example.** Fails: `status = failed`. Passes: `status = ok`.
"""

from __future__ import annotations

import re

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import batteries
from raidctl.audit.builtin._wording import plain
from raidctl.health.phrases import battery_noun
from raidctl.health.reliance import relied_on
from raidctl.model import Battery, Inventory

FINDINGS = RuleFindings("battery_failed", "critical", "A cache battery has failed, is missing or needs replacement")
_REMEDY = "Replace it (order the part by the controller's model) and let it charge; use write-through until then."
_CABLE = "Check its cable and connector first; replace it if that does not help. Use write-through until then."
_FIT = "Fit one if the controller supports it; use write-through until then."


def check(inventory: Inventory) -> Findings:
    """One finding for each battery that a tool reports."""
    found = FINDINGS.conditions(inventory)
    for controller, battery in batteries(inventory):
        if battery.id in found:
            yield _failed(battery)
        elif battery.status == "missing":
            if controller.volumes:
                yield FINDINGS.passed(battery, f"No {battery_noun(battery)} is fitted, and no volume relies on one.")
        elif battery.status != "unknown":
            yield FINDINGS.passed(battery, f"The {battery_noun(battery)} does not need replacement.")
        elif relied_on(controller):
            message = f"The state of the {battery_noun(battery)} is not reported, but write-back relies on it."
            remedy = "Install a newer version of the vendor's tool, or check the LED on the controller."
            yield FINDINGS.unknown(
                battery, message, remedy, "status status_text charge_percent", wants=("status", "ok")
            )


def _failed(battery: Battery) -> Finding:
    bad = battery.status in ("failed", "degraded", "missing")
    name = battery_noun(battery)
    evidence = facts(battery, "status", "status_text", "replace", "charge_percent")
    state = {"failed": "has failed", "degraded": "is degraded", "missing": "is missing"}.get(
        battery.status, "needs replacement"
    )
    text = plain(battery.status_text)
    inner = re.fullmatch(rf"{battery.status} \((.+)\)", text, re.IGNORECASE)  # Failed (Replace Batteries)
    text = inner[1] if inner else text
    detail = f" ({text})" if text and text.lower() != battery.status else ""
    keeps = "may not" if battery.status == "degraded" else "does not"
    then = f": it {keeps} protect unwritten data from a power failure." if bad else "; it still works."
    message = f"The {name} of the cache {state}{detail}{then}"
    remedy = _CABLE if "cbl" in text.lower() else _FIT if battery.status == "missing" else _REMEDY
    return FINDINGS.failed(
        battery, message, remedy, wants=("status" if bad else "replace", "ok" if bad else "false"), more=evidence
    )
