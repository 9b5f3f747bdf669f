"""A battery is past its rated life, or its learn cycle overdue.

**What it checks.** The date of manufacture and the time of the next learn cycle, compared with the time of the scan.

**Why it matters.** Vendors rate cache batteries for about three years and capacitors for about five at normal
temperature. Capacity drops before the status does: "ok" is the result of the last learn cycle, and an overdue cycle
has no result.

**Fails** (information) past the rated life; (warning) past twice the rated life, and when a learn cycle is more than a
week overdue.

**Passes** when it is younger and the next learn cycle is in the future.

**Unknown** when the time of the scan is unknown, or before the date of manufacture. Batteries without either date are
not checked, nor are failed ones (see `battery_failed`).

**How to fix.** Order a replacement, and start a learn cycle at a quiet time, which measures the remaining capacity
(`raidctl battery learn`). Before it, preserved data has to be written (`raidctl preserved show`) and every volume
complete: a learn cycle discharges the battery.

**Example.** Fails: `made_at = 2014-09-22`. Passes: `made_at = 2025-03-02`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import GOOD_BATTERY, batteries
from raidctl.health.phrases import battery_noun
from raidctl.model import Battery, Controller, Inventory
from raidctl.text import counted
from raidctl.units import parse_moment

FINDINGS = RuleFindings("battery_old", "warning", "A cache battery is past its rated life")
_YEAR = timedelta(days=365.25)
_RATED = {"capacitor": 5}
_RATED_BATTERY = 3
_DAY = timedelta(days=1)
_LATE, _CLOCK = timedelta(days=7), 10 * _YEAR
"""Overdue times of a learn cycle. Ten years mean a clock that was never set."""


def check(inventory: Inventory) -> Findings:
    """One finding for each working battery with an age or learn date. The date is that of the next learn cycle."""
    now = parse_moment(inventory.host.collected_at)
    for controller, battery in batteries(inventory):
        dates = parse_moment(battery.made_at), parse_moment(battery.next_learn_at)
        if battery.status in GOOD_BATTERY and any(dates):
            yield _judge(controller, battery, now, *dates)


def _judge(
    controller: Controller, battery: Battery, now: datetime | None, made: datetime | None, learn: datetime | None
) -> Finding:
    evidence = facts(battery, "made_at", "next_learn_at", "status")
    if now is None:
        return FINDINGS.unknown(
            battery, "Its age is unknown, because the time of the scan is unknown.", severity="info"
        )
    # a controller that only its BMC shows has no driver, and raidctl changes nothing there
    how = f": `raidctl battery learn {controller.id}`" if controller.driver else ""
    when = f"at a quiet time{_before_learning(controller)}"
    if learn and _LATE < now - learn < _CLOCK and battery.status == "ok":
        message = f"The learn cycle of the {battery_noun(battery)} is {counted((now - learn).days, 'day')} overdue."
        remedy = f"Start a learn cycle {when}{how}; until then its capacity is unknown."
        return FINDINGS.failed(battery, message, remedy, wants=("next_learn_at", None), more=evidence)
    if made is not None and made - now > _DAY:
        message = (
            f"It was made after this scan ({battery.made_at}): its age is unknown, as a clock or the date is wrong."
        )
        return FINDINGS.unknown(battery, message, severity="info")
    years, rated = (now - made) / _YEAR if made else 0.0, _RATED.get(battery.kind, _RATED_BATTERY)
    if years <= rated:
        return FINDINGS.passed(battery, f"The {battery_noun(battery)} is within its rated life, as far as is reported.")
    return FINDINGS.failed(
        battery,
        f"The {battery_noun(battery)} is {years:.0f} years old; its type is rated for about {rated} years.",
        f"Order a replacement, and start a learn cycle, which measures its remaining capacity, {when}{how}.",
        severity="info" if years <= 2 * rated else None,
        wants=("made_at", None),
        more=evidence,
    )


def _before_learning(controller: Controller) -> str:
    """What has to come first, as the end of a sentence: `raidctl battery learn` refuses until then."""
    cache = controller.cache
    if controller.preserved or (cache is not None and cache.preserved_data):
        return f", after the preserved data is written (`raidctl preserved show {controller.id}`)"
    if any(volume.status != "ok" for volume in controller.volumes):
        return ", after every volume is complete"
    return ""
