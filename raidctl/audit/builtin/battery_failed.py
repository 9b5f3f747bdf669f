"""The battery or capacitor of a cache is failed, missing, or asks to be replaced.

**What it looks for.** Batteries that cannot carry the cache over a power failure.

**Why.** The battery is the only part of a RAID card that wears out by doing nothing: two to five years, less in a hot
chassis. When it is gone, a careful controller falls back to write-through (slow), a careless one goes on (unsafe).
Capacitors last longer, but fail by the same sudden drop.

**Fails** (critical) when a battery has failed while a volume of its controller is set to write-back; a warning when
no volume is, when it is degraded or missing (`write_back_unprotected` says where that loses data), and when it works
still but asks for its replacement.

**Passes** when it is ok, learning or charging (`battery_learning` speaks of these), and where a card has none and all
its volumes write through: nothing relies on it.

**Cannot tell** when there is one whose state the tool does not say, and a volume is set to write-back. That a battery
is missing says nothing where the volumes are not told.

**Remedy.** Order the spare part by the card's model, replace it in a maintenance window, and wait for it to charge:
write-back comes back by itself. Until then leave the volumes in write-through.

**Example.** Fails: `status = failed`. Passes: `status = ok`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import batteries, kind, plain
from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Battery, Controller, Inventory

SAY = Voice("battery_failed", "critical")
_BACK = ("protected_write_back", "unprotected_write_back")
_REMEDY = "Replace it (the part is named after the card's model) and let it charge; write through until then."
_FIT = "Fit one if the card takes one; write through until then."


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each battery that the tool tells of."""
    for card, battery in batteries(inventory):
        if battery.status == "missing" and not _wanted(card):
            if card.volumes:
                yield SAY.passed(battery, f"There is no {kind(battery)}, and no volume relies on one.")
        elif battery.status in ("failed", "degraded", "missing") or battery.replace:
            yield _failed(card, battery)
        elif battery.status != "unknown":
            yield SAY.passed(battery, f"The {kind(battery)} does not have to be replaced.")
        elif _wanted(card):
            yield SAY.unknown(
                battery,
                f"The tool does not say how the {kind(battery)} is, and write-back relies on it.",
                remedy="Ask with a newer tool of the maker, or look at the LED on the card.",
                field="status",
                wanted="ok",
                evidence=facts(battery, "status", "status_text", "charge_percent"),
            )


def _wanted(card: Controller) -> bool:
    """Whether a volume relies on it."""
    return any(volume.cache is not None and volume.cache.write_policy in _BACK for volume in card.volumes)


def _failed(card: Controller, battery: Battery) -> Finding:
    bad = battery.status in ("failed", "degraded", "missing")
    name = kind(battery)
    evidence = facts(battery, "status", "status_text", "replace", "charge_percent")
    state = {"failed": "has failed", "degraded": "is degraded", "missing": "is missing"}.get(
        battery.status, "asks to be replaced"
    )
    text = plain(battery.status_text)
    told = f" ({text})" if text and text.lower() != battery.status else ""
    then = ": it cannot keep unwritten data through a power failure." if bad else "; it still works."
    return SAY.failed(
        battery,
        f"The {name} of the cache {state}{told}{then}",
        remedy=_FIT if battery.status == "missing" else _REMEDY,
        severity=None if battery.status == "failed" and _wanted(card) else "warning",
        field="status" if bad else "replace",
        wanted="ok" if bad else "false",
        evidence=evidence,
    )


RULE = Rule(
    name=SAY.rule,
    title="The battery of a cache is failed, missing or to be replaced",
    severity=SAY.severity,
    check=check,
)
