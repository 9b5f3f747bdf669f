"""A drive has lost or moved data: its error counters are not zero.

**What it looks for.** Media errors, reallocated, pending and uncorrectable sectors, and errors of the link (of SAS
drives `sas_link` judges them).

**Why.** A reallocated sector was once unreadable or nearly so; a pending one is unreadable now, and waits to be
written again. A handful that stays the same for years is harmless. A number that grows from week to week is the best
early sign of a dying drive that there is. Errors of the link (CRC) are not the drive's: they mean a cable, a
connector or the backplane, they cost repeated transfers, and they do not go away by replacing the drive.

**Fails** (critical) for unreadable sectors (pending, uncorrectable) on a drive without redundancy: what was in them is
lost now. (warning) for unreadable sectors elsewhere, from ten errors or reallocated sectors on, and from a hundred link
errors on. (information) for fewer: whether they grow, one look cannot tell.

**Passes** when all reported counters are zero, but for a few link errors: that counter is never reset, and one loose
plug years ago stays in it.

**Cannot tell:** drives without reported counters are passed over; `raidctl doctor` names the tool that reads them. So
are drives that have failed or expect to (`drive_failed`, `drive_expects_failure`): their counters are the reason.

**Remedy.** Unreadable sectors without redundancy: check the copy of the data, run a long self-test, replace the drive.
With redundancy: run a consistency check, which rewrites them. Otherwise keep a snapshot (`raidctl snapshot`), compare
in a week (`raidctl diff`), and replace the drive when the number grows. For link errors, reseat the cable first.

**Example.** Fails: `errors.media = 41`. Passes: `errors.media = 0`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import drives
from raidctl.health.judge import MANY_LINK, Condition
from raidctl.health.redundancy import expects_failure
from raidctl.model import Drive, Inventory
from raidctl.text import listing

FINDINGS = RuleFindings("drive_errors", "critical", "A drive's error counters are not zero")
_NAMES = ("media", "pending", "uncorrectable", "reallocated", "link")
_PATHS = tuple(f"errors.{name}" for name in ("media", "reallocated", "pending", "uncorrectable", "link"))
_COMPARE = "Keep a snapshot (`raidctl snapshot`) and compare in a week; replace the drive when the number grows."
_CABLE = "Reseat or change its cable; when the number still grows, check the backplane."
_LOST = "Check the copy of the data, run a long self-test, and replace the drive."
_SCRUB = "Run a consistency check: it rewrites these sectors from the other drives. Replace the drive if more appear."


def check(inventory: Inventory) -> Findings:
    """One finding for each drive with at least one counter, and nothing worse."""
    found = FINDINGS.conditions(inventory)
    for card, drive in drives(inventory):
        if drive.id in found:
            yield _failed(drive, found[drive.id])
        elif drive.status == "critical" or drive.role == "failed" or expects_failure(card, drive):
            continue
        elif any(getattr(drive.errors, name) is not None for name in _NAMES):
            yield FINDINGS.passed(drive, "The drive counts no errors that matter.")


def _failed(drive: Drive, one: Condition) -> Finding:
    counts = {name: getattr(drive.errors, name) or 0 for name in _NAMES}
    now = counts["pending"] + counts["uncorrectable"]
    if counts["media"] <= now + counts["reallocated"]:  # their sum, which adds nothing
        counts["media"] = 0
    if counts["link"] < MANY_LINK:
        counts["link"] = 0
    wrong = {name: number for name, number in counts.items() if number}
    sectors = [name for name in wrong if name != "link"]
    mean = "means" if sum(wrong.values()) == 1 else "mean"
    message = f"The drive counts {_said(wrong)}{'' if sectors else f', which {mean} its cable, connector or backplane'}"
    remedy = _COMPARE if sectors else _CABLE
    if one.under is not None:
        remedy = "Replace the drive."
    elif one.severity == "critical":
        message, remedy = f"{message}, and has no redundancy: what was in the unreadable sectors is lost", _LOST
    elif now and one.failures_tolerated:
        remedy = _SCRUB
    elif now:
        message, remedy = f"{message}: what was in the unreadable sectors is lost unless another drive holds it", _LOST
    evidence = facts(drive, *_PATHS, "serial")
    return FINDINGS.failed(
        drive, f"{message}.", remedy, wants=(f"errors.{next(iter(sectors or wrong))}", "0"), more=evidence
    )


def _said(wrong: dict[str, int]) -> str:
    """``41 media errors and 2 pending sectors``."""
    words = {
        "media": "media error",
        "reallocated": "reallocated sector",
        "pending": "unreadable (pending) sector",
        "uncorrectable": "uncorrectable sector",
        "link": "link error",
    }
    return listing(f"{number} {words[name]}{'s' * (number != 1)}" for name, number in wrong.items())
