"""The battery of a cache is older than its rated life, or its learn cycle is overdue.

**What it looks for.** The date of manufacture, and the next learn cycle, against the time of the reading.

**Why.** Makers rate the batteries of caches for about three years and capacitors for about five at their usual
temperature. Capacity falls before the state does: "ok" is what the last learn cycle found, and one that is overdue
found nothing.

**Fails** as information past the rated life, as a warning past twice of it, and when a learn cycle is overdue for more
than a week.

**Passes** when it is younger, and the next learn cycle lies ahead.

**Cannot tell** when the time of the reading is unknown. Batteries that report neither date are passed over, so are
those that have failed (`battery_failed`).

**Remedy.** Order a replacement, and start a learn cycle at a quiet time: it shows what the battery still holds.

**Example.** Fails: `made_at = 2014-09-22`. Passes: `made_at = 2025-03-02`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import GOOD_BATTERY, batteries, kind
from raidctl.model import Battery, Inventory
from raidctl.units import parse_moment

FINDINGS = RuleFindings("battery_old", "warning", "A battery is past its rated life")
_YEAR = timedelta(days=365.25)
_RATED = {"capacitor": 5}
_RATED_BATTERY = 3
_LATE, _CLOCK = timedelta(days=7), 10 * _YEAR
"""A learn cycle that is overdue for ten years is a clock that was never set."""


def check(inventory: Inventory) -> Findings:
    """One finding for each working battery that reports its age or its next learn cycle."""
    now = parse_moment(inventory.host.collected_at)
    for _, battery in batteries(inventory):
        dates = parse_moment(battery.made_at), parse_moment(battery.next_learn_at)
        if battery.status in GOOD_BATTERY and any(dates):
            yield _judge(battery, now, *dates)


def _judge(battery: Battery, now: datetime | None, made: datetime | None, learn: datetime | None) -> Finding:
    evidence = facts(battery, "made_at", "next_learn_at", "status")
    if now is None:
        return FINDINGS.unknown(battery, "Its age is unknown: so is the time of the reading.", severity="info")
    if learn and _LATE < now - learn < _CLOCK and battery.status == "ok":
        message = f"The learn cycle of the {kind(battery)} is overdue for {(now - learn).days} days."
        remedy = "Start a learn cycle at a quiet time; until then its capacity is a guess."
        return FINDINGS.failed(battery, message, remedy, wants=("next_learn_at", None), more=evidence)
    years, rated = (now - made) / _YEAR if made else 0.0, _RATED.get(battery.kind, _RATED_BATTERY)
    if years <= rated:
        return FINDINGS.passed(battery, f"The {kind(battery)} is within its rated life, as far as is reported.")
    return FINDINGS.failed(
        battery,
        f"The {kind(battery)} is {years:.0f} years old; its kind is rated for about {rated}.",
        "Order a replacement, and start a learn cycle to see what it still holds.",
        severity="info" if years <= 2 * rated else None,
        wants=("made_at", None),
        more=evidence,
    )
