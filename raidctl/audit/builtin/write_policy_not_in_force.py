"""The active write policy differs from the configured one.

**What it checks.** The configured and the active write policy of each volume, and the reason if they differ.

**Why it matters.** This is the most frequent cause of "the database has become ten times slower overnight, and nothing
was changed". Protected write-back ends when the battery fails: it ages, runs a learn cycle, overheats, or its cable
comes loose, and the controller falls back to write-through without notifying the system. A random write then waits for
half a rotation of the drive on average (4 ms at 7,200 rpm, and for a whole one more with parity) instead of 0.1 ms.
Monitoring that reads only the configured policy continues to show "write-back".

**Fails** (warning) when write-back is configured and write-through is active, with the tool's reason if it gives one;
also when write-through is configured and write-back is active; (information) while a battery learns or charges, which
ends after some hours.

**Passes** when the active policy is the configured one.

**Unknown** when write-back is configured and the tool does not report the active policy.

**How to fix.** Fix the cause, usually the battery (see `battery_failed`). Do not force write-back: it would be fast,
and lose data at the next power failure.

**Example.** Fails: `cache.write_policy = protected_write_back`, `cache.write_active = write_through`. Passes: the same
with `cache.write_active = write_back`.
"""

from __future__ import annotations

import shlex

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import cached_volumes
from raidctl.audit.builtin._wording import plain
from raidctl.health.judge import Condition
from raidctl.health.phrases import has_state
from raidctl.health.reliance import recovering
from raidctl.model import Controller, Inventory, Volume, WriteActive, WritePolicy
from raidctl.model.settable import settable

FINDINGS = RuleFindings(
    "write_policy_not_in_force", "warning", "The active write policy differs from the configured one"
)
_WORDS = {
    "write_through": "write-through",
    "protected_write_back": "write-back",
    "unprotected_write_back": "write-back always",
    "write_back": "write-back",
    "off": "no write cache",
}
_FIELD = "cache.write_active"


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose configured policy is reported."""
    found = FINDINGS.conditions(inventory)
    for controller, volume in cached_volumes(inventory):
        finding = _judge(controller, volume, found.get(volume.id))
        if finding is not None:
            yield finding


def _judge(controller: Controller, volume: Volume, one: Condition | None) -> Finding | None:
    cache = volume.cache
    if cache is None or cache.write_policy is None:
        return None
    wanted = _WORDS[cache.write_policy]
    evidence = facts(volume, "cache.write_policy", "cache.write_active", "cache.why_not_in_force")
    evidence += tuple(fact for battery in controller.batteries for fact in facts(battery, "status", of=volume))
    if one is None and cache.write_active is None:
        if "write_back" not in cache.write_policy:
            return None
        place = shlex.quote(volume.mountpoints[0]) if volume.mountpoints else "DIRECTORY"
        return FINDINGS.unknown(
            volume,
            f"{wanted.capitalize()} is configured; the tool does not report whether it is active.",
            "Use the newest version of the vendor's tool, or measure on the machine itself: "
            f"`raidctl verify --measure --policy-active {place}`.",
            wants=(_FIELD, wanted),
            more=evidence,
        )
    if one is None:
        return FINDINGS.passed(volume, "The configured write policy is active.")
    why = plain(cache.why_not_in_force) or _unexplained(controller)
    active = f"{_WORDS[cache.write_active]} is active" if cache.write_active else "the active policy is unknown"
    message = f"{wanted.capitalize()} is configured, {active}: {why}."
    remedy = _remedy(controller, volume, cache.write_policy, cache.write_active)
    return FINDINGS.failed(volume, message, remedy, wants=(_FIELD, wanted), more=evidence)


def _unexplained(controller: Controller) -> str:
    """What is known if the tool gives no reason: a bad battery may be it."""
    bad = next((battery for battery in controller.batteries if battery.status not in ("ok", "unknown")), None)
    return "no reason reported" + (f", but the battery {has_state(bad.status)}" if bad else "")


def _remedy(controller: Controller, volume: Volume, policy: WritePolicy, active: WriteActive | None) -> str:
    if active == "write_back":
        look = "and check that the controller has applied it"
        command = f"`raidctl cache set {volume.id} --write {policy.replace('_', '-')}`"
        return settable(controller, "write_policy", f"Set it again ({command}), {look}.", f"Set it again, {look}")
    if recovering(controller):
        return (
            "Wait until the learn cycle or charging is complete; writes are slow until then. Do not force write-back."
        )
    return "Fix the cause, usually the battery or its cable; writes are slow until then. Do not force write-back."
