"""A background operation is running, or a drive cannot be used normally.

**What it checks.** Volumes that are being checked, initialised, expanded or migrated, and drives that are being
erased, copied or rebuilt, that belong to a foreign configuration, that are too hot, that are locked by a key, that the
controller does not accept as genuine, or to which a write of md or LVM has failed.

**Why it matters.** "Why is it slow tonight?" is often answered by the monthly check, which reads every drive from end
to end, or by the first parity initialisation after an installation. Both are normal and end without intervention.
During parity initialisation writes are slower than later: not the time for a benchmark.

**Fails** (information) while an operation is running, with its progress if reported, and while parity is not complete
although nothing is running that completes it; (warning) when one has failed, and for a drive that is too hot, locked,
foreign, not accepted, or lacks a write. `volume_rebuilding` covers rebuilds.

**Passes** when none is running.

**Unknown:** never. An operation that the tool does not report cannot be detected.

**How to fix.** An operation: wait, and measure afterwards; if it always runs at a bad time, change its schedule. Parity
that nothing completes: `raidctl check start VOLUME`. A drive that is foreign, locked, too hot, not accepted as genuine,
or lacks a write: follow the remedy of the finding; waiting does not help.

**Example.** Fails: `status = checking`. Passes: `progress = null`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import rebuilding, volumes
from raidctl.audit.builtin._wording import plain
from raidctl.health.redundancy import (
    being_copied,
    being_rebuilt,
    locked,
    not_accepted,
    reported_foreign,
    too_hot,
    write_failed,
)
from raidctl.model import Drive, Inventory, Volume
from raidctl.model.task import needs_check
from raidctl.units import format_percent

FINDINGS = RuleFindings(
    "background_operation", "warning", "A background operation is running, or a drive cannot be used normally"
)
_WORDS = {
    "check": "checked",
    "repair": "checked and repaired",
    "resync": "resynchronised",
    "reshape": "reshaped",
    "initialize": "initialised",
    "expand": "expanded",
    "migrate": "migrated",
    "parity": "initialised with parity",
    "unknown": "processed in the background",
}
_STATES = {"checking": "check", "initializing": "initialize", "expanding": "expand", "migrating": "migrate"}


def check(inventory: Inventory) -> Findings:
    """One finding for each volume in a known state without a rebuild."""
    for controller, volume in volumes(inventory):
        if volume.status == "unknown" or rebuilding(controller, volume):
            continue
        operation = volume.progress.operation if volume.progress else _STATES.get(volume.status)
        if operation in _WORDS:
            yield _busy(volume, operation or "")
        elif operation is None:
            yield FINDINGS.passed(volume, "No background operation is running.")
    found = FINDINGS.conditions(inventory)
    for drive in (drive for controller in inventory.controllers for drive in controller.drives if drive.id in found):
        message, remedy = _of_drive(drive)
        yield FINDINGS.failed(drive, message, remedy, "status status_text role", wants=("status", "ok"))


def _of_drive(drive: Drive) -> tuple[str, str]:
    """What a drive that is not in normal use does, and the remedy."""
    text = plain(drive.status_text)
    if too_hot(drive):
        return f"The drive reports that it is too hot ({text}).", "Check fans, filters, empty bays and the room."
    if not_accepted(drive):
        remedy = "Reseat it; if that does not help, use a drive that the controller supports."
        return f"The controller does not accept the drive as genuine ({text}).", remedy
    if locked(drive):
        remedy = "Enter the key that it was locked with; replacing it would not bring its data back."
        return f"The drive is locked: its data cannot be read without its key ({text}).", remedy
    if reported_foreign(drive):
        remedy = "Find out where it comes from; importing the configuration keeps its data, clearing deletes it."
        return f"The drive holds a foreign configuration ({text}); no volume uses it.", remedy
    if write_failed(drive):
        remedy = "Read the kernel's log (`raidctl events`), check the cable, and replace the drive if errors recur."
        return f"A write to the drive has failed ({text}): it may lack new data.", remedy
    what = "The drive is not in normal use"
    if being_copied(drive):
        what = "Data of another drive is copied onto the drive"
    elif being_rebuilt(drive):
        what = "The drive is being rebuilt"
    return f"{what} ({text or drive.status}).", "Wait, or complete the operation that was started on the drive."


def _busy(volume: Volume, operation: str) -> Finding:
    percent = volume.progress.percent if volume.progress else None
    done = f" ({format_percent(percent)} done)" if percent is not None else ""
    state = volume.progress.state if volume.progress else None
    if needs_check(volume.progress):
        message = f"The parity of the volume is not complete{done}, and nothing is running that completes it."
    elif state in ("queued", "paused"):
        held = "waits to be" if state == "queued" else "is paused while it is being"
        message = f"The volume {held} {_WORDS[operation]}{done}: it is slower while this runs."
    else:
        queued = ", or is queued for it" if percent is None and volume.progress and state is None else ""
        message = f"The volume is being {_WORDS[operation]}{done}{queued}: it is slower until this is complete."
    remedy = "Wait for it to finish before measuring performance."
    if needs_check(volume.progress):
        remedy = f"A consistency check completes it, if the controller has one: `raidctl check start {volume.id}`."
    text = (volume.status_text or "").lower()
    if state == "queued" and ("read-only" in text or "pending" in text) and (volume.device or "").startswith("/dev/md"):
        remedy = f"To start it now: `mdadm --readwrite {volume.device}`."
    return FINDINGS.failed(
        volume, message, remedy, "status progress.operation progress.percent", severity="info", wants=("status", None)
    )
