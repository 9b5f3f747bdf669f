"""An NVMe drive reports a critical warning.

**What it checks.** The bits of the critical warning, and the available spare blocks. Wear is covered by `ssd_worn`.

**Why it matters.** Each bit has its own meaning: a drive that is only too hot needs cooling, a read-only one has
failed, and one whose volatile memory backup failed can lose acknowledged writes at the next power failure.

**Fails** (warning) for any bit, and when the spare blocks are below the drive's threshold; (critical) when the drive
is read-only.

**Passes** when no bit is set and the spare blocks are above the threshold.

**Unknown** when the drive was not queried or did not respond. Controllers' tools report none of this, so their drives
are not checked.

**How to fix.** Too hot: improve cooling. Everything else: check the backup and replace the drive.

**Example.** Fails: `critical_warning = 1`, `available_spare_percent = 8`. Passes: `critical_warning = 0`.
"""

from __future__ import annotations

from msgspec import structs

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import drives
from raidctl.health.judge import judge
from raidctl.health.nvme_warnings import HOT, READ_ONLY, WORDS
from raidctl.model import Drive, Inventory
from raidctl.text import listing

FINDINGS = RuleFindings("nvme_health", "critical", "An NVMe drive reports a critical warning")
_ABOVE = ("drive_failed", "drive_expects_failure", "background_operation")


def check(inventory: Inventory) -> Findings:
    """One finding for each NVMe drive that the kernel sees.

    Behind a controller or a USB bridge, drives have one if they report the warning or their spare blocks.
    """
    whole = {one.where: one for one in judge(inventory) if one.rule in _ABOVE}
    for _, drive in drives(inventory):
        seen = drive.device is not None and inventory.host.hostname is not None
        reported = (drive.critical_warning, drive.available_spare_percent) != (None, None)
        if reported or (drive.interface == "nvme" and seen):
            found, above = _judge(drive), whole.get(drive.id)
            # the finding about the drive as a whole has the same cause, and is at least as severe
            yield found if above is None else structs.replace(found, because=f"{above.rule} {drive.id}")


def _judge(drive: Drive) -> Finding:
    bits, spare, least = drive.critical_warning, drive.available_spare_percent, drive.available_spare_threshold_percent
    short = spare is not None and least is not None and spare < least
    evidence = facts(
        drive, "critical_warning", "available_spare_percent", "available_spare_threshold_percent", "serial"
    )
    if not bits and not short:
        if bits is None:
            return FINDINGS.unknown(
                drive, "The critical warning of the drive is unknown.", severity="info", more=evidence
            )
        return FINDINGS.passed(drive, "The drive reports no critical warning.")
    words = [text for bit, text in enumerate(WORDS) if ((bits or 0) | short) >> bit & 1]
    return FINDINGS.failed(
        drive,
        f"The NVMe drive reports a critical warning: {listing(words) or bits}.",
        "Improve the cooling." if bits == HOT else "Check the backup, and replace the drive.",
        severity=None if (bits or 0) & READ_ONLY else "warning",
        wants=("critical_warning" if bits else "available_spare_percent", "0" if bits else f"at least {least}"),
        more=evidence,
    )
