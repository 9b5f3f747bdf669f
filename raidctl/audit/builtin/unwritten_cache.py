"""The controller holds data that it could not write to its drives.

**What it looks for.** Caches with preserved, pinned or dirty data of drives that are gone.

**Why.** When drives vanish under write-back, the controller keeps what was not written yet, and waits for them. That
is acknowledged data, often the newest commits, and it exists nowhere else. "Discard preserved cache", which the
controller's own setup offers so that the server boots, throws it away for good.

**Fails** (critical) when the controller says that such data waits.

**Passes** when it says that none does.

**Cannot tell:** cards whose tool does not tell are passed over.

**Remedy.** Bring the missing drives back (cable, enclosure, power) and the controller writes the data itself. Only when
they are certainly lost, and their volume is to be restored from a backup anyway, discard it.

**Example.** Fails: `cache.unwritten_data = true`. Passes: `cache.unwritten_data = false`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Inventory

SAY = Voice("unwritten_cache", "critical")


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each card that tells."""
    for card in inventory.controllers:
        if card.cache is None or card.cache.unwritten_data is None:
            continue
        if not card.cache.unwritten_data:
            yield SAY.passed(card, "No data waits in the cache for drives that are gone.")
            continue
        yield SAY.failed(
            card,
            "The cache holds data for drives that are gone: it was acknowledged, and is nowhere else.",
            remedy="Bring the missing drives back, and the controller writes it; do not discard it.",
            field="cache.unwritten_data",
            wanted="false",
            evidence=facts(card, "cache.unwritten_data", "cache.status_text"),
        )


RULE = Rule(name=SAY.rule, title="A cache holds data that it could not write", severity=SAY.severity, check=check)
