"""A volume is failed, offline or was not started.

**What it looks for.** Volumes that cannot be used now.

**Why.** More drives are gone than the RAID level bears, or the array was not put together. Two drives that vanish at
the same moment are hardly ever two dead drives: a cable, a backplane, an expander or a power supply took them. The
data is then still there, and lost by a hasty "initialise" or "create".

**Fails** (critical) when the volume is failed or offline, or not started because members are missing; (warning) when it
is not started, and no member is known to be missing.

**Passes** in every other state, degraded included: `volume_degraded` speaks of that.

**Cannot tell:** see `state_unknown`.

**Remedy.** Change nothing on the array. Keep the state of each drive (`raidctl record`), check cabling and power, see
whether the drives come back, then reassemble the array with the vendor's tool. Have the backup at hand.

**Example.** Fails: `status = failed`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import below, count, plain, volumes
from raidctl.model import Controller, Inventory, Volume

FINDINGS = RuleFindings("volume_failed", "critical", "A volume is failed, offline or not started")
_REMEDY = (
    "Change nothing on it. Keep the evidence (`raidctl record failed.tar.gz`), check cables and power of the missing "
    "drives{}, and only then reassemble it."
)


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose state is known."""
    found = FINDINGS.conditions(inventory)
    for card, volume in volumes(inventory):
        if volume.id in found:
            yield _broken(card, volume)
        elif volume.status != "unknown":
            yield FINDINGS.passed(volume, "The volume can be used.")


def _broken(card: Controller, volume: Volume) -> Finding:
    there = volume.drives_active if volume.drives_active is not None else len(below(card, volume)) or None
    expected = count(card, volume)
    are = "is" if there == 1 else "are"
    few = f"; {there} of its {expected} drives {are} there" if expected and there and there < expected else ""
    text = plain(volume.status_text)
    told = f" ({text})" if text and text.lower() != volume.status else ""
    said = {
        "failed": "The volume has failed",
        "offline": "The volume is offline",
        "inactive": "The volume is not started",
    }[volume.status]
    look = ", look at them with `mdadm --examine`" if card.mode == "software" else ""
    message = f"{said}{told}{few}: what is on it cannot be read now."
    remedy = _REMEDY.format(look)
    return FINDINGS.failed(
        volume, message, remedy, "status status_text raid_level drives_expected drives_active", wants=("status", "ok")
    )
