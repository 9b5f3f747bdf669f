"""A drive has failed, is missing or offline.

**What it looks for.** Drives whose status is critical, or that the controller has thrown out of an array.

**Why.** It may be long known to the controller and to nobody else: with a hot spare the volume is whole again after a
night, the LED blinks, and there is no spare left for the next one.

**Fails** (critical) when a drive is failed, missing or offline; a warning where no volume that it may belong to is
degraded or failed any more (the spare stepped in, or it was in no array).

**Passes** when the drive's status is ok or a warning (`drive_expects_failure` speaks of that one).

**Cannot tell:** see `state_unknown`.

**Remedy.** Replace it; check first that the bay is the right one (`raidctl show` prints it, and the serial number is
on the drive's label). Then watch that a spare stands by again.

**Example.** Fails: `status = critical`. Passes: `status = ok`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import NOT_WHOLE, plain
from raidctl.audit.builtin._say import Voice, counters, facts
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Controller, Drive, Inventory

SAY = Voice("drive_failed", "critical")


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each drive whose status is known, members of software RAID included."""
    for card in inventory.controllers:
        for drive in card.drives:
            if drive.status == "critical" or drive.role == "failed":
                yield _failed(card, drive)
            elif drive.status != "unknown":
                yield SAY.passed(drive, "The drive works.")


def _failed(card: Controller, drive: Drive) -> Finding:
    text = plain(drive.status_text)
    told = f" ({text})" if text else ""
    own = [volume for volume in card.volumes if drive.array is None or volume.array == drive.array]
    hurt = not own or any(volume.status in NOT_WHOLE for volume in own)
    place = f" in bay {drive.bay}" if drive.bay else ""
    return SAY.failed(
        drive,
        f"The drive{place} has failed or is missing{told}"
        + ("." if hurt else "; no volume lacks it now, but it is no help either."),
        remedy=f"Replace it{f' (serial {drive.serial})' if drive.serial else ''}, and watch the rebuild begin."
        if hurt
        else "Replace it, so that a spare stands by again.",
        severity=None if hurt else "warning",
        field="status",
        wanted="ok",
        evidence=facts(drive, "status", "status_text", "role", "serial") + counters(drive),
    )


RULE = Rule(name=SAY.rule, title="A drive has failed, is missing or offline", severity=SAY.severity, check=check)
