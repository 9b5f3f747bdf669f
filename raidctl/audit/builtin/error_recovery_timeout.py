"""A drive of a software RAID tries longer to read a bad sector than the kernel waits for it.

**What it looks for.** Disks below md arrays with redundancy: their time limit for error recovery (SCT ERC, also called
TLER) against the kernel's command timeout (`/sys/block/sdX/device/timeout`, 30 seconds unless changed).

**Why.** A desktop disk tries for two minutes and more to read a bad sector. After 30 seconds the kernel gives up and
resets the drive, which answers nothing while it still tries; md takes that for a dead drive and drops it. Many arrays
are lost this way during a rebuild, over a single bad sector that md would have repaired from the other drives.

**Fails** (warning) when the limit is off or not supported and the kernel waits less than 180 seconds, or when the limit
is not shorter than the timeout.

**Passes** when the drive gives up first, or the kernel waits 180 seconds or more. SSDs, SAS and NVMe drives are passed
over.

**Cannot tell** when the drive's limit or the kernel's timeout is unknown.

**Remedy.** `smartctl -l scterc,70,70 /dev/sdX` (7 seconds; most drives forget it at power-off, so at every boot).
Where the drive refuses: `echo 180 > /sys/block/sdX/device/timeout`.

**Example.** Fails: `error_recovery_seconds = 0`, `block.command_timeout_seconds = 30`.
Passes: `error_recovery_seconds = 7`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import REDUNDANT, below, physical, software_volumes
from raidctl.model import Drive, Inventory

FINDINGS = RuleFindings("error_recovery_timeout", "warning", "A drive tries longer than the kernel waits")
_PATIENT = 180
"""Seconds; longer than disks are known to try."""


def check(inventory: Inventory) -> Findings:
    """One finding for each SATA disk below a redundant array of md."""
    seen: dict[str, Drive] = {}
    for card, volume in software_volumes(inventory):
        if volume.raid_level in REDUNDANT:
            seen.update({one.id: one for drive in below(card, volume) for one in physical(inventory, drive)})
    for drive in seen.values():
        if drive.media == "hdd" and drive.interface in ("sata", "ata"):
            yield _judge(drive)


def _judge(drive: Drive) -> Finding:
    limit, timeout = drive.error_recovery_seconds, drive.block.command_timeout_seconds if drive.block else None
    evidence = facts(drive, "error_recovery_seconds", "block.command_timeout_seconds", "model", "serial")
    if timeout is not None and (timeout >= _PATIENT or (limit and limit < timeout)):
        return FINDINGS.passed(drive, "The drive gives up on a bad sector before the kernel gives up on the drive.")
    if limit is None or timeout is None:
        what = "the drive's limit" if limit is None else "the kernel's timeout"
        message = f"Whether the drive gives up on a bad sector before the kernel gives up on it: {what} is unknown."
        return FINDINGS.unknown(drive, message, severity="info", more=evidence)
    tries = f"up to {limit:g} s" if limit else "without a time limit"
    name = (drive.device or "").removeprefix("/dev/") or "sdX"
    return FINDINGS.failed(
        drive,
        f"The drive tries {tries} to read a bad sector, and the kernel gives up after {timeout} s: one bad sector can "
        "take the drive out of its array.",
        f"`smartctl -l scterc,70,70 /dev/{name}` at every boot; if the drive refuses, "
        f"`echo {_PATIENT} > /sys/block/{name}/device/timeout`.",
        wants=("error_recovery_seconds", f"less than {timeout}"),
        more=evidence,
    )
