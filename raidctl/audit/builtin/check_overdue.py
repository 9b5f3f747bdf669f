"""The last consistency check failed, was not finished, or is long ago.

**What it looks for.** When the last check of a redundant volume ended, with what result, and whether the next one has
started when it was due. That no check is scheduled is the matter of `consistency_check_off`.

**Why.** A schedule is not a check: a timer that never fires, a check that does not fit into its nightly hours and
begins from the start every month, a controller that passes it over while it is busy. Sectors that went bad meanwhile
are found by the rebuild, when it is too late.

**Fails** (warning) when the last check failed or ended more than 60 days ago, or the next one is overdue by as much.
As information when it was stopped before its end and nothing is known of an earlier one.

**Passes** when a complete one ended within 60 days.

**Cannot tell** when nothing reports the end of the last one, or the time of the reading is unknown. Volumes of tools
that report nothing about checks are passed over.

**Remedy.** Start one at a quiet time (`echo check > /sys/block/mdX/md/sync_action`, or the vendor's tool), and give
the schedule more time. `raidctl verify --checked-within 60d` asks for it.

**Example.** Fails: `consistency_check.last_at` in January, read in June. Passes: read in February.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, Severity, facts
from raidctl.audit.builtin._queries import REDUNDANT, used_volumes
from raidctl.model import Inventory, Scrub, Volume
from raidctl.text import counted
from raidctl.units import parse_moment

FINDINGS = RuleFindings("check_overdue", "warning", "A consistency check is overdue")
LONG = timedelta(days=60)


def check(inventory: Inventory) -> Findings:
    """One finding for each redundant volume of which something is known about checks."""
    now = parse_moment(inventory.host.collected_at)
    for card, volume in used_volumes(inventory):
        scrub = volume.consistency_check or card.consistency_check
        known = scrub is not None and (scrub.last_at or scrub.last_result or scrub.mode in ("automatic", "manual"))
        if volume.raid_level in REDUNDANT and scrub is not None and known:
            yield _judge(volume, scrub, now)


def _judge(volume: Volume, scrub: Scrub, now: datetime | None) -> Finding:
    last, due = parse_moment(scrub.last_at), parse_moment(scrub.next_at)
    if scrub.last_result == "failed":
        return _failed(volume, "The last consistency check found differences or errors.")
    if now is not None and last is not None and now - last > LONG:
        return _failed(volume, f"The last complete consistency check ended {_days(now - last)} ago.")
    if now is not None and due is not None and now - due > LONG:
        return _failed(volume, f"The consistency check that was due {_days(now - due)} ago has not started.")
    if scrub.last_result == "unfinished" and last is None:
        return _failed(volume, "The last consistency check was stopped before its end.", "info")
    if now is not None and last is not None:
        return FINDINGS.passed(volume, f"The last consistency check ended {_days(now - last)} ago.")
    what = "the last consistency check" if now is not None else "the reading"
    return FINDINGS.unknown(volume, f"The time of {what} is unknown.", severity="info")


def _days(passed: timedelta) -> str:
    return counted(passed.days, "day")


def _failed(volume: Volume, message: str, severity: Severity | None = None) -> Finding:
    start = f"`echo check > /sys/block/{(volume.device or '/dev/mdX')[5:]}/md/sync_action`"
    remedy = f"Start one at a quiet time{f': {start}' if volume.cache is None else ' with the tool of the vendor'}."
    evidence = facts(volume, *(f"consistency_check.{name}" for name in ("last_at", "last_result", "next_at")))
    return FINDINGS.failed(
        volume, message, remedy, severity=severity, wants=("consistency_check.last_at", "within 60 days"), more=evidence
    )
