"""A controller with a database splits its cache in favour of reads.

**What it checks.** Controllers that assign more than half of their cache to reads, with a database on one of their
volumes, recognised by its mount point (`/var/lib/mysql`, `/srv/db`, …).

**Why it matters.** A database caches reads itself in main memory, which is many times larger than the controller's
cache: what it reads from the drives is rarely in the controller's cache. Writes are different: every commit waits for
the storage, and the protected cache cuts milliseconds to 0.1 ms and sorts random writes before they reach the drives.
Its size determines how large a burst it absorbs.

**Fails** (warning) when reads have more than half; (information) when the write share is zero and the controller has
no good battery: writes cannot be cached then, and the split is a consequence (see `battery_failed`).

**Passes** when writes have half or more. Controllers without a database are not checked.

**Unknown:** never. Controllers without a reported split are not checked.

**How to fix.** `raidctl cache split CONTROLLER 10/90` (or 25/75); measure before and after with `raidctl bench`.

**Example.** Fails: `cache.read_percent = 75` and a volume on `/var/lib/mysql`. Passes: `cache.read_percent = 10`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import database, protected
from raidctl.model import Controller, Inventory
from raidctl.model.settable import settable
from raidctl.units import format_percent

FINDINGS = RuleFindings(
    "cache_split_for_database", "warning", "The cache favours reads on a controller with a database"
)
_HALF = 50


def check(inventory: Inventory) -> Findings:
    """One finding for each controller with a cache split and a database."""
    for controller in inventory.controllers:
        share = controller.cache.read_percent if controller.cache else None
        place = next((point for volume in controller.volumes if (point := database(volume.mountpoints))), None)
        if share is None or place is None:
            continue
        if share <= _HALF:
            yield FINDINGS.passed(controller, "Writes have at least half of the cache.")
        else:
            yield _favours_reads(controller, share, place)


def _favours_reads(controller: Controller, share: int, place: str) -> Finding:
    without = controller.cache is not None and controller.cache.write_percent == 0 and not protected(controller)
    return FINDINGS.failed(
        controller,
        f"Reads have {format_percent(share)} of the controller's cache, but the database that seems to be on {place} "
        "caches reads itself; its commits wait for writes.",
        "Fit or replace the battery first; without it writes cannot be cached."
        if without
        else settable(
            controller,
            "cache_split",
            f"Give most of the cache to writes: `raidctl cache split {controller.id} 10/90`.",
            "Give most of the cache to writes (10/90)",
        ),
        "cache.read_percent cache.write_percent",
        severity="info" if without else None,
        wants=("cache.read_percent", "at most 50"),
    )
