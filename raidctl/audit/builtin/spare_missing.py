"""No suitable spare is available for an array.

**What it checks.** Large parity arrays without a suitable spare (see `spare_unfit`).

**Why it matters.** With a spare a rebuild starts within a minute; without one it starts when somebody has noticed,
ordered a drive and driven to the machine, often after the weekend. Until then the array has less redundancy, or none.

**Fails** (information) when a parity array of six or more drives has no suitable spare, and when an array has one but
the controller's automatic rebuild is off. A missing spare of a degraded volume is part of `volume_degraded`.

**Passes** when a suitable spare is available, and for smaller arrays. Volumes that are not complete are not checked.

**Unknown:** never. Unknown sizes and types are not compared; arrays whose drives are not reported are not checked.

**How to fix.** Make an unassigned drive a spare with the vendor's tool (a global one covers all arrays; md:
`raidctl spare add`), or insert one.

**Example.** Fails: a RAID-6 of eight drives without a drive with `role = spare`. Passes: one drive with
`role = spare`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import NOT_WHOLE, PARITY, REDUNDANT, below
from raidctl.health.spares import all_reported, offer, ready
from raidctl.model import Controller, Inventory, Volume
from raidctl.model.automatic_rebuild import no_automatic_rebuild
from raidctl.select import family_of
from raidctl.text import capitalised, counted

FINDINGS = RuleFindings("spare_missing", "info", "No spare is available")
_MANY = 6


def check(inventory: Inventory) -> Findings:
    """One finding for each complete, redundant volume whose drives are known."""
    for controller in inventory.controllers:
        for volume in controller.volumes:
            if volume.raid_level in REDUNDANT and volume.status not in NOT_WHOLE and all_reported(controller, volume):
                yield _volume(controller, volume)


def _volume(controller: Controller, volume: Volume) -> Finding:
    if ready(controller, volume):
        if no_automatic_rebuild(controller):
            message = "Automatic rebuild is off: a rebuild onto the spare has to be started by hand."
            return FINDINGS.failed(volume, message, "Turn automatic rebuild on with the controller's tool.", "array")
        return FINDINGS.passed(volume, "A spare is available.")
    drives = below(controller, volume)
    if volume.raid_level not in PARITY or len(drives) < _MANY:
        return FINDINGS.passed(volume, "No spare is available; the rule asks for none here.")
    do = offer(controller, volume) or "insert a drive and make it a spare"
    if family_of(controller) == "md":
        do += f' (with "raidctl spare add", for {volume.id})'
    message = f"No spare for the {counted(len(drives), 'drive')} of the volume: a rebuild cannot start automatically."
    return FINDINGS.failed(volume, message, f"{capitalised(do)}.", "raid_level array")
