"""A power failure can damage data at rest on a parity RAID.

**What it checks.** RAID-4, 5, 6, 50 and 60 without a journal, a partial parity log (PPL) or a protected controller
cache.

**Why it matters.** A write changes data and parity on several drives. If the power fails in between, they no longer
match. While all drives are present, a resync repairs the parity. If one is missing, or fails before the resync is
complete, its data is computed from wrong parity: blocks that were written months ago are damaged, and nothing reports
it.

**Fails** (warning) while the volume is degraded or rebuilding, or lacks a member although it is reported as ok: every
power failure can do this then; (information: a property of the design) for complete volumes.

**Passes** with a journal or PPL (md), and on controllers whose protected cache holds the stripe over the power
failure.

**Unknown** when the protection of the cache, or the consistency policy of md, is unknown.

**How to fix.** md RAID-5: `mdadm --grow --consistency-policy=ppl /dev/mdX`, or a journal on a mirrored SSD; either
takes the place of the bitmap, which is removed first. Hardware: fit or replace the battery or capacitor. A UPS makes
it less likely.

**Example.** Fails: `raid_level = raid5`, `consistency_policy = bitmap`. Passes: `consistency_policy = ppl`.
"""

from __future__ import annotations

from msgspec import structs

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import protected, used_volumes
from raidctl.health.judge import PROTECTION
from raidctl.health.missing_members import why_incomplete
from raidctl.health.redundancy import rebuilding
from raidctl.health.reliance import recovering
from raidctl.health.write_hole import WriteHole, write_hole
from raidctl.model import Controller, Inventory, Volume
from raidctl.model.raid_levels import PARITY
from raidctl.model.settable import settable
from raidctl.select import family_of
from raidctl.text import listing

FINDINGS = RuleFindings("write_hole", "warning", "A parity RAID has a write hole")


def check(inventory: Inventory) -> Findings:
    """One finding for each usable volume with parity."""
    for controller, volume in used_volumes(inventory):
        hole = write_hole(controller, volume)
        if hole.state == "closed":
            yield FINDINGS.passed(volume, f"No write hole: {hole.why}.")
        elif volume.raid_level in PARITY:
            yield _open(controller, volume, hole)


def _open(controller: Controller, volume: Volume, hole: WriteHole) -> Finding:
    incomplete = why_incomplete(controller, volume)
    evidence = facts(volume, "raid_level", "status", "consistency_policy", "cache.controller_cache")
    if hole.state == "unknown":
        message = (
            f"Whether it has a write hole (a power failure damages other data of the stripe) is unknown: {hole.why}."
        )
        return FINDINGS.unknown(volume, message, severity="info", more=evidence)
    when = f"while {listing(incomplete)}" if incomplete else "once a drive is missing"
    found = FINDINGS.failed(
        volume,
        f"Write hole: {hole.why}; {when}, a power failure can damage data that was not being written.",
        remedy=_remedy(controller, volume, weak=bool(incomplete)),
        severity="warning" if incomplete else "info",
        more=evidence,
    )
    return structs.replace(found, rank=PROTECTION)


def _remedy(controller: Controller, volume: Volume, *, weak: bool) -> str:
    if weak and rebuilding(controller, volume):
        return "Let the rebuild finish; avoid power failures and resets until then."
    if weak:
        return "Replace the missing drive first, and avoid power failures and resets until the rebuild is complete."
    if controller.mode != "software":
        if recovering(controller):
            return "Wait until the learn cycle of the controller's battery or capacitor has ended and it is charged."
        if protected(controller):
            command = f"`raidctl cache set {volume.id} --write protected-write-back`"
            return settable(controller, "write_policy", command, "Use write-back that ends when the battery fails")
        return "Fit or replace the controller's battery or capacitor."
    if family_of(controller) != "md":
        return "Keep the machine on a UPS, and replace a missing drive at once."
    return _of_md(volume, volume.device or "/dev/mdX")


def _of_md(volume: Volume, device: str) -> str:
    """Commands with which a log or journal takes the bitmap's place. md accepts no array that has both."""
    steps = [f"`mdadm --grow --bitmap=none {device}`"] if volume.bitmap not in (None, "none") else []
    if volume.raid_level == "raid5":
        steps.append(f"`mdadm --grow --consistency-policy=ppl {device}`")
        return f"{', then '.join(steps)}: the log also replaces the bitmap."
    steps += [f"`mdadm --readonly {device}`", f"`mdadm --manage {device} --add-journal DEVICE` with a mirrored SSD"]
    return f"{', then '.join(steps)}: the journal also replaces the bitmap."
