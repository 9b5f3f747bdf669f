"""The battery of a cache learns, charges, or is not charged.

**What it looks for.** Batteries that are on their way to being good, and good ones with little charge.

**Why.** Once every one to three months a controller discharges its battery on purpose and charges it again, to learn
how much it still holds. That takes one to eight hours, and many cards write through for as long: an expected window of
slow writes that looks like a fault. Capacitors need minutes. After a long power failure the same happens.

**Fails** as information while it learns or charges. As a warning when the tool calls it good, but it is charged to less
than 25 %: then it would not carry the cache far.

**Passes** when it is ok and charged.

**Cannot tell:** a battery that tells no charge is judged by its state alone.

**Remedy.** Wait. Where the window hurts, start the learn cycle by hand at a quiet time, so that the automatic one finds
nothing to do. A battery that charges for more than a day does not charge: replace it.

**Example.** Fails: `status = learning`. Passes: `status = ok`, `charge_percent = 97`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import batteries, kind
from raidctl.health.judge import LITTLE_CHARGE
from raidctl.model import Battery, Inventory

FINDINGS = RuleFindings("battery_learning", "warning", "A battery learns, charges or is empty")


def check(inventory: Inventory) -> Findings:
    """One finding for each battery that works or is about to."""
    found = FINDINGS.conditions(inventory)
    for _, battery in batteries(inventory):
        if battery.id in found:
            yield _waiting(battery, low=battery.status == "ok")
        elif battery.status == "ok":
            yield FINDINGS.passed(battery, f"The {kind(battery)} is charged, as far as the tool tells.")


def _waiting(battery: Battery, *, low: bool) -> Finding:
    far = f", charged to {battery.charge_percent} %" if battery.charge_percent is not None and not low else ""
    said = {
        "learning": f"is in a learn cycle{far}: writes may be slow for some hours",
        "charging": f"is charging{far}: write-back may be off until it is done",
    }.get(battery.status, f"is called good, but is charged to {battery.charge_percent} % only")
    return FINDINGS.failed(
        battery,
        f"The {kind(battery)} of the cache {said}.",
        "Replace it if it does not charge within a day."
        if low
        else "Wait; do not force write-back. Replace it if it stays so for more than a day.",
        "status status_text charge_percent next_learn_at",
        wants=("charge_percent" if low else "status", f"{LITTLE_CHARGE} % or more" if low else "ok"),
    )
