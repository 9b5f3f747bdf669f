"""A background operation is under way and slows the volume down.

**What it looks for.** Volumes that are checked, initialised, expanded or migrated now, and drives that are erased,
copied or rebuilt, or belong to another configuration.

**Why.** The answer to "why is it slow tonight" is often the monthly check, which reads every drive from end to end, or
the first computation of parity after an installation. It is meant to be so, and ends by itself. While parity is being
initialised for the first time, writes are slower than they will ever be again: no time for a benchmark.

**Fails** (information) while one is under way, with its progress where it is reported; (warning) when one
failed. Rebuilds are `volume_rebuilding`.

**Passes** when none is.

**Cannot tell:** what the tool does not tell of cannot be seen.

**Remedy.** Wait; measure afterwards. If it always comes at a bad time, move its schedule.

**Example.** Fails: `status = checking`. Passes: `progress = null`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import plain, rebuilding, volumes
from raidctl.health.redundancy import being_rebuilt
from raidctl.model import Inventory, Volume

FINDINGS = RuleFindings("background_operation", "warning", "A background operation slows a volume down")
_WORDS = {
    "check": "checked",
    "repair": "checked and repaired",
    "resync": "brought into agreement",
    "reshape": "reshaped",
    "initialize": "initialised",
    "expand": "expanded",
    "migrate": "migrated",
    "parity": "given its parity",
    "unknown": "worked on",
}
_STATES = {"checking": "check", "initializing": "initialize", "expanding": "expand", "migrating": "migrate"}


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose state is known and that is not being rebuilt."""
    for card, volume in volumes(inventory):
        if volume.status == "unknown" or rebuilding(card, volume):
            continue
        operation = volume.progress.operation if volume.progress else _STATES.get(volume.status)
        if operation in _WORDS:
            yield _busy(volume, operation or "")
        elif operation is None:
            yield FINDINGS.passed(volume, "No background operation is under way.")
    found = FINDINGS.conditions(inventory)
    for drive in (drive for card in inventory.controllers for drive in card.drives if drive.id in found):
        message = (
            f"The drive is {'being rebuilt' if being_rebuilt(drive) else 'not in normal use'}"
            f" ({plain(drive.status_text) or drive.status})."
        )
        remedy = "Wait, or finish what was begun with the drive."
        yield FINDINGS.failed(drive, message, remedy, "status status_text role", wants=("status", "ok"))


def _busy(volume: Volume, operation: str) -> Finding:
    percent = volume.progress.percent if volume.progress else None
    far = f" ({percent:g} % done)" if percent is not None else ""
    waits = " or waits for that" if percent is None and volume.progress else ""
    message = f"The volume is being {_WORDS[operation]}{far}{waits}: it is slower until that is done."
    remedy = "Wait, and measure afterwards."
    return FINDINGS.failed(
        volume, message, remedy, "status progress.operation progress.percent", severity="info", wants=("status", None)
    )
