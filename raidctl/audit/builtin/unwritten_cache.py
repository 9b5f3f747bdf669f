"""The controller preserves data that it could not write to its drives.

**What it looks for.** Caches with preserved (pinned) data of volumes that are offline or gone.

**Why.** When drives vanish under write-back, the controller keeps what was not written yet, and waits for them. That
is acknowledged data, often the newest commits, and it exists nowhere else. "Discard preserved cache", which the
controller's own setup offers so that the server boots, throws it away for good.

**Fails** (critical) when the controller reports such data.

**Passes** when it reports none.

**Cannot tell:** controllers whose tool does not report it are passed over. Unwritten data of working volumes is normal
in write-back and not meant here.

**Remedy.** Bring the missing drives back (cable, enclosure, power) and the controller writes the data itself. Only when
they are certainly lost, and their volume is to be restored from a backup anyway, discard it.

**Example.** Fails: `cache.preserved_data = true`. Passes: `cache.preserved_data = false`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Inventory

SAY = Voice("unwritten_cache", "critical")


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each controller that reports it."""
    yield from SAY.graded(inventory, _check(inventory))


def _check(inventory: Inventory) -> Iterator[Finding]:
    for card in inventory.controllers:
        if card.cache is None or card.cache.preserved_data is None:
            continue
        if not card.cache.preserved_data:
            yield SAY.passed(card, "The cache holds no preserved data.")
            continue
        yield SAY.failed(
            card,
            "The cache holds preserved data of a volume that is offline or gone; no other copy exists.",
            remedy="Bring the missing drives back: the controller then writes it. Do not discard it.",
            field="cache.preserved_data",
            wanted="false",
            evidence=facts(card, "cache.preserved_data", "cache.status_text"),
        )


RULE = Rule(
    name=SAY.rule,
    title="A cache holds preserved data of a volume that is offline or gone",
    severity=SAY.severity,
    check=check,
)
