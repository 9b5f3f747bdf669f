"""The cache is split towards reads on a controller with a database on it.

**What it looks for.** Controllers that give reads more than half of their cache, with a volume on which a database
lives (its mount point says so: `/var/lib/mysql`, `/srv/db`, …).

**Why.** A database caches reads itself, in the server's memory, which is many times larger than the controller's: what
it asks the drives for is just what it has not read lately, so the controller's read cache hardly ever has it. Writes
are another matter: every commit waits for the storage, and the controller's protected cache turns milliseconds into
0.1 ms and sorts random writes before they reach the disks. Its size decides how long a burst is absorbed.

**Fails** (warning) when reads have more than half. Information where the write share is zero and the card has no good
battery: writes cannot be cached then, and the split is a consequence (see `battery_failed`).

**Passes** when writes have half or more, and when no volume of the card carries a database by its mount point.

**Cannot tell:** nothing is said of cards that have no split, or do not tell it.

**Remedy.** `raidctl cache split CONTROLLER 10/90` (or 25/75); measure before and after with `raidctl bench`.

**Example.** Fails: `cache.read_percent = 75` and a volume on `/var/lib/mysql`. Passes: `cache.read_percent = 10`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, settable
from raidctl.audit.builtin._queries import database, protected
from raidctl.model import Controller, Inventory

FINDINGS = RuleFindings(
    "cache_split_for_database", "warning", "The cache is split towards reads on a controller with a database"
)
_HALF = 50


def check(inventory: Inventory) -> Findings:
    """One finding for each card with a split and a database on it."""
    for card in inventory.controllers:
        share = card.cache.read_percent if card.cache else None
        place = next((point for volume in card.volumes if (point := database(volume.mountpoints))), None)
        if share is None or place is None:
            continue
        if share <= _HALF:
            yield FINDINGS.passed(card, "Writes have at least half of the cache.")
        else:
            yield _reads(card, share, place)


def _reads(card: Controller, share: int, place: str) -> Finding:
    without = card.cache is not None and card.cache.write_percent == 0 and not protected(card)
    return FINDINGS.failed(
        card,
        f"Reads have {share} % of the controller's cache, but the database that {place} seems to hold caches reads "
        "itself and waits for writes.",
        "Fit or replace the battery first: writes cannot be cached without it."
        if without
        else settable(
            card,
            "cache_split",
            f"Give the cache to writes: `raidctl cache split {card.id} 10/90`.",
            "Give the cache to writes, 10/90",
        ),
        "cache.read_percent cache.write_percent",
        severity="info" if without else None,
        wants=("cache.read_percent", "at most 50"),
    )
