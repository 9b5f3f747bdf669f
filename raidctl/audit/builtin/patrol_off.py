"""No patrol read (surface scan) looks for bad sectors.

**What it checks.** Controllers on which the background scan for unreadable sectors is disabled, or runs only manually.

**Why it matters.** A sector that is never read can be bad for years. The rebuild finds it, just when there is no
redundancy to repair it from. A patrol read visits every sector every week or month while the array is complete, and
rewrites bad ones from parity without risk. It uses idle time only.

**Fails** (warning) when it is disabled; (information) when it runs only manually.

**Passes** when it runs automatically.

**Unknown:** never. Controllers whose tool does not report it are not checked. Software RAID is covered by
`consistency_check_off`.

**How to fix.** Enable it, weekly or monthly: `storcli64 /c0 set patrolread=on mode=auto` (perccli64 alike),
`MegaCli64 -AdpPR -EnblAuto -a0`, `ssacli ctrl slot=1 modify surfacescanmode=idle surfacescandelay=15` (seconds without
I/O). A controller on which it runs only manually starts one with `raidctl patrol start`.

**Example.** Fails: `patrol_read.mode = disabled`. Passes: `patrol_read.mode = automatic`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.model import Controller, Inventory

FINDINGS = RuleFindings("patrol_off", "warning", "Patrol read (surface scan) does not run")


def check(inventory: Inventory) -> Findings:
    """One finding for each controller with volumes and known patrol read mode."""
    for controller in inventory.controllers:
        mode = controller.patrol_read.mode if controller.patrol_read else None
        if mode is None or not controller.volumes:
            continue
        if mode == "automatic":
            yield FINDINGS.passed(controller, "Patrol read runs automatically.")
        else:
            yield _off(controller, mode)


def _off(controller: Controller, mode: str) -> Finding:
    how = "is off" if mode == "disabled" else "runs only when started manually"
    now = f" To start one now: `raidctl patrol start {controller.id}`." if mode == "manual" else ""
    return FINDINGS.failed(
        controller,
        f"Patrol read {how}: bad sectors are found only by a rebuild, when nothing is left to repair them from.",
        f"Enable it with {controller.told_by or 'its tool'}, weekly or monthly; it uses idle time only "
        f'("raidctl diagnose --explain patrol_off" has the commands).{now}',
        "patrol_read.mode patrol_read.status_text",
        severity=None if mode == "disabled" else "info",
        wants=("patrol_read.mode", "automatic"),
    )
