"""A SAS drive has lost a path, or its link reports errors.

**What it checks.** SAS drives with fewer paths than most drives of the same model, and link error counters (invalid
dwords).

**Why it matters.** Drives in dual-ported enclosures have two paths, so that a cable, an expander or a controller may
fail. With one path left nothing is slower and nothing is degraded: only the next failure shows it. Link errors point
to a cable, a connector or the backplane, not to the drive.

**Fails** (warning) when most drives of the model have more paths, and from a hundred link errors.

**Passes** otherwise; a few errors occur on every reset.

**Unknown:** never. Drives that report neither are not checked, and paths are compared only where both paths and model
are reported.

**How to fix.** Trace the missing path from the drive to the controller: I/O module, cable, port. Reseat or replace the
part.

**Example.** Fails: `paths = 1` beside drives with `paths = 2`. Passes: `paths = 2` for all.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import drives
from raidctl.model import Drive, Inventory
from raidctl.text import counted
from raidctl.vendor.limits import MANY_LINK_ERRORS

FINDINGS = RuleFindings("sas_link", "warning", "A SAS drive lost a path or has link errors")


def check(inventory: Inventory) -> Findings:
    """One finding for each SAS drive that reports paths or link errors."""
    mine = [drive for _, drive in drives(inventory) if drive.interface == "sas"]
    paths: dict[str, list[int]] = {}
    for drive in mine:
        if drive.model and drive.paths is not None:
            paths.setdefault(drive.model, []).append(drive.paths)
    for drive in mine:
        alike = sorted(paths.get(drive.model or "", ())) if drive.paths is not None else []
        if alike or drive.errors.link is not None:
            yield _judge(drive, alike[(len(alike) - 1) // 2] if alike else 0)  # the lower median


def _judge(drive: Drive, usual: int) -> Finding:
    """Judge a drive. ``usual``: the number of paths of most drives of its model; 0: unknown."""
    lost = drive.paths is not None and drive.paths < usual
    if not lost and (drive.errors.link or 0) < MANY_LINK_ERRORS:
        compared = ["at least as many paths as most drives of its model"] if usual else []
        counters = ["no significant link errors"] if drive.errors.link is not None else []
        return FINDINGS.passed(drive, f"The drive has {' and '.join((*compared, *counters))}.")
    return FINDINGS.failed(
        drive,
        f"The drive has {counted(drive.paths or 0, 'path')}; most others of its model have {usual}."
        if lost
        else f"The drive has {drive.errors.link} link errors, which point to a cable, connector or the backplane.",
        "Trace the missing path: I/O module, cable, controller port."
        if lost
        else "Reseat or replace the cable; if the number still grows, check the backplane.",
        "paths errors.link enclosure bay serial",
        wants=("paths" if lost else "errors.link", str(usual) if lost else f"below {MANY_LINK_ERRORS}"),
    )
