"""A volume is being rebuilt: it is slow, and not yet safe again.

**What it looks for.** Volumes that are being rebuilt onto a new or spare drive.

**Why.** A rebuild reads every drive from one end to the other, and competes with everything else: a busy array can
lose half its speed for a day. Until it is done the volume has no, or less, redundancy, and it is just then that all
drives are read in full and hidden unreadable sectors come to light.

**Fails** (warning) while a rebuild is under way; how far it is stands in the message.

**Passes** when none is.

**Cannot tell:** never; a rebuild that the tool does not tell of cannot be seen.

**Remedy.** Let it finish; pull no drive, restart nothing. Heavy jobs that can wait should. If the percentage stands
still for hours, look at the drives' errors.

**Example.** Fails: `status = rebuilding`. Passes: `status = ok`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import rebuilding, volumes
from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Inventory, Volume

SAY = Voice("volume_rebuilding", "warning")


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each volume whose state is known."""
    for card, volume in volumes(inventory):
        if rebuilding(card, volume):
            yield _rebuilding(volume)
        elif volume.status != "unknown":
            yield SAY.passed(volume, "Nothing is rebuilt.")


def _rebuilding(volume: Volume) -> Finding:
    percent = volume.progress.percent if volume.progress else None
    far = f", {percent:g} % done" if percent is not None else ""
    return SAY.failed(
        volume,
        f"The volume is being rebuilt{far}: until then it is slower, and not yet safe again.",
        remedy="Let it finish; pull no drive, and put off heavy jobs.",
        field="status",
        wanted="ok",
        evidence=facts(volume, "status", "status_text", "progress.percent", "drives_active"),
    )


RULE = Rule(name=SAY.rule, title="A volume is being rebuilt", severity=SAY.severity, check=check)
