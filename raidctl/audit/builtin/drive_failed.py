"""A drive has failed, is missing or offline.

**What it checks.** Drives whose status is critical, or that the controller has dropped from an array.

**Why it matters.** Often only the controller shows it: with a hot spare the volume is complete again after a night, the
LED blinks, and there is no spare left for the next failure.

**Fails** (critical) when its volume survives no further failure, when it is unknown what the volume survives, or no
tool reports the volume; (warning) when it survives one more, or when no volume needs the drive now (a spare has taken
over, or it was in no array).

**Passes** when the status of the drive is ok or a warning (covered by `drive_expects_failure`).

**Unknown:** never. Drives with a state of unknown meaning are covered by `state_unknown`.

**How to fix.** Replace it. First check that it may be pulled now, and which bay it is in: `raidctl replace DRIVE
--check` prints both, and the serial number on its label. Then make sure that a spare is available again.

**Example.** Fails: `status = critical`. Passes: `status = ok`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, counters, place, pull_check
from raidctl.audit.builtin._wording import plain
from raidctl.health.judge import REDUCED, Condition
from raidctl.health.missing_members import volumes_lacking
from raidctl.health.redundancy import held_journal, in_words, least_redundant
from raidctl.model import Controller, Drive, Inventory
from raidctl.select import family_of

FINDINGS = RuleFindings("drive_failed", "critical", "A drive has failed, is missing or offline")


def check(inventory: Inventory) -> Findings:
    """One finding for each drive whose status is known. Members of software RAID are included."""
    found = FINDINGS.conditions(inventory)
    for controller, drive in ((one, drive) for one in inventory.controllers for drive in one.drives):
        if drive.id in found:
            yield _failed(inventory, controller, drive, found[drive.id])
        elif drive.status != "unknown":
            yield FINDINGS.passed(drive, "The drive works.")


def _failed(inventory: Inventory, controller: Controller, drive: Drive, one: Condition) -> Finding:
    text = plain(drive.status_text)
    lacks = volumes_lacking(controller, drive) if one.rank == REDUCED and one.under is None else []
    idle = one.rank == REDUCED and one.under is None and not lacks
    left = in_words(least_redundant(lacks))
    where = f" ({place(drive)})" if place(drive) else ""
    message = (
        f"The drive{f' in bay {drive.bay}' if drive.bay else ''} has failed or is missing{f' ({text})' if text else ''}"
        + ("; no volume needs it now." if idle else f"; its volume {left}." if left else ".")
    )
    if held_journal(controller, drive):
        message = (
            f"The journal of the array has failed or is missing{f' ({text})' if text else ''}: it takes no writes."
        )
    remedy = f"Replace it{where}{'.' if idle else ' and check that the rebuild starts.'}{pull_check(inventory, drive)}"
    if family_of(controller) == "drives":
        remedy = f"Copy what can still be read from it, and replace it{where}.{pull_check(inventory, drive)}"
    evidence = counters(drive)
    return FINDINGS.failed(
        drive, message, remedy, "status status_text role serial", wants=("status", "ok"), more=evidence
    )
