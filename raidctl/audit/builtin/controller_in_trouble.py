"""A controller says that it is not well.

**What it looks for.** Cards whose own status is a warning or critical.

**Why.** The status of the card covers what no other line does: memory errors, a lock-up of its firmware, overheating,
a configuration that was not taken over. Some cards also raise it for what its volumes and drives have; then this
finding would only repeat what theirs say.

**Fails** (critical or warning, as the card says) when the controller's status is not ok. A critical card is information
where a volume, drive or battery of it is not well either, and may explain it.

**Passes** when it is ok, and when a card only warns and something on it, of which other rules speak, is the reason.

**Cannot tell:** many tools tell no status of the card; these cards are passed over.

**Remedy.** Read the card's event log with the maker's tool; look at its temperature and firmware.

**Example.** Fails: controller `status = critical`. Passes: `status = ok`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import NOT_WHOLE, plain
from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Controller, Inventory

SAY = Voice("controller_in_trouble", "critical")


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each controller whose status is told."""
    for card in inventory.controllers:
        if card.status == "ok":
            yield SAY.passed(card, "The controller is ok.")
        elif card.status == "warning" and _explained(card):
            yield SAY.passed(card, "The controller warns of what is on it, and says nothing else.")
        elif card.status != "unknown":
            yield _trouble(card)


def _explained(card: Controller) -> bool:
    """Whether something on it is not well, and may be all that the card means."""
    return (
        any(volume.status in NOT_WHOLE for volume in card.volumes)
        or any(drive.status in ("warning", "critical") for drive in card.drives)
        or any(battery.status not in ("ok", "unknown", "missing") for battery in card.batteries)
    )


def _trouble(card: Controller) -> Finding:
    explained = _explained(card)
    also = " What is on it is not all well, which may be the reason." if explained else ""
    return SAY.failed(
        card,
        f"The controller says: {plain(card.status_text) or card.status}.{also}",
        remedy="Look at what is on it first." if explained else "Read its event log with the maker's tool.",
        severity="info" if explained else ("critical" if card.status == "critical" else "warning"),
        field="status",
        wanted="ok",
        evidence=facts(card, "status", "status_text", "firmware"),
    )


RULE = Rule(name=SAY.rule, title="A controller says that it is not well", severity=SAY.severity, check=check)
