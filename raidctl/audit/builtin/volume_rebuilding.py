"""A volume is being rebuilt: it is slow, and has less redundancy, or none.

**What it looks for.** Volumes that are being rebuilt onto a new or spare drive, and drives that are being rebuilt.

**Why.** A rebuild reads every drive from one end to the other, and competes with everything else: a busy array can
lose half its speed for a day. Until it is done the volume has no, or less, redundancy, and it is just then that all
drives are read in full and hidden unreadable sectors come to light.

**Fails** while a rebuild is under way, or waits for its turn: (critical) when the volume survives no further failure,
or it is unknown how many, (warning) when it survives at least one more, (information) while a drive is copied onto its
replacement and no drive is missing. Also of a drive that is being rebuilt while no tool reports its volume.

**Passes** when none is.

**Cannot tell:** never; a rebuild that no tool reports cannot be seen.

**Remedy.** Let it finish; pull no drive, restart nothing. Heavy jobs that can wait should. If the percentage does not
change for hours, look at the drives' errors.

**Example.** Fails: `status = rebuilding`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import queued, volumes
from raidctl.audit.builtin.volume_degraded import risk
from raidctl.health.redundancy import in_words
from raidctl.model import Controller, Inventory, Volume

FINDINGS = RuleFindings("volume_rebuilding", "critical", "A volume is being rebuilt")
_REMEDY = "Let it finish; pull no drive, and put off heavy jobs."


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose state is known, and for each drive that is rebuilt without a volume."""
    found = FINDINGS.conditions(inventory)
    for card, volume in volumes(inventory):
        if volume.id in found:
            yield _rebuilding(card, volume, whole=found[volume.id].severity == "info")
        elif volume.status != "unknown":
            yield FINDINGS.passed(volume, "Nothing is rebuilt.")
    for drive in (drive for card in inventory.controllers for drive in card.drives if drive.id in found):
        left = found[drive.id].failures_tolerated
        known = in_words(left) or "survives an unknown number of further failures"
        message = f"The drive is being rebuilt. Until then its volume {known}."
        yield FINDINGS.failed(drive, message, _REMEDY, "status status_text", wants=("status", "ok"))


def _rebuilding(card: Controller, volume: Volume, *, whole: bool) -> Finding:
    percent = volume.progress.percent if volume.progress else None
    far = f", {percent:g} % done" if percent is not None else ""
    if whole:
        message = f"A drive of the volume is being replaced{far}: it is slower until then, and no drive is missing."
    else:
        does = "waits to be" if _waits(card, volume) else "is being"
        message = f"The volume {does} rebuilt{far}. Until then it is slower{risk(volume)}."
    return FINDINGS.failed(
        volume,
        message,
        _REMEDY,
        "status status_text progress.percent drives_active failures_tolerated",
        wants=("status", "ok"),
    )


def _waits(card: Controller, volume: Volume) -> bool:
    """Whether another rebuild comes first: of the same drives, or of an array that md works on before."""
    work = volume.progress
    return queued(card, volume) or (work is not None and work.operation == "resync" and work.percent is None)
