"""A volume has failed, is offline or not started.

**What it checks.** Volumes that cannot be used.

**Why it matters.** More drives are missing than the RAID level tolerates, or the array was not assembled. Two drives
that disappear at the same moment are rarely two dead drives: usually a cable, a backplane, an expander or a power
supply failed. The data is then still there, and a hasty "initialise" or "create" destroys it.

**Fails** (critical) when the volume has failed or is offline, or is not started because members are missing; (warning)
when it is not started, and no member is known to be missing.

**Passes:** in every other state, degraded included (covered by `volume_degraded`).

**Unknown:** never. Volumes with a state of unknown meaning are covered by `state_unknown`.

**How to fix.** Change nothing on the array. Save the state of each drive (`raidctl record`), check cables and power,
see whether the drives come back, then reassemble the array with the vendor's tool. Have the backup at hand.

**Example.** Fails: `status = failed`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import below, count, other_reason, volumes
from raidctl.audit.builtin._wording import plain
from raidctl.model import Controller, Inventory, Volume
from raidctl.select import family_of

FINDINGS = RuleFindings("volume_failed", "critical", "A volume has failed, is offline or not started")
_REMEDY = (
    "Change nothing on it. Save the evidence (`raidctl record failed.tar.gz`), check cables and power of the missing "
    "drives{}, and only then reassemble it."
)


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose state is known."""
    found = FINDINGS.conditions(inventory)
    for controller, volume in volumes(inventory):
        if volume.id in found:
            yield _broken(controller, volume)
        elif volume.status != "unknown":
            yield FINDINGS.passed(volume, "The volume is usable.")


def _broken(controller: Controller, volume: Volume) -> Finding:
    there = volume.drives_active if volume.drives_active is not None else len(below(controller, volume)) or None
    expected = count(controller, volume)
    are = "is" if there == 1 else "are"
    present = f"; {there} of {expected} drives {are} present" if expected and there and there < expected else ""
    text = plain(volume.status_text)
    detail = f" ({text})" if text and text.lower() != volume.status else ""
    state = {
        "failed": "The volume has failed",
        "offline": "The volume is offline",
        "inactive": "The volume is not started",
    }[volume.status]
    look = ", read them with `mdadm --examine DEVICE`" if family_of(controller) == "md" else ""
    message = f"{state}{detail}{present}: its data cannot be read."
    remedy = other_reason(volume) or _REMEDY.format(look)
    return FINDINGS.failed(
        volume, message, remedy, "status status_text raid_level drives_expected drives_active", wants=("status", "ok")
    )
