"""The hardware or its tool reports trouble for which there is no rule of its own.

**What it looks for.** Problems of kind `state` in the inventory: warnings that a tool prints beside its tables.

**Why.** Tools warn of much that no vocabulary foresees: a foreign configuration, a failed power supply of an enclosure,
a cable error, a mode that forbids changes. Such a line stands once in three hundred lines of output. What another rule
says of the same object (a volume that is degraded, a drive that fails) is not repeated here.

**Fails** (warning, or information where it is only good to know).

**Passes** when nothing of the kind was reported.

**Cannot tell:** what the tool does not print.

**Remedy.** As the message says; `raidctl show --explain ID` prints the line that it was read from.

**Example.** Fails: a problem of kind `state`: "The hardware monitor says of Power 02: Failed." Passes: none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidctl.audit.builtin._look import NOT_WHOLE, being_rebuilt, expects_failure
from raidctl.audit.builtin._say import Voice
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Controller, Drive, Inventory, Problem

SAY = Voice("reported_trouble", "warning")
_COUNTED = re.compile(
    r"counts? \d+ (.*(drives|disks)|media errors)|firmware (update|upgrade)|newer firmware|sectors that differ|"
    r"write caches (of .* )?are (on|switched on)|has a failed member|units are not optimal|count of .* drives|"
    r"write-back is in force",
    re.IGNORECASE,
)
"""Sums of what the objects say themselves, and what other rules say better."""
_LOST = re.compile(r"unrecoverable|data (was|were|has been|have been) lost", re.IGNORECASE)
"""What is worth a word of an object whatever else is said of it: data are gone already."""


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each report that no other rule makes."""
    spoken = {name for card in inventory.controllers for name in _spoken(card)}
    told = [problem for problem in inventory.problems if _own(problem, spoken)]
    for problem in told:
        yield SAY.of_place(
            "fail",
            problem.where,
            problem.message,
            remedy=problem.remedy,
            severity="info" if problem.severity == "info" else None,
            evidence=("problem.kind = state",),
        )
    if not told and inventory.controllers:
        yield SAY.of_place("pass", "host", "No other trouble was reported.", remedy=None)


def _own(problem: Problem, spoken: set[str]) -> bool:
    if problem.kind != "state" or _COUNTED.search(problem.message):
        return False
    return problem.where not in spoken or _LOST.search(problem.message) is not None


def _told(drive: Drive) -> bool:
    return expects_failure(drive) or being_rebuilt(drive)


def _spoken(card: Controller) -> Iterator[str]:
    """The objects of which another rule speaks, as their state is not good."""
    yield from (drive.id for drive in card.drives if drive.status in ("critical", "unknown") or _told(drive))
    yield from (array.id for array in card.arrays if array.status in ("warning", "critical"))
    yield from (battery.id for battery in card.batteries if battery.status != "ok" or battery.replace)
    for volume in card.volumes:
        cache = volume.cache
        if volume.status in NOT_WHOLE or volume.status == "unknown" or (cache and cache.why_not_in_force):
            yield volume.id
    bad_cache = card.cache is not None and card.cache.status in ("warning", "critical")
    if bad_cache or card.status in ("warning", "critical") or card.firmware_update:
        yield card.id


RULE = Rule(name=SAY.rule, title="The hardware reports trouble of another kind", severity=SAY.severity, check=check)
