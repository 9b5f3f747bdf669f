"""A volume is degraded and no rebuild is running.

**What it checks.** Degraded volumes, and how many more drive failures they survive.

**Why it matters.** A degraded mirror or RAID-5 has no redundancy: the next drive failure, or a single unreadable
sector during the rebuild, loses data. The drives of an array have the same age and load, so a second failure is more
likely than chance suggests. Parity volumes are also slow: every read from the missing drive reads all others.

**Fails** (critical) when the volume survives no further failure, or the number is unknown; (warning) when it survives
at least one more (RAID-6 and triple mirrors with one missing drive). A volume that its tool reports as ok fails, too,
if fewer members work than it has, and no failed or rebuilding member explains it.

**Passes** when the volume is complete, or a rebuild is running or queued behind another volume on the same drives
(covered by `volume_rebuilding`).

**Unknown:** never. Volumes with a state of unknown meaning are covered by `state_unknown`.

**How to fix.** Make sure that the backup is current, replace the missing drive (`raidctl show` lists it), and check
that the rebuild starts. If an unassigned drive fits, make it a spare, and the rebuild starts immediately. If a spare
is available but no rebuild has started, check the controller's event log for the reason.

**Example.** Fails: `status = degraded`. Passes: `status = ok`.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts, named, pull_check
from raidctl.audit.builtin._queries import other_reason, volumes
from raidctl.audit.builtin._wording import plain
from raidctl.health.missing_members import shortage
from raidctl.health.redundancy import NOT_WHOLE, below, is_degraded, survives
from raidctl.health.spares import all_reported, offer, ready
from raidctl.model import Controller, Drive, Inventory, Volume, has_failed
from raidctl.text import listing

FINDINGS = RuleFindings("volume_degraded", "critical", "A volume is degraded and no rebuild is running")


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose state is known."""
    found = FINDINGS.conditions(inventory)
    for controller, volume in volumes(inventory):
        if volume.id in found:
            yield _degraded(inventory, controller, volume) if volume.status in NOT_WHOLE else _short(controller, volume)
        elif volume.status not in ("failed", "offline", "inactive", "unknown"):
            yield FINDINGS.passed(volume, "No drive of the volume is missing, or a rebuild is running.")


def _degraded(inventory: Inventory, controller: Controller, volume: Volume) -> Finding:
    missing = _missing(volume)
    broken = [drive for drive in controller.drives if has_failed(drive)]
    gone = [drive for drive in broken if drive.array in (None, volume.array)]
    gone = gone or [drive for drive in below(controller, volume) if is_degraded(controller, drive)]
    how = f"is degraded: {missing} of {volume.drives_expected} drives missing" if missing else "is degraded"
    other = None if gone or missing else other_reason(volume)
    if other:
        message = f"The volume {how} ({plain(volume.status_text)}); {risk(volume)}."
        return FINDINGS.failed(volume, message, other, "status status_text raid_level", wants=("status", "ok"))
    spare, do = _spare(controller, volume)
    drives = listing(named(drive) for drive in gone[:4]) if gone else "the missing drive"
    return FINDINGS.failed(
        volume,
        f"The volume {how}; {risk(volume)}.{spare}",
        f"Check the backup, then {do}replace {drives}{_with(controller, volume, gone)} and check that the rebuild "
        "starts."
        f"{pull_check(inventory, gone[0]) if len(gone) == 1 and not _vanished(controller, gone) else ''}",
        "status status_text raid_level drives_expected drives_active",
        wants=("status", "ok"),
        more=tuple(fact for drive in gone[:4] for fact in facts(drive, "status", of=volume)),
    )


def _short(controller: Controller, volume: Volume) -> Finding:
    """The finding about a volume that lacks a member although its tool reports it as ok."""
    return FINDINGS.failed(
        volume,
        f"The volume is {shortage(controller, volume)}; {risk(volume)}.",
        f"Check the backup, and find the missing member: `raidctl show {volume.id}`. Replace it, and check that the "
        "rebuild starts.",
        "status status_text raid_level drives_expected drives_active",
        wants=("drives_active", str(volume.drives_expected)),
    )


def _missing(volume: Volume) -> int:
    """The number of drives that are missing by the volume's own counts; 0 if it has none."""
    return max((volume.drives_expected or 0) - volume.drives_active, 0) if volume.drives_active else 0


def _vanished(controller: Controller, gone: Sequence[Drive]) -> bool:
    """Whether the drives are images of LVM whose devices are missing: none can be pulled."""
    return controller.id == "lvm" and bool(gone) and not any(drive.device for drive in gone)


def _with(controller: Controller, volume: Volume, gone: Sequence[Drive]) -> str:
    """The command that replaces a member of a software array.

    The member is a drive, or the one that the array lacks.
    """
    if _vanished(controller, gone):
        group, _, name = volume.id.removeprefix("lvm:").partition("/")
        group = group or "VG"  # a list of lvs without groups
        return f", add the new drive (`vgextend {group} DEVICE`), rebuild with `lvconvert --repair {group}/{name}`"
    container = "container" in volume.details
    if controller.mode != "software" or not (volume.device or "").startswith("/dev/md") or container:
        return ""
    missing = _missing(volume)
    if len(gone) == 1 and missing <= 1:
        return f" with `raidctl replace {shlex.quote(gone[0].id)}`"
    if missing == 1 and not gone:
        return f" with `raidctl replace {shlex.quote(volume.id)}`"
    return f", add the new one (`mdadm --manage {volume.device} --add DEVICE`)"


def risk(volume: Volume) -> str:
    """What the next failure does, as a clause without a subject."""
    left = survives(volume)
    if not left:
        return "how many more failures it survives is unknown: the next one may lose the data"
    return f"it {left}{'' if volume.failures_tolerated else ': the next one loses the data'}"


def _spare(controller: Controller, volume: Volume) -> tuple[str, str]:
    """A sentence about its spares, and what to do with one. Both are empty if no tool would list them."""
    if not all_reported(controller, volume):
        return "", ""
    if volume.progress is not None:
        return "", ""  # a reshape or expansion comes before the rebuild
    if ready(controller, volume):
        return " A spare is available, but no rebuild has started.", "find out why the spare is not used, or "
    idle = offer(controller, volume)
    return " No spare is available.", f"{idle}, or " if idle else ""
