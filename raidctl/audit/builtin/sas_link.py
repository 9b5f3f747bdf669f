"""A SAS drive has lost a path, or its link counts errors.

**What it looks for.** SAS drives that are reached on fewer paths than most of the same model, and error counters of the
link (invalid dwords).

**Why.** Drives in dual-ported shelves have two paths so that a cable, an expander or a controller may fail. With one
path left nothing is slower and nothing is degraded: only the next failure shows it. Errors of the link mean a cable, a
connector or the backplane, not the drive.

**Fails** (warning) when most drives of the model have more paths, and from a hundred errors of the link on.

**Passes** otherwise; a few errors come with every reset.

**Cannot tell:** drives that report neither are passed over.

**Remedy.** Follow the missing path from the drive to the controller: I/O module, cable, port. Reseat or replace it.

**Example.** Fails: `paths = 1` beside drives with `paths = 2`. Passes: `paths = 2` for all.
"""

from __future__ import annotations

from statistics import median_low

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import drives
from raidctl.model import Drive, Inventory

FINDINGS = RuleFindings("sas_link", "warning", "A SAS drive lost a path or has link errors")
MANY = 100


def check(inventory: Inventory) -> Findings:
    """One finding for each SAS drive that reports its paths or errors of its link."""
    mine = [drive for _, drive in drives(inventory) if drive.interface == "sas"]
    paths: dict[str | None, list[int]] = {}
    for drive in mine:
        paths.setdefault(drive.model, []).append(drive.paths or 0)
    for drive in mine:
        if drive.paths is not None or drive.errors.link is not None:
            yield _judge(drive, median_low(paths[drive.model]))


def _judge(drive: Drive, usual: int) -> Finding:
    lost = drive.paths is not None and drive.paths < usual
    if not lost and (drive.errors.link or 0) < MANY:
        return FINDINGS.passed(drive, "The link has its paths, and counts no errors that matter.")
    return FINDINGS.failed(
        drive,
        f"The drive is reached on {drive.paths} path{'s' * (drive.paths != 1)}, most others of its model on {usual}."
        if lost
        else f"The link of the drive counts {drive.errors.link} errors: cable, connector or backplane.",
        "Follow the missing path: I/O module, cable, controller port."
        if lost
        else "Reseat or replace the cable; if the number still grows, look at the backplane.",
        "paths errors.link enclosure bay serial",
        wants=("paths" if lost else "errors.link", str(usual) if lost else f"below {MANY}"),
    )
