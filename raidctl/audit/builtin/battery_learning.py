"""A cache battery is in a learn cycle, charging or low.

**What it checks.** Batteries that are learning or charging, and good ones with a low charge.

**Why it matters.** Every one to three months the controller discharges its battery on purpose and recharges it, to
measure its remaining capacity. This learn cycle takes one to eight hours, during which many controllers fall back to
write-through: an expected period of slow writes that looks like a fault. Capacitors need minutes. A long power failure
has the same effect.

**Fails** (information) while it is learning or charging; (warning) when the tool reports it as good but charged to
less than 25%, which would not keep the cache for long.

**Passes** when it is ok and charged.

**Unknown:** never. If no charge is reported, the status alone decides.

**How to fix.** Wait. If the slow period hurts, start the learn cycle manually at a quiet time, before the automatic
one is due. A battery that is still charging after a day is faulty: replace it.

**Example.** Fails: `status = learning`. Passes: `status = ok`, `charge_percent = 97`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import batteries
from raidctl.health.phrases import battery_noun
from raidctl.model import Battery, Inventory
from raidctl.units import format_percent
from raidctl.vendor.limits import LITTLE_CHARGE

FINDINGS = RuleFindings("battery_learning", "warning", "A cache battery is learning, charging or low")


def check(inventory: Inventory) -> Findings:
    """One finding for each battery that is ok, learning or charging."""
    found = FINDINGS.conditions(inventory)
    for _, battery in batteries(inventory):
        if battery.id in found:
            yield _not_ready(battery, low=battery.status == "ok")
        elif battery.status == "ok":
            yield FINDINGS.passed(battery, f"The {battery_noun(battery)} is charged, as far as is reported.")


def _not_ready(battery: Battery, *, low: bool) -> Finding:
    percent = None if battery.charge_percent is None else format_percent(battery.charge_percent)
    charge = f", charged to {percent}" if percent and not low else ""
    state = {
        "learning": f"is in a learn cycle{charge}: writes may be slow for some hours",
        "charging": f"is charging{charge}: write-back may be off until it is charged",
    }.get(battery.status, f"is reported ok, but is charged to only {percent}")
    return FINDINGS.failed(
        battery,
        f"The {battery_noun(battery)} of the cache {state}.",
        "Replace it if it does not charge within a day."
        if low
        else "Wait; do not force write-back. Replace it if this lasts more than a day.",
        "status status_text charge_percent next_learn_at",
        wants=("charge_percent" if low else "status", f"{format_percent(LITTLE_CHARGE)} or more" if low else "ok"),
    )
