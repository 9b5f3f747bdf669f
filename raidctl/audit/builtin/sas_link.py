"""A SAS drive has lost a path, or its link reports errors.

**What it checks.** SAS drives with fewer paths than most drives of the same model, and link error counters (invalid
dwords).

**Why it matters.** Drives in dual-ported enclosures have two paths, so that a cable, an expander or a controller may
fail. With one path left nothing is slower and nothing is degraded: only the next failure shows it. Link errors point
to a cable, a connector or the backplane, not to the drive.

**Fails** (warning) when most drives of the model have more paths, and from a hundred link errors.

**Passes** otherwise; a few errors occur on every reset.

**Unknown:** never. Drives that report neither are not checked.

**How to fix.** Trace the missing path from the drive to the controller: I/O module, cable, port. Reseat or replace the
part.

**Example.** Fails: `paths = 1` beside drives with `paths = 2`. Passes: `paths = 2` for all.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import drives
from raidctl.model import Drive, Inventory
from raidctl.text import counted

FINDINGS = RuleFindings("sas_link", "warning", "A SAS drive lost a path or has link errors")
MANY = 100


def check(inventory: Inventory) -> Findings:
    """One finding for each SAS drive that reports paths or link errors."""
    mine = [drive for _, drive in drives(inventory) if drive.interface == "sas"]
    paths: dict[str | None, list[int]] = {}
    for drive in mine:
        paths.setdefault(drive.model, []).append(drive.paths or 0)
    for drive in mine:
        if drive.paths is not None or drive.errors.link is not None:
            alike = sorted(paths[drive.model])
            yield _judge(drive, alike[(len(alike) - 1) // 2])  # the lower median


def _judge(drive: Drive, usual: int) -> Finding:
    lost = drive.paths is not None and drive.paths < usual
    if not lost and (drive.errors.link or 0) < MANY:
        return FINDINGS.passed(drive, "The drive has all its paths and no significant link errors.")
    return FINDINGS.failed(
        drive,
        f"The drive has {counted(drive.paths or 0, 'path')}; most others of its model have {usual}."
        if lost
        else f"The drive has {drive.errors.link} link errors, which point to a cable, connector or the backplane.",
        "Trace the missing path: I/O module, cable, controller port."
        if lost
        else "Reseat or replace the cable; if the number still grows, check the backplane.",
        "paths errors.link enclosure bay serial",
        wants=("paths" if lost else "errors.link", str(usual) if lost else f"below {MANY}"),
    )
