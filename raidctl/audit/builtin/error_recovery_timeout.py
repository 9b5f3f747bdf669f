"""A software RAID's drive retries bad sectors longer than the kernel waits.

**What it checks.** Hard drives in redundant software arrays (md, LVM, ZFS): their error recovery limit (SCT ERC, also
called TLER) compared with the kernel's command timeout (`/sys/block/sdX/device/timeout`, 30 seconds by default).

**Why it matters.** A desktop drive retries a bad sector for two minutes or more. After 30 seconds the kernel gives up
and resets the drive, which does not respond while it is still retrying; md takes it for dead and drops it from the
array. Many arrays are lost this way during a rebuild, because of a single bad sector that md would have repaired from
the other drives.

**Fails** (warning) when the limit is off or unsupported and the kernel waits less than 180 seconds, or when the limit
is not shorter than the timeout.

**Passes** when the drive gives up first, or has no limit and the kernel waits 180 seconds or more. SSDs, SAS and NVMe
drives are not checked.

**Unknown** when the drive's limit or the kernel's timeout is unknown.

**How to fix.** `smartctl -l scterc,70,70 /dev/sdX` (7 seconds; most drives lose it at power-off, so run it at every
boot). If the drive refuses: `echo 180 > /sys/block/sdX/device/timeout`.

**Example.** Fails: `error_recovery_seconds = 0`, `block.command_timeout_seconds = 30`. Passes:
`error_recovery_seconds = 7`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import REDUNDANT, below, physical, software_volumes
from raidctl.health.error_recovery import SAFE_TIMEOUT, gives_up_first
from raidctl.model import Drive, Inventory

FINDINGS = RuleFindings(
    "error_recovery_timeout", "warning", "A drive's error recovery takes longer than the kernel waits"
)


def check(inventory: Inventory) -> Findings:
    """One finding for each SATA hard drive below a redundant software array."""
    seen: dict[str, Drive] = {}
    for controller, volume in software_volumes(inventory):
        if volume.raid_level in REDUNDANT:
            seen.update({one.id: one for drive in below(controller, volume) for one in physical(inventory, drive)})
    for drive in seen.values():
        if drive.media == "hdd" and drive.interface in ("sata", "ata"):
            yield _judge(drive)


def _judge(drive: Drive) -> Finding:
    limit, timeout = drive.error_recovery_seconds, drive.block.command_timeout_seconds if drive.block else None
    evidence = facts(drive, "error_recovery_seconds", "block.command_timeout_seconds", "model", "serial")
    first = gives_up_first(drive)
    if first:
        return FINDINGS.passed(drive, "The drive gives up on a bad sector before the kernel does.")
    if first is None:
        what = "the drive's limit" if limit is None else "the kernel's timeout"
        message = (
            f"Whether the drive gives up on a bad sector before the kernel does is unknown: {what} is not reported."
        )
        return FINDINGS.unknown(drive, message, severity="info", more=evidence)
    tries = f"for up to {limit:g} s" if limit else "without a time limit"
    name = (drive.device or "").removeprefix("/dev/") or "sdX"
    return FINDINGS.failed(
        drive,
        f"The drive retries a bad sector {tries}, but the kernel gives up after {timeout} s: one bad sector can "
        "drop the drive from its array.",
        f"`smartctl -l scterc,70,70 /dev/{name}` at every boot; if the drive refuses, "
        f"`echo {_enough(limit)} > /sys/block/{name}/device/timeout`.",
        wants=("error_recovery_seconds", f"less than {timeout}"),
        more=evidence,
    )


def _enough(limit: float | None) -> int:
    """The timeout that outlasts the drive, in seconds."""
    return max(SAFE_TIMEOUT, int(limit or 0) + 1)
