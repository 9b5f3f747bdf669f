"""No spare stands by, or one that would not do.

**What it looks for.** Degraded arrays without a spare, large parity arrays without one, and spares that are too small,
of another kind, or broken.

**Why.** A rebuild begins within a minute where a spare stands by, and after the weekend where somebody has to notice,
order and drive there. All that time the array has no redundancy. A spare that does not fit is worse than none, as
everybody relies on it: controllers silently pass over one that is a few sectors too small, that is SAS among SATA,
or an SSD among disks.

**Fails** as a warning when a volume is degraded, is not being rebuilt and no good spare is there; and when a spare is
broken, smaller than the members of the arrays that it is for, or an SSD among disks or the other way round. As
information when a parity array of six drives or more has none.

**Passes** when a spare that fits stands by, and for smaller whole arrays without one.

**Cannot tell:** sizes and kinds that are not told are not compared; arrays whose drives are not told are passed over.

**Remedy.** Make an unassigned drive a spare with the maker's tool (a global one serves all arrays), or insert one.

**Example.** Fails: a RAID-5 that is degraded, and no drive with `role = spare`. Passes: one drive with `role = spare`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.audit.builtin._look import NOT_WHOLE, PARITY, REDUNDANT, below, medium, members, rebuilding, short
from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Array, Controller, Drive, Inventory, Volume
from raidctl.units import format_decimal

SAY = Voice("spare_missing", "warning")
_MANY = 6
_SLACK = 0.001
"""Tools print rounded sizes; a spare is called too small from one thousandth on."""


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each redundant volume whose drives are told, and one for each spare."""
    for card in inventory.controllers:
        for spare in card.drives:
            if spare.role == "spare":
                yield _spare(card, spare)
        for volume in card.volumes:
            if volume.raid_level in REDUNDANT and volume.array and _all_told(card, volume):
                yield _volume(card, volume)


def _all_told(card: Controller, volume: Volume) -> bool:
    """Whether its drives were told, so that a spare would have been: one member alone says little of the others."""
    known = len(below(card, volume))
    return known > 0 and known >= (volume.drives_active or 0)


def _for(card: Controller, spare: Drive) -> list[Array]:
    """The arrays that a spare is for; all of the card where it is a global one."""
    named = [array for array in card.arrays if array.id in spare.spare_for or spare.id in array.spares]
    return named or ([] if spare.spare_for else list(card.arrays))


def _unfit(spare: Drive, array: Sequence[Drive]) -> str | None:
    """Why a spare would not do for the drives of an array; None when it would, as far as is told."""
    if spare.status == "critical":
        return "it is broken itself"
    kind, sizes = medium(array), [drive.size_bytes for drive in array if drive.size_bytes]
    if kind and spare.media and spare.media != kind:
        names = {"ssd": "an SSD", "hdd": "a disk"}
        return f"it is {names[spare.media]}, the drives of the array are {'SSDs' if kind == 'ssd' else 'disks'}"
    if spare.size_bytes and sizes and spare.size_bytes < min(sizes) * (1 - _SLACK):
        return f"it has {format_decimal(spare.size_bytes)}, the drives of the array {format_decimal(min(sizes))}"
    return None


def _spare(card: Controller, spare: Drive) -> Finding:
    """Whether it would do for at least one of the arrays that it is for; a dedicated one for each of them."""
    reasons = [(array, _unfit(spare, members(card, array))) for array in _for(card, spare)]
    wrong = [(array, why) for array, why in reasons if why]
    named = bool(spare.spare_for) or any(spare.id in array.spares for array in card.arrays)
    if spare.status == "critical":
        wrong = wrong or [(None, "it is broken itself")]  # type: ignore[list-item]  # a spare of no array at all
    elif not wrong or (not named and len(wrong) < len(reasons)):
        return SAY.passed(spare, "The spare would do.")
    array, why = wrong[0]
    whose = f" for {array.id}" if array is not None else ""
    return SAY.failed(
        spare,
        f"The spare would not do{whose}: {why}.",
        remedy="Replace it by a drive of the array's own kind.",
        field="status" if spare.status == "critical" else None,
        evidence=facts(spare, "status", "size_bytes", "media", "spare_for"),
    )


def _volume(card: Controller, volume: Volume) -> Finding:
    drives = below(card, volume)
    ready = [
        spare
        for spare in card.drives
        if spare.role == "spare"
        and any(array.id == volume.array for array in _for(card, spare))
        and not _unfit(spare, drives)
    ]
    if ready:
        return SAY.passed(volume, "A spare stands by.")
    idle = [drive for drive in card.drives if drive.role == "unassigned" and drive.status == "ok"]
    fitting = [drive for drive in idle if not drive.mountpoints and not _unfit(drive, drives)]
    offer = (
        f"Make {short(fitting[:1])}, which is unassigned, a spare" if fitting else "Insert a drive and make it a spare"
    )
    if volume.status == "degraded" and not rebuilding(card, volume):
        message = "The volume is degraded, and no spare is there to be rebuilt onto: it stays so until somebody comes."
        return SAY.failed(
            volume, message, remedy=f"{offer}; the rebuild begins then.", evidence=facts(volume, "status")
        )
    if volume.raid_level in PARITY and len(drives) >= _MANY and volume.status not in NOT_WHOLE:
        message = (
            f"No spare stands by for the {len(drives)} drives of the volume: after a failure it waits for a person."
        )
        return SAY.failed(
            volume, message, remedy=f"{offer}.", severity="info", evidence=facts(volume, "raid_level", "array")
        )
    return SAY.passed(volume, "No spare stands by, and none is missed now.")


RULE = Rule(name=SAY.rule, title="No spare stands by, or one that would not do", severity=SAY.severity, check=check)
