"""A volume is being rebuilt, and has less redundancy or none.

**What it checks.** Volumes that are being rebuilt onto a new or spare drive, and drives that are being rebuilt.

**Why it matters.** A rebuild reads every drive completely and competes with all other I/O: a busy array can lose half
its speed for a day. Until it is complete the volume has less redundancy, or none; and that is when all drives are read
completely and hidden unreadable sectors are found.

**Fails** (critical) when the volume survives no further failure, or the number is unknown; (warning) when it survives
at least one more; (information) while a drive is copied to its replacement and no drive is missing. A queued rebuild
counts. So does a drive that is being rebuilt while no tool reports its volume.

**Passes** when no rebuild is running or queued.

**Unknown:** never. A rebuild that no tool reports cannot be detected.

**How to fix.** Let it finish. Do not remove a drive or restart the machine, and postpone heavy jobs. If the percentage
does not change for hours, check the drives for errors.

**Example.** Fails: `status = rebuilding`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import queued, volumes
from raidctl.audit.builtin.volume_degraded import risk
from raidctl.health.redundancy import in_words
from raidctl.model import Controller, Inventory, Volume
from raidctl.units import format_percent

FINDINGS = RuleFindings("volume_rebuilding", "critical", "A volume is being rebuilt")
_REMEDY = "Let it finish. Do not remove any drive, and postpone heavy jobs."


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose state is known. Each drive that is rebuilt without a volume has one, too."""
    found = FINDINGS.conditions(inventory)
    for controller, volume in volumes(inventory):
        if volume.id in found:
            yield _rebuilding(controller, volume, whole=found[volume.id].severity == "info")
        elif volume.status != "unknown":
            yield FINDINGS.passed(volume, "No rebuild is running.")
    for drive in (drive for controller in inventory.controllers for drive in controller.drives if drive.id in found):
        left = found[drive.id].failures_tolerated
        known = in_words(left) or "survives an unknown number of further failures"
        message = f"The drive is being rebuilt. Until then its volume {known}."
        yield FINDINGS.failed(drive, message, _REMEDY, "status status_text", wants=("status", "ok"))


def _rebuilding(controller: Controller, volume: Volume, *, whole: bool) -> Finding:
    percent = volume.progress.percent if volume.progress else None
    done = f", {format_percent(percent)} done" if percent is not None else ""
    if whole:
        message = (
            f"A drive of the volume is being replaced{done}; no drive is missing. The volume is slower until then."
        )
    else:
        does = "is waiting to be" if _waits(controller, volume) else "is being"
        message = f"The volume {does} rebuilt{done}. Until then it is slower; {risk(volume)}."
    return FINDINGS.failed(
        volume,
        message,
        _REMEDY,
        "status status_text progress.percent drives_active failures_tolerated",
        wants=("status", "ok"),
    )


def _waits(controller: Controller, volume: Volume) -> bool:
    """Whether another rebuild on the same drives comes first."""
    work = volume.progress
    return queued(controller, volume) or (
        work is not None and (work.state == "queued" or (work.operation == "resync" and work.percent is None))
    )
