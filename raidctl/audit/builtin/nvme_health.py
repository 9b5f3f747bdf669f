"""An NVMe drive warns of its own state.

**What it looks for.** The bits of the critical warning, and the spare blocks that are left. How much of its endurance
is used is the matter of `ssd_worn`.

**Why.** Each bit has its own meaning: a drive that is only too hot needs air, one that is read-only has failed, and one
whose backup of volatile memory failed can lose acknowledged writes at the next power failure.

**Fails** (warning) for any bit, and when fewer spare blocks are left than the drive's own threshold. Critical when the
drive is read-only.

**Passes** when no bit is set and enough spare blocks are left.

**Cannot tell** when the drive was not asked, or did not answer. Tools of controllers report none of it: their drives
are passed over.

**Remedy.** Too hot: air. Everything else: check the backup and replace the drive.

**Example.** Fails: `critical_warning = 1`, `available_spare_percent = 8`. Passes: `critical_warning = 0`.
"""

from __future__ import annotations

from msgspec import structs

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import drives
from raidctl.health.judge import judge
from raidctl.model import Drive, Inventory
from raidctl.text import listing

FINDINGS = RuleFindings("nvme_health", "critical", "An NVMe drive warns of its own state")
_HOT, _READ_ONLY = 0x2, 0x8
_BITS = (
    "fewer spare blocks than its threshold", "its temperature is out of range", "its reliability is degraded",
    "it is read-only", "the backup of its volatile memory failed", "its persistent memory is unreliable",
)  # fmt: skip


def check(inventory: Inventory) -> Findings:
    """One finding for each NVMe drive that the system sees itself, and for those behind a controller that report it."""
    whole = {one.where: one for one in judge(inventory) if one.rule in ("drive_failed", "drive_expects_failure")}
    for _, drive in drives(inventory):
        seen = drive.device is not None and inventory.host.hostname is not None
        if drive.interface == "nvme" and (drive.critical_warning is not None or seen):
            found, above = _judge(drive), whole.get(drive.id)
            # what the drive as a whole is judged to be has the same cause, and is no milder
            yield found if above is None else structs.replace(found, because=f"{above.rule} {drive.id}")


def _judge(drive: Drive) -> Finding:
    bits, spare, least = drive.critical_warning, drive.available_spare_percent, drive.available_spare_threshold_percent
    short = spare is not None and least is not None and spare < least
    evidence = facts(
        drive, "critical_warning", "available_spare_percent", "available_spare_threshold_percent", "serial"
    )
    if not bits and not short:
        if bits is None:
            return FINDINGS.unknown(drive, "Its critical warning is unknown.", severity="info", more=evidence)
        return FINDINGS.passed(drive, "The drive warns of nothing.")
    words = [text for bit, text in enumerate(_BITS) if ((bits or 0) | short) >> bit & 1]
    return FINDINGS.failed(
        drive,
        f"The NVMe drive warns: {listing(words) or f'critical warning {bits}'}.",
        "Give it air." if bits == _HOT else "Check the backup, and replace the drive.",
        severity=None if (bits or 0) & _READ_ONLY else "warning",
        wants=("critical_warning" if bits else "available_spare_percent", "0" if bits else f"at least {least}"),
        more=evidence,
    )
