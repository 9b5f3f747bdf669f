"""The last consistency check failed, was stopped or is too long ago.

**What it checks.** When the last check (scrub) of a redundant volume ended, its result, and whether the next one
started when it was due. Of a volume without redundancy (a ZFS pool of single drives), only a failed check counts.
That no check is scheduled is reported by `consistency_check_off`.

**Why it matters.** A schedule is not a check: a timer may never fire, a check may not fit into its nightly window and
restart from the beginning every month, a busy controller may skip it. Sectors that went bad in the meantime are found
by the rebuild, when it is too late.

**Fails** (warning) when the last check failed or ended more than 60 days ago, or the next one is more than 60 days
overdue; (information) when it was stopped before its end and no earlier one is known.

**Passes** when a complete check ended within 60 days.

**Unknown** when the end of the last check or the time of the scan is not reported, or the check ended more than a day
after the scan (a clock is wrong). Volumes of tools that report nothing about checks are not checked.

**How to fix.** Start one at a quiet time (`raidctl check start VOLUME`; ZFS: `zpool scrub POOL`; LVM:
`lvchange --syncaction check VG/LV`), and give the schedule more time; `raidctl check schedule show` lists it.
`raidctl verify --checked-within 60d` tests the result.

**Example.** Fails: `consistency_check.last_at` in January, scanned in June. Passes: scanned in February.
"""

from __future__ import annotations

import shlex
from datetime import datetime, timedelta

from msgspec import structs

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, Severity, facts
from raidctl.audit.builtin._queries import REDUNDANT, used_volumes
from raidctl.model import Controller, Inventory, Scrub, Volume
from raidctl.select import family_of
from raidctl.text import counted
from raidctl.units import parse_moment

FINDINGS = RuleFindings("check_overdue", "warning", "A consistency check is overdue")
LONG = timedelta(days=60)
_OF_LINUX = {"zfs": "zpool scrub", "lvm": "lvchange --syncaction check"}
"""Commands for families whose checks raidctl does not start; the name of the pool or volume follows."""


def check(inventory: Inventory) -> Findings:
    """One finding for each redundant volume with some information about checks, and for each failed check."""
    now = parse_moment(inventory.host.collected_at)
    for controller, volume in used_volumes(inventory):
        scrub = volume.consistency_check or controller.consistency_check
        known = scrub is not None and (scrub.last_at or scrub.last_result or scrub.mode in ("automatic", "manual"))
        counts = volume.raid_level in REDUNDANT or (scrub is not None and scrub.last_result == "failed")
        if counts and scrub is not None and known:
            yield _judge(controller, volume, scrub, now)


def _judge(controller: Controller, volume: Volume, scrub: Scrub, now: datetime | None) -> Finding:
    last, due = parse_moment(scrub.last_at), parse_moment(scrub.next_at)
    if scrub.last_result == "failed":
        message = "The last consistency check found differences or errors"
        if family_of(controller) == "zfs":
            remedy = "List the damaged files with `zpool status -v`, restore them from a backup, and start a scrub."
            return structs.replace(_failed(volume, f"{message} that it could not repair."), remedy=remedy)
        return _failed(volume, f"{message}.")
    age = now - last if now is not None and last is not None else None
    if age is not None and age > LONG:
        return _failed(volume, f"The last complete consistency check ended {_days(age)} ago.")
    if now is not None and due is not None and now - due > LONG:
        return _failed(volume, f"The consistency check that was due {_days(now - due)} ago has not started.")
    if scrub.last_result == "unfinished" and last is None:
        return _failed(volume, "The last consistency check was stopped before it was complete.", "info")
    if age is not None and age < timedelta(days=-1):
        message = f"The last consistency check ended after this scan ({scrub.last_at}): a clock is wrong."
        return FINDINGS.unknown(volume, message, severity="info")
    if age is not None:
        return FINDINGS.passed(volume, f"The last consistency check ended {_days(age)} ago.")
    what = "the last consistency check" if now is not None else "the scan"
    return FINDINGS.unknown(volume, f"The time of {what} is unknown.", severity="info")


def _days(passed: timedelta) -> str:
    return counted(max(passed.days, 0), "day")


def _failed(volume: Volume, message: str, severity: Severity | None = None) -> Finding:
    family, _, native = volume.id.partition(":")
    command = (
        f"{_OF_LINUX[family]} {shlex.quote(native)}" if family in _OF_LINUX else f"raidctl check start {volume.id}"
    )
    remedy = f"Start one at a quiet time: `{command}`."
    evidence = facts(volume, *(f"consistency_check.{name}" for name in ("last_at", "last_result", "next_at")))
    return FINDINGS.failed(
        volume, message, remedy, severity=severity, wants=("consistency_check.last_at", "within 60 days"), more=evidence
    )
