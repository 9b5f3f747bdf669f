"""The error counters of a drive are not zero.

**What it checks.** Media errors, reallocated, pending and uncorrectable sectors, and link errors (those of SAS drives
are covered by `sas_link`). Read errors that md or ZFS counts for a member are checked if its drive counts none of them.

**Why it matters.** A reallocated sector was once unreadable or nearly so; a pending one is unreadable now and will be
remapped when it is next written. A handful that has not changed for years is harmless. A number that grows from week
to week is the best early sign of a dying drive. Link errors (CRC) are not the drive's fault: they come from a cable, a
connector or the backplane, cost retransmissions, and remain after a drive swap.

**Fails** (critical) for unreadable sectors (pending, uncorrectable) on a drive without redundancy: their contents are
lost; (warning) for unreadable sectors elsewhere, from ten errors or reallocated sectors, and from a hundred link
errors; (information) for fewer, as one scan does not show whether they grow.

**Passes** when all reported counters are zero, except for a few link errors: that counter is never reset, and one
loose plug years ago remains in it.

**Unknown:** never. Drives without reported counters are not checked; `raidctl doctor` names the tool that reads them.
Nor are drives that have failed or predict failure (`drive_failed`, `drive_expects_failure`).

**How to fix.** Unreadable sectors without redundancy: check the backup, run a long self-test, replace the drive. With
redundancy: run a consistency check, which rewrites them. Otherwise take a snapshot (`raidctl snapshot`), compare in a
week (`raidctl diff`), and replace the drive if the number grows. For link errors, reseat the cable first.

**Example.** Fails: `errors.media = 41`. Passes: `errors.media = 0`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts, pull_check
from raidctl.health.judge import Condition
from raidctl.health.redundancy import expects_failure
from raidctl.model import Drive, Inventory, has_failed
from raidctl.text import counted, listing
from raidctl.vendor.limits import MANY_LINK_ERRORS

FINDINGS = RuleFindings("drive_errors", "critical", "The error counters of a drive are not zero")
_NAMES = ("media", "pending", "uncorrectable", "reallocated", "link")
_PATHS = tuple(f"errors.{name}" for name in ("media", "reallocated", "pending", "uncorrectable", "link"))
_COMPARE = (
    "Take a snapshot (`raidctl snapshot`), compare in a week (`raidctl diff`); replace the drive if the number grows."
)
_REPLACE = "Replace the drive."
_CABLE = "Reseat or replace the cable; if the number still grows, check the backplane."
_LOST = "Check the backup, run a long self-test and replace the drive."
_SCRUB = "Run a consistency check: it rewrites these sectors from the other drives. Replace the drive if more appear."


def check(inventory: Inventory) -> Findings:
    """One finding for each drive with a counter and nothing worse. One counter is enough."""
    found = FINDINGS.conditions(inventory)
    for controller, drive in ((one, drive) for one in inventory.controllers for drive in one.drives):
        if drive.id in found:
            yield _failed(inventory, drive, found[drive.id])
        elif drive.backing or has_failed(drive) or expects_failure(controller, drive):
            continue
        elif any(getattr(drive.errors, name) is not None for name in _NAMES):
            yield FINDINGS.passed(drive, "The drive reports no significant errors.")


def _failed(inventory: Inventory, drive: Drive, one: Condition) -> Finding:
    counts = {name: getattr(drive.errors, name) or 0 for name in _NAMES}
    now = counts["pending"] + counts["uncorrectable"]
    if counts["media"] <= now + counts["reallocated"]:  # their sum, which adds nothing
        counts["media"] = 0
    if counts["link"] < MANY_LINK_ERRORS:
        counts["link"] = 0
    wrong = {name: number for name, number in counts.items() if number}
    sectors = [name for name in wrong if name != "link"]
    points = "points" if sum(wrong.values()) == 1 else "point"
    message = (
        f"The drive has {_in_words(wrong)}{'' if sectors else f', which {points} to a cable, connector or backplane'}"
    )
    remedy = _COMPARE if sectors else _CABLE
    if one.under is not None:
        remedy = _REPLACE
    elif one.severity == "critical":
        message, remedy = f"{message} and no redundancy: the contents of the unreadable sectors are lost", _LOST
    elif now and one.failures_tolerated:
        remedy = _SCRUB
    elif now:
        message, remedy = (
            f"{message}: the contents of the unreadable sectors are lost unless another drive has them",
            _LOST,
        )
    if remedy in (_REPLACE, _LOST):
        remedy += pull_check(inventory, drive)
    evidence = facts(drive, *_PATHS, "serial")
    return FINDINGS.failed(
        drive, f"{message}.", remedy, wants=(f"errors.{next(iter(sectors or wrong))}", "0"), more=evidence
    )


def _in_words(wrong: dict[str, int]) -> str:
    """``41 media errors and 2 pending sectors``."""
    words = {
        "media": "media error",
        "reallocated": "reallocated sector",
        "pending": "unreadable (pending) sector",
        "uncorrectable": "uncorrectable sector",
        "link": "link error",
    }
    return listing(counted(number, words[name]) for name, number in wrong.items())
