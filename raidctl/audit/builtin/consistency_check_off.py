"""No regular consistency check (scrub) compares mirrors and parity.

**What it checks.** Controllers and software RAID on which the regular consistency check is disabled.

**Why it matters.** A power failure in the middle of a stripe leaves data and parity inconsistent. Nothing shows it
until a drive fails and the missing data is computed from wrong parity. A check reads everything, compares it and
corrects the parity while all drives are present. Linux distributions ship a monthly check of software RAID; it is
missing if somebody disabled it, or if their package is not installed.

**Fails** (warning) when it is disabled; (information) when a patrol read runs automatically (it finds bad sectors, but
no inconsistent copies), and when the check runs only manually.

**Passes** when it runs automatically.

**Unknown:** never. Where the mode is not reported, it is not checked.

**How to fix.** Start one now with `raidctl check start`, and enable a monthly one:
`storcli64 /c0 set cc=conc delay=720 starttime="YYYY/MM/DD HH"` (720 hours; perccli64 alike),
`MegaCli64 -AdpCcSched -ModeConc -a0`, `arcconf consistencycheck 1 on`, `tw_cli /c0/u0 set autoverify=on`. For software
RAID, enable the distribution's timer (`raidctl check schedule show` lists what is there).

**Example.** Fails: `consistency_check.mode = disabled`. Passes: `consistency_check.mode = automatic`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import REDUNDANT
from raidctl.model import Controller, Inventory, Scrub, Volume

FINDINGS = RuleFindings("consistency_check_off", "warning", "No regular consistency check")


def check(inventory: Inventory) -> Findings:
    """One finding for each controller with redundant volumes. Each such volume with its own setting has one, too."""
    for controller in inventory.controllers:
        redundant = [volume for volume in controller.volumes if volume.raid_level in REDUNDANT]
        own = [volume for volume in redundant if volume.consistency_check and volume.consistency_check.mode]
        for volume in own:
            yield _judge(controller, volume, volume.consistency_check)
        if len(own) < len(redundant) and controller.consistency_check and controller.consistency_check.mode:
            yield _judge(controller, controller, controller.consistency_check)


def _judge(controller: Controller, item: Controller | Volume, scrub: Scrub | None) -> Finding:
    mode = scrub.mode if scrub else None
    if mode == "automatic":
        return FINDINGS.passed(item, "A consistency check runs automatically.")
    patrol = controller.patrol_read is not None and controller.patrol_read.mode == "automatic"
    how = "is off" if mode == "disabled" else "runs only when started manually"
    remedy = (
        f"Enable a monthly one with {controller.told_by or 'its tool'} "
        '("raidctl diagnose --explain consistency_check_off" has the commands). '
        f"To start one now: `raidctl check start {item.id}`."
    )
    if controller.mode == "software":
        remedy = (
            "Enable the monthly check of the distribution, `mdcheck_start.timer` or `raid-check.timer` of systemd: "
            "`raidctl check schedule show` lists what is there."
        )
    return FINDINGS.failed(
        item,
        f"The consistency check {how}: wrong copies or parity are noticed only after a drive has failed.",
        remedy,
        "consistency_check.mode consistency_check.status_text",
        severity="info" if patrol or mode == "manual" else None,
        wants=("consistency_check.mode", "automatic"),
    )
