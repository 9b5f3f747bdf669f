"""No spare stands by, or one that would not do.

**What it looks for.** Large parity arrays without a spare, and spares that are too small or of another kind.

**Why.** A rebuild begins within a minute where a spare stands by, and after the weekend where somebody has to notice,
order and drive there. All that time the array has no redundancy. A spare that does not fit is worse than none, as
everybody relies on it: controllers silently pass over one that is a few sectors too small, that is SAS among SATA,
or an SSD among disks.

**Fails** as a warning when a spare is smaller than the members of the arrays that it is for, or an SSD among disks or
the other way round. As information when a parity array of six drives or more has none that would do. That a degraded
volume has none is part of what `volume_degraded` says of it, and that a spare has failed is told by `drive_failed`.

**Passes** when a spare that fits stands by, and for smaller arrays without one. Volumes that are not whole are passed
over.

**Cannot tell:** sizes and kinds that are not told are not compared; arrays whose drives are not told, or only by name,
are passed over.

**Remedy.** Make an unassigned drive a spare with the maker's tool (a global one serves all arrays), or insert one.

**Example.** Fails: a RAID-6 of eight drives, and no drive with `role = spare`. Passes: one drive with `role = spare`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import NOT_WHOLE, PARITY, REDUNDANT, below, members
from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.builtin._spares import all_told, arrays_of, offer, ready, unfit
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Controller, Drive, Inventory, Volume

SAY = Voice("spare_missing", "warning")
_MANY = 6


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each whole, redundant volume whose drives are told, and one for each spare that works."""
    for card in inventory.controllers:
        for spare in card.drives:
            if spare.role == "spare" and spare.status != "critical":
                yield _spare(card, spare)
        for volume in card.volumes:
            if volume.raid_level in REDUNDANT and volume.status not in NOT_WHOLE and all_told(card, volume):
                yield _volume(card, volume)


def _spare(card: Controller, spare: Drive) -> Finding:
    """Whether it would do for at least one of the arrays that it is for; a dedicated one for each of them."""
    reasons = [(array, unfit(spare, members(card, array))) for array in arrays_of(card, spare)]
    wrong = [(array, why) for array, why in reasons if why]
    named = bool(spare.spare_for) or any(spare.id in array.spares for array in card.arrays)
    if not wrong or (not named and len(wrong) < len(reasons)):
        return SAY.passed(spare, "The spare would do.")
    array, why = wrong[0]
    return SAY.failed(
        spare,
        f"The spare would not do for {array.id}: {why}.",
        remedy="Replace it by a drive of the array's own kind.",
        evidence=facts(spare, "status", "size_bytes", "media", "spare_for"),
    )


def _volume(card: Controller, volume: Volume) -> Finding:
    if ready(card, volume):
        return SAY.passed(volume, "A spare stands by.")
    drives = below(card, volume)
    if volume.raid_level not in PARITY or len(drives) < _MANY:
        return SAY.passed(volume, "No spare stands by, and none is missed now.")
    do = offer(card, volume) or "insert a drive and make it a spare"
    return SAY.failed(
        volume,
        f"No spare stands by for the {len(drives)} drives of the volume: after a failure it waits for a person.",
        remedy=f"{do[0].upper()}{do[1:]}.",
        severity="info",
        evidence=facts(volume, "raid_level", "array"),
    )


RULE = Rule(name=SAY.rule, title="No spare stands by, or one that would not do", severity=SAY.severity, check=check)
