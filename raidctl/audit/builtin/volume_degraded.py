"""A volume works without some of its drives, and nothing is being rebuilt.

**What it looks for.** Degraded volumes, and how many more drive failures they survive.

**Why.** A degraded mirror or RAID-5 has no second copy: the next drive that fails, or a single unreadable sector
while rebuilding, loses data. Drives of one array were bought and stressed together, so the second failure comes
sooner than chance would have it. Parity volumes are slow besides: each read of the missing drive reads all others.

**Fails** (critical) when the volume survives no further failure, or it is unknown how many; (warning) where it survives
at least one more (RAID-6 and triple mirrors that miss one drive).

**Passes** when the volume is whole, or a rebuild is under way, or waits until another volume on the same drives is
rebuilt: `volume_rebuilding` describes that.

**Cannot tell:** see `state_unknown`.

**Remedy.** Make sure that the backup is current, replace the missing drive (`raidctl show` names it), and watch
that the rebuild begins. An unassigned drive that fits can be made a spare: then it begins at once. Where a spare is
ready and no rebuild began, the tool's log may contain why the controller passed it over.

**Example.** Fails: `status = degraded`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts, named
from raidctl.audit.builtin._queries import volumes
from raidctl.audit.builtin._spares import all_told, offer, ready
from raidctl.health.redundancy import survives
from raidctl.model import Controller, Inventory, Volume
from raidctl.text import listing

FINDINGS = RuleFindings(
    "volume_degraded", "critical", "A volume works without some of its drives, and nothing is rebuilt"
)


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose state is known."""
    found = FINDINGS.conditions(inventory)
    for card, volume in volumes(inventory):
        if volume.id in found:
            yield _degraded(card, volume)
        elif volume.status not in ("failed", "offline", "inactive", "unknown"):
            yield FINDINGS.passed(volume, "No drive of the volume is missing without a rebuild.")


def _degraded(card: Controller, volume: Volume) -> Finding:
    missing = max((volume.drives_expected or 0) - (volume.drives_active or 0), 0) if volume.drives_active else 0
    broken = [drive for drive in card.drives if drive.role == "failed" or drive.status == "critical"]
    gone = [drive for drive in broken if drive.array in (None, volume.array)]
    how = f"works without {missing} of its {volume.drives_expected} drives" if missing else "is degraded"
    spare, do = _spare(card, volume)
    drives = listing(named(drive) for drive in gone[:4]) if gone else "the missing drive"
    return FINDINGS.failed(
        volume,
        f"The volume {how}{risk(volume)}.{spare}",
        f"Check the backup, then {do}replace {drives}{_add(card, volume)} and watch the rebuild begin.",
        "status status_text raid_level drives_expected drives_active",
        wants=("status", "ok"),
        more=tuple(fact for drive in gone[:4] for fact in facts(drive, "status", of=volume)),
    )


def _add(card: Controller, volume: Volume) -> str:
    """The command with which a software array takes the new drive."""
    container = "container" in volume.details
    if card.mode != "software" or not volume.device or container:
        return ""
    return f", add the new one (`mdadm --manage {volume.device} --add DEVICE`)"


def risk(volume: Volume) -> str:
    """What the next failure does, behind the first half of a sentence."""
    left = survives(volume)
    if not left:
        return ", and no tool reports what it survives: the next drive failure may lose the data"
    return f" and {left}{'' if volume.failures_tolerated else ': the next one loses the data'}"


def _spare(card: Controller, volume: Volume) -> tuple[str, str]:
    """What is known of its spares, and what to do with one; nothing where no tool would have listed them."""
    if not all_told(card, volume):
        return "", ""
    if volume.progress is not None:
        return "", ""  # a reshape or expansion comes before the rebuild
    if ready(card, volume):
        return " A spare is ready, but no rebuild has begun.", "find out why the spare is not used, or "
    idle = offer(card, volume)
    return " No spare is ready.", f"{idle}, or " if idle else ""
