"""A volume works without some of its drives, and nothing is being rebuilt.

**What it looks for.** Degraded volumes, and whether they have any redundancy left.

**Why.** A degraded mirror or RAID-5 has no second copy: the next drive that fails, or a single unreadable sector
while rebuilding, is data lost. Drives of one array were bought and stressed together, so the second failure comes
sooner than chance would have it. Parity volumes are slow besides: each read of the missing drive reads all others.

**Fails** (critical) when the volume is degraded; a warning where another drive may still be lost (RAID-6 and triple
mirrors that miss one drive).

**Passes** when the volume is whole, or a rebuild is under way, or waits until another volume on the same drives is
rebuilt: `volume_rebuilding` speaks of that.

**Cannot tell:** see `state_unknown`.

**Remedy.** Make sure that the backup is current, replace the drive that is gone (`raidctl show` names it), and watch
that the rebuild begins. An unassigned drive that fits can be made a spare: then it begins at once. Where a spare stands
by and no rebuild began, look into the tool's log why the card passed it over.

**Example.** Fails: `status = degraded`. Passes: `status = ok`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import rebuilding, volumes
from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.builtin._spares import all_told, offer, ready
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Controller, Drive, Inventory, Volume
from raidctl.text import listing

SAY = Voice("volume_degraded", "critical")
_TWO = ("raid6", "raid1t", "raid10t")
"""Levels that bear the loss of any two drives."""


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each volume that has a level with redundancy, or says that it is degraded."""
    for card, volume in volumes(inventory):
        if volume.status == "degraded" and not rebuilding(card, volume):
            yield _degraded(card, volume)
        elif volume.status not in ("failed", "offline", "inactive", "unknown"):
            yield SAY.passed(volume, "No drive of the volume is missing without a rebuild.")


def _degraded(card: Controller, volume: Volume) -> Finding:
    missing = _missing(volume)
    left = volume.raid_level in _TWO and missing == 1
    broken = [drive for drive in card.drives if drive.role == "failed" or drive.status == "critical"]
    gone = [drive for drive in broken if drive.array in (None, volume.array)]
    how = f"works without {missing} of its {volume.drives_expected} drives" if missing else "is degraded"
    next_ = (
        "one more may fail, but no more than that." if left else "the next drive that fails may take the data along."
    )
    spare, do = _spare(card, volume)
    return SAY.failed(
        volume,
        f"The volume {how}: {next_}{spare}",
        remedy=f"Check the backup, then {do}replace {_named(gone)} and watch the rebuild begin.",
        severity="warning" if left else None,
        field="status",
        wanted="ok",
        evidence=facts(volume, "status", "status_text", "raid_level", "drives_expected", "drives_active")
        + tuple(fact for drive in gone[:4] for fact in facts(drive, "status", of=volume)),
    )


def _spare(card: Controller, volume: Volume) -> tuple[str, str]:
    """What is said of its spares, and what is to be done with one; nothing where they would not have been told."""
    if not all_told(card, volume):
        return "", ""
    if ready(card, volume):
        return " A spare stands by, but no rebuild has begun.", "look why the spare is not used, or "
    idle = offer(card, volume)
    return " No spare stands by.", f"{idle}, or " if idle else ""


def _missing(volume: Volume) -> int | None:
    """How many drives are gone; None when the tool does not tell."""
    if volume.drives_expected is None or volume.drives_active is None:
        return None
    return max(volume.drives_expected - volume.drives_active, 0) or None


def _named(gone: list[Drive]) -> str:
    return listing(drive.id for drive in gone[:4]) if gone else "the drive that is gone"


RULE = Rule(
    name=SAY.rule,
    title="A volume works without some of its drives, and nothing is rebuilt",
    severity=SAY.severity,
    check=check,
)
