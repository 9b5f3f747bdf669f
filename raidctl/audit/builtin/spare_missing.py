"""No spare stands by.

**What it looks for.** Large parity arrays without a spare that fits (`spare_unfit`).

**Why.** A rebuild begins within a minute where a spare stands by, and after the weekend where somebody has to notice,
order and drive there. All that time the array has no redundancy.

**Fails** as information when a parity array of six drives or more has none that would do. That a degraded volume has
none is part of what `volume_degraded` reports.

**Passes** when a spare that fits stands by, and for smaller arrays without one. Volumes that are not whole are passed
over.

**Cannot tell:** sizes and kinds that are not told are not compared; arrays whose drives are not told, or only by name,
are passed over.

**Remedy.** Make an unassigned drive a spare with the maker's tool (a global one serves all arrays), or insert one.

**Example.** Fails: a RAID-6 of eight drives, and no drive with `role = spare`. Passes: one drive with `role = spare`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import NOT_WHOLE, PARITY, REDUNDANT, below
from raidctl.audit.builtin._spares import all_told, offer, ready
from raidctl.model import Controller, Inventory, Volume
from raidctl.text import counted

FINDINGS = RuleFindings("spare_missing", "info", "No spare stands by")
_MANY = 6


def check(inventory: Inventory) -> Findings:
    """One finding for each whole, redundant volume whose drives are known."""
    for card in inventory.controllers:
        for volume in card.volumes:
            if volume.raid_level in REDUNDANT and volume.status not in NOT_WHOLE and all_told(card, volume):
                yield _volume(card, volume)


def _volume(card: Controller, volume: Volume) -> Finding:
    if ready(card, volume):
        return FINDINGS.passed(volume, "A spare stands by.")
    drives = below(card, volume)
    if volume.raid_level not in PARITY or len(drives) < _MANY:
        return FINDINGS.passed(volume, "No spare stands by, and none is missed now.")
    do = offer(card, volume) or "insert a drive and make it a spare"
    message = f"No spare for the {counted(len(drives), 'drive')} of the volume: after a failure it waits for a person."
    return FINDINGS.failed(volume, message, f"{do[0].upper()}{do[1:]}.", "raid_level array")
