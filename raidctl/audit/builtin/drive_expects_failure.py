"""A drive says that it will fail soon.

**What it looks for.** Drives that predict their failure (SMART, "predictive failure"), or have a warning status.

**Why.** A drive raises this alert when it runs out of reserve sectors, or when a counter passed the maker's threshold.
It is late rather than early: in published field studies a drive with it is many times more likely to die within weeks,
while many drives die without it. It costs a planned replacement now, or an unplanned one with a degraded array.

**Fails** (warning) when the drive counts predicted failures, or its status is a warning that does not only say what
is being done to it (a rebuild, an erasure).
Critical where nothing stands behind the drive: no redundant array, or one that is degraded already.

**Passes** when the drive says that it is well.

**Cannot tell:** never of its own; see `state_unknown` for drives whose state was not understood.

**Remedy.** Replace it while the array still has redundancy: mark it, pull it, let the rebuild finish, then the next.
Never two at once.

**Example.** Fails: `errors.predictive = 3`. Passes: `errors.predictive = 0`, `status = ok`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import NOT_WHOLE, REDUNDANT, drives, expects_failure, named_for_rebuild, plain
from raidctl.audit.builtin._say import Voice, counters, facts
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Controller, Drive, Inventory

SAY = Voice("drive_expects_failure", "critical")


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each drive whose status or counter is told."""
    for card, drive in drives(inventory):
        if expects_failure(drive) and not named_for_rebuild(card, drive):
            yield _expects(card, drive)
        elif drive.status in ("ok", "warning"):
            yield SAY.passed(drive, "The drive does not expect to fail.")


def _behind(card: Controller, drive: Drive) -> str | None:
    """What is amiss with the redundancy behind a member of an array; None when nothing is, or it is not known."""
    volumes = [volume for volume in card.volumes if drive.array and volume.array == drive.array]
    if drive.role != "member" or not volumes:
        return None
    if any(volume.raid_level in REDUNDANT for volume in volumes):
        return "its array is not whole" if any(volume.status in NOT_WHOLE for volume in volumes) else None
    return "no redundancy stands behind it"


def _expects(card: Controller, drive: Drive) -> Finding:
    behind = _behind(card, drive)
    count = drive.errors.predictive
    text = plain(drive.status_text)
    said = f"counts {count} predicted failure{'s' * (count > 1)}" if count else f"warns ({text or 'no words given'})"
    return SAY.failed(
        drive,
        f"The drive {said}: it may fail soon{f', and {behind}' if behind else ''}.",
        remedy="Check the backup at once; replace it as soon as nothing else is being rebuilt."
        if behind
        else "Replace it while nothing else is amiss; one drive at a time.",
        severity=None if behind else "warning",
        field="errors.predictive" if count else "status",
        wanted="0" if count else "ok",
        evidence=facts(drive, "status", "status_text", "errors.predictive", "serial") + counters(drive),
    )


RULE = Rule(name=SAY.rule, title="A drive says that it will fail soon", severity=SAY.severity, check=check)
