"""Another write policy is in force than the one that is configured.

**What it looks for.** Volumes whose configured write policy and whose policy in force differ, and the reason.

**Why.** This is the most frequent cause of "the database has become ten times slower overnight, and nothing was
changed". Write-back that is protected by a battery ends when the battery ends: it ages, learns, overheats, or its
cable comes loose, and the controller falls back to write-through without a word to the system. A random write then
takes a disk's rotation (4 ms at 7200 turns a minute, twice that with parity) instead of 0.1 ms. Monitoring that asks
only for what is configured goes on saying "write-back".

**Fails** (warning) when write-back is configured and write-through is in force, with the tool's reason where it gives
one; also when write-through is configured and write-back is in force. Information only while a battery learns or
charges: that is over in some hours by itself.

**Passes** when what is in force carries out what is configured.

**Cannot tell** when write-back is configured and the tool does not say what is in force.

**Remedy.** Mend the cause, usually the battery (see `battery_failed`). Do not force write-back instead: it would be
fast, and lose data with the next power failure.

**Example.** Fails: `cache.write_policy = protected_write_back`, `cache.write_active = write_through`. Passes: the same
with `cache.write_active = write_back`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts, settable
from raidctl.audit.builtin._queries import cached_volumes, plain
from raidctl.health.judge import Condition, recovering
from raidctl.model import Controller, Inventory, Volume, WriteActive, WritePolicy

FINDINGS = RuleFindings(
    "write_policy_not_in_force", "warning", "The write policy in force is not the one that is configured"
)
_SAID = {
    "write_through": "write-through",
    "protected_write_back": "write-back",
    "unprotected_write_back": "write-back always",
    "write_back": "write-back",
    "off": "no write cache",
}
_FIELD = "cache.write_active"


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose configured policy is told."""
    found = FINDINGS.conditions(inventory)
    for card, volume in cached_volumes(inventory):
        finding = _judge(card, volume, found.get(volume.id))
        if finding is not None:
            yield finding


def _judge(card: Controller, volume: Volume, one: Condition | None) -> Finding | None:
    cache = volume.cache
    if cache is None or cache.write_policy is None:
        return None
    wanted = _SAID[cache.write_policy]
    evidence = facts(volume, "cache.write_policy", "cache.write_active", "cache.why_not_in_force")
    evidence += tuple(fact for battery in card.batteries for fact in facts(battery, "status", of=volume))
    if one is None and cache.write_active is None:
        if "write_back" not in cache.write_policy:
            return None
        return FINDINGS.unknown(
            volume,
            f"{wanted.capitalize()} is configured; the tool does not report whether it is active.",
            "Ask again with the maker's newest tool, or measure: `raidctl verify --policy-active`.",
            wants=(_FIELD, wanted),
            more=evidence,
        )
    if one is None:
        return FINDINGS.passed(volume, "The configured write policy is active.")
    why = plain(cache.why_not_in_force) or _guess(card)
    active = f"{_SAID[cache.write_active]} is active" if cache.write_active else "what is active is uncertain"
    message = f"{wanted.capitalize()} is configured, {active}: {why}."
    remedy = _remedy(card, volume, cache.write_policy, cache.write_active)
    return FINDINGS.failed(volume, message, remedy, wants=(_FIELD, wanted), more=evidence)


def _guess(card: Controller) -> str:
    """The reason where the tool gives none: what is known of the battery, and else that it gives none."""
    bad = next((battery for battery in card.batteries if battery.status not in ("ok", "unknown")), None)
    return f"the battery is {bad.status}" if bad else "no reason reported"


def _remedy(card: Controller, volume: Volume, policy: WritePolicy, active: WriteActive | None) -> str:
    if active == "write_back":
        look = "and look whether the controller has taken it this time"
        command = f"`raidctl cache set {volume.id} --write {policy.replace('_', '-')}`"
        return settable(card, "write_policy", f"Set it again ({command}), {look}.", f"Set it again, {look}")
    if recovering(card):
        return "Wait until the battery has learnt or charged; writes are slow until then. Do not force write-back."
    return "Fix the cause, usually the battery or its cable; writes are slow until then. Do not force write-back."
