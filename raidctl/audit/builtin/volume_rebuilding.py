"""A volume is being rebuilt: it is slow, and not yet safe again.

**What it looks for.** Volumes that are being rebuilt onto a new or spare drive.

**Why.** A rebuild reads every drive from one end to the other, and competes with everything else: a busy array can
lose half its speed for a day. Until it is done the volume has no, or less, redundancy, and it is just then that all
drives are read in full and hidden unreadable sectors come to light.

**Fails** (warning) while a rebuild is under way, or waits for its turn; how far it is stands in the message. As
information while a drive is copied onto its replacement and no drive is missing: slow, but safe.

**Passes** when none is.

**Cannot tell:** never; a rebuild that the tool does not tell of cannot be seen.

**Remedy.** Let it finish; pull no drive, restart nothing. Heavy jobs that can wait should. If the percentage stands
still for hours, look at the drives' errors.

**Example.** Fails: `status = rebuilding`. Passes: `status = ok`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import queued, rebuilding, volumes
from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Controller, Inventory, Volume

SAY = Voice("volume_rebuilding", "warning")


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each volume whose state is known."""
    for card, volume in volumes(inventory):
        if rebuilding(card, volume):
            yield _rebuilding(card, volume)
        elif volume.status != "unknown":
            yield SAY.passed(volume, "Nothing is rebuilt.")


def _rebuilding(card: Controller, volume: Volume) -> Finding:
    percent = volume.progress.percent if volume.progress else None
    far = f", {percent:g} % done" if percent is not None else ""
    told = volume.drives_expected is not None and volume.status == "rebuilding"
    whole = told and volume.drives_active == volume.drives_expected
    if whole:
        message = f"A drive of the volume is being replaced{far}: it is slower until then, and no drive is missing."
    else:
        does = "waits to be" if _waits(card, volume) else "is being"
        message = f"The volume {does} rebuilt{far}: until then it is slower, and not yet safe again."
    return SAY.failed(
        volume,
        message,
        severity="info" if whole else None,
        remedy="Let it finish; pull no drive, and put off heavy jobs.",
        field="status",
        wanted="ok",
        evidence=facts(volume, "status", "status_text", "progress.percent", "drives_active"),
    )


def _waits(card: Controller, volume: Volume) -> bool:
    """Whether another rebuild comes first: of the same drives, or of an array that md works on before."""
    work = volume.progress
    return queued(card, volume) or (work is not None and work.operation == "resync" and work.percent is None)


RULE = Rule(name=SAY.rule, title="A volume is being rebuilt", severity=SAY.severity, check=check)
