"""A drive has lost or moved data: its error counters are not zero.

**What it looks for.** Media errors, reallocated, pending and uncorrectable sectors, and errors of the link (of SAS
drives `sas_link` judges them).

**Why.** A reallocated sector was once unreadable or nearly so; a pending one is unreadable now, and waits to be
written again. A handful that stays the same for years is harmless. A number that grows from week to week is the best
early sign of a dying drive that there is. Errors of the link (CRC) are not the drive's: they mean a cable, a
connector or the backplane, they cost repeated transfers, and they do not go away by replacing the drive.

**Fails** as a warning from ten sectors on, for any sector that is unreadable now (pending, uncorrectable), and from a
hundred link errors on. As information for fewer sectors: whether they grow, one look cannot tell.

**Passes** when all counters that are told are zero, but for a few link errors: that counter is never set back, and one
loose plug years ago stays in it.

**Cannot tell:** drives whose tool tells no counters are passed over; `raidctl doctor` says which program would. So are
drives that have failed or expect to (`drive_failed`, `drive_expects_failure`): their counters are the reason.

**Remedy.** Keep a snapshot (`raidctl snapshot`) and compare in a week (`raidctl diff`); replace the drive when the
number grows. For link errors, seat or change the cable first.

**Example.** Fails: `errors.media = 41`. Passes: `errors.media = 0`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import drives, expects_failure
from raidctl.audit.builtin._say import Voice, facts
from raidctl.audit.finding import Finding, Severity
from raidctl.audit.rule import Rule
from raidctl.model import Drive, Inventory
from raidctl.text import listing

SAY = Voice("drive_errors", "warning")
_MANY = 10
_MANY_LINK = 100
_NOW = ("pending", "uncorrectable")
_LATER = ("reallocated", "media")
_PATHS = tuple(f"errors.{name}" for name in ("media", "reallocated", "pending", "uncorrectable", "link"))


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each drive that tells at least one counter, and of which no worse is told."""
    for _, drive in drives(inventory):
        link = ("link",) if drive.interface != "sas" else ()
        counts = {name: getattr(drive.errors, name) for name in ("media", *_NOW, "reallocated", *link)}
        told = {name: number for name, number in counts.items() if number is not None}
        wrong = {name: number for name, number in told.items() if number >= (_MANY_LINK if name == "link" else 1)}
        if drive.status == "critical" or drive.role == "failed" or expects_failure(drive):
            continue
        if wrong:
            yield _failed(drive, wrong)
        elif told:
            yield SAY.passed(drive, "The drive counts no errors that matter.")


def _failed(drive: Drive, wrong: dict[str, int]) -> Finding:
    parts = sum(number for name, number in wrong.items() if name not in ("media", "link"))
    if wrong.get("media", 0) <= parts:  # their sum, which says nothing new
        wrong = {name: number for name, number in wrong.items() if name != "media"}
    sectors = {name: number for name, number in wrong.items() if name != "link"}
    mean = "means" if sum(wrong.values()) == 1 else "mean"
    return SAY.failed(
        drive,
        f"The drive counts {_said(wrong)}{'' if sectors else f', which {mean} its cable, connector or backplane'}.",
        remedy="Keep a snapshot and compare in a week; replace the drive when the number grows."
        if sectors
        else "Seat or change its cable; when the number still grows, look at the backplane.",
        severity=_severity(wrong),
        field=f"errors.{next(iter(sectors or wrong))}",
        wanted="0",
        evidence=facts(drive, *_PATHS, "serial"),
    )


def _severity(wrong: dict[str, int]) -> Severity:
    if any(name in wrong for name in _NOW) or any(wrong.get(name, 0) >= _MANY for name in _LATER):
        return "warning"
    return "warning" if "link" in wrong else "info"


def _said(wrong: dict[str, int]) -> str:
    """``41 media errors and 2 sectors that are unreadable now``."""
    words = {
        "media": "media error",
        "reallocated": "reallocated sector",
        "pending": "unreadable sector",
        "uncorrectable": "uncorrectable error",
        "link": "link error",
    }
    return listing(f"{number} {words[name]}{'s' * (number != 1)}" for name, number in wrong.items())


RULE = Rule(name=SAY.rule, title="A drive's error counters are not zero", severity=SAY.severity, check=check)
