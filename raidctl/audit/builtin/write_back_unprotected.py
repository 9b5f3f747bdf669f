"""Written data waits in a cache that loses it when the power fails.

**What it looks for.** A volume whose controller acknowledges writes from its own memory (write-back), while nothing
keeps that memory alive without mains power, or while it is set to go on so when the battery fails.

**Why.** In write-back, "written" means "in the controller's memory". A database that was told "committed" has
committed to a chip that forgets within milliseconds. The firmware empties the cache only every few seconds, so a power
cut takes up to the whole cache with it: hundreds of megabytes of acknowledged writes, out of order, the file system's
journal among them. A healthy battery or capacitor carries the data over; without one there is no second copy.

**Fails** (critical) when write-back is active and the controller's cache is not protected; also when it is active
while the controller's only battery is failed or missing, whatever the tool reports. A warning when it is protected now,
but set to stay in write-back when the battery dies ("always", "even if bad battery"): nobody will be told on that day.

The volatile caches of the drives behind the controller are not meant here: `drive_cache_volatile` speaks of them.

**Passes** when writes go through to the drives, or write-back is in force, protected, and given up with the battery.

**Cannot tell** when write-back is active and the tool does not report whether anything protects it.

**Remedy.** Switch to write-back that ends with the battery (`raidctl cache set TARGET --write protected-write-back`):
it is as fast while the battery is good. Without a battery: `--write write-through`, or fit one.

**Example.** Fails: `write_active = write_back`, `controller_cache = unprotected`. Passes: the same with
`controller_cache = protected` and `write_policy = protected_write_back`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts, settable
from raidctl.audit.builtin._queries import cached_volumes, plain, protected
from raidctl.model import Controller, Inventory, Volume, VolumeCache

FINDINGS = RuleFindings(
    "write_back_unprotected", "critical", "Write-back is in force, or will be, without a battery that keeps the data"
)
_WANTED = "write-back only while a battery or capacitor keeps what waits in the cache"
_REMEDY = (
    "Set it to write-back that ends with the battery: `raidctl cache set {} --write protected-write-back`; without a "
    "good battery: `--write write-through`."
)
_BY_HAND = "Set it to write-back that ends with the battery, without a good battery to write-through"


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose cache the tool tells of."""
    for card, volume in cached_volumes(inventory):
        if volume.cache is not None and (volume.cache.write_active or volume.cache.write_policy):
            yield _judge(card, volume, volume.cache)


def _judge(card: Controller, volume: Volume, cache: VolumeCache) -> Finding:
    evidence = facts(volume, "cache.write_policy", "cache.write_active", "cache.controller_cache")
    for battery in card.batteries:
        evidence += facts(battery, "status", of=volume)
    remedy = settable(card, "write_policy", _REMEDY.format(volume.id), _BY_HAND)
    field = "cache.controller_cache"
    if cache.controller_cache == "unprotected":
        message = (
            f"Unwritten data in the controller's cache is not protected{_why(card, volume)}: a power failure loses it."
        )
        return FINDINGS.failed(volume, message, remedy, wants=(field, _WANTED), more=evidence)
    dead = card.batteries and all(battery.status in ("failed", "missing") for battery in card.batteries)
    if cache.write_active == "write_back" and dead:
        message = (
            f"Write-back is in force although the {card.batteries[0].status} battery cannot keep the cache: a power "
            "failure loses what waits in it."
        )
        return FINDINGS.failed(volume, message, remedy, wants=(field, _WANTED), more=evidence)
    if cache.write_policy == "unprotected_write_back":
        message = "Write-back is set to go on when the battery fails: from that day on a power failure loses data."
        return FINDINGS.failed(
            volume, message, remedy, severity="warning", wants=("cache.write_policy", _WANTED), more=evidence
        )
    if cache.write_active == "write_back" and cache.controller_cache == "unknown":
        message = (
            "Write-back is active and the battery is ok; whether write-back ends when the battery fails is unknown."
            if protected(card)
            else "Write-back is active, and the tool does not report whether a battery protects unwritten data."
        )
        return FINDINGS.unknown(volume, message, _look(card, volume), wants=(field, None), more=evidence)
    return FINDINGS.passed(volume, "No written data waits in an unprotected cache.")


def _why(card: Controller, volume: Volume) -> str:
    """Why a good battery does not protect it, where the volume reports the value that keeps write-back on."""
    setting = card.capabilities.get("no_battery_write_cache")
    if not protected(card) or setting is None or not setting.read or setting.set or not setting.why:
        return ""
    reported = any(f"`{value}`" in setting.why for value in volume.details.values())
    return f" although the battery is ok ({plain(setting.why)})" if reported else ""


def _look(card: Controller, volume: Volume) -> str:
    look = "Look at the card for a battery or capacitor; until then"
    command = f"{look}: `raidctl cache set {volume.id} --write write-through`."
    return settable(card, "write_policy", command, f"{look} set it to write-through")
