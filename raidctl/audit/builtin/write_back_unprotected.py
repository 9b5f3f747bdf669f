"""Write-back is active, or will be, without a battery protecting unwritten data.

**What it checks.** Volumes whose controller acknowledges writes from its own memory (write-back) while nothing powers
that memory in a power failure, or which are configured to continue so when the battery fails.

**Why it matters.** In write-back, "written" means "in the controller's memory". A database that received "committed"
has committed to memory that is lost within milliseconds without power. The firmware flushes the cache only every few
seconds, so a power failure takes up to the whole cache: hundreds of megabytes of acknowledged writes, out of order,
including the file system's journal. A healthy battery or capacitor preserves the data; without one there is no second
copy.

**Fails** (critical) when write-back is active and the controller's cache is not protected; also when it is active
while the controller's only battery is failed or missing, whatever the tool reports; (warning) when the cache is
protected now, but write-back is configured to continue when the battery fails ("always", "even if bad battery"), which
nobody would notice. The volatile caches of the drives are covered by `drive_cache_volatile`.

**Passes** when writes go through to the drives, or write-back is active, protected, and ends when the battery fails.

**Unknown** when write-back is active and the tool does not report whether anything protects it, or whether it ends when
the battery fails.

**How to fix.** Use write-back that ends when the battery fails
(`raidctl cache set TARGET --write protected-write-back`): it is as fast while the battery is good. Without a battery:
`--write write-through`, or fit one.

**Example.** Fails: `write_active = write_back`, `controller_cache = unprotected`. Passes: the same with
`controller_cache = protected` and `write_policy = protected_write_back`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import cached_volumes, protected
from raidctl.audit.builtin._wording import plain
from raidctl.model import Controller, Inventory, Volume, VolumeCache
from raidctl.model.settable import settable

FINDINGS = RuleFindings(
    "write_back_unprotected", "critical", "Write-back without protection by a battery is active or will be"
)
_WANTED = "write-back only while a battery or capacitor protects unwritten data"
_REMEDY = (
    "Use write-back that ends when the battery fails: `raidctl cache set {0} --write protected-write-back`. Without a "
    "good battery: `raidctl cache set {0} --write write-through`."
)
_BY_HAND = "Use write-back that ends when the battery fails, or write-through without a good battery"


def check(inventory: Inventory) -> Findings:
    """One finding for each volume whose write policy is reported."""
    for controller, volume in cached_volumes(inventory):
        if volume.cache is not None and (volume.cache.write_active or volume.cache.write_policy):
            yield _judge(controller, volume, volume.cache)


def _judge(controller: Controller, volume: Volume, cache: VolumeCache) -> Finding:
    evidence = facts(volume, "cache.write_policy", "cache.write_active", "cache.controller_cache")
    for battery in controller.batteries:
        evidence += facts(battery, "status", of=volume)
    remedy = settable(controller, "write_policy", _REMEDY.format(volume.id), _BY_HAND)
    field = "cache.controller_cache"
    if cache.controller_cache == "unprotected":
        why = _why(controller, volume)
        message = f"Unwritten data in the controller's cache is not protected{why}: a power failure loses it."
        return FINDINGS.failed(volume, message, remedy, wants=(field, _WANTED), more=evidence)
    dead = controller.batteries and all(battery.status in ("failed", "missing") for battery in controller.batteries)
    if cache.write_active == "write_back" and dead:
        state = controller.batteries[0].status
        message = f"Write-back is active although the battery is {state}: a power failure loses unwritten data."
        return FINDINGS.failed(volume, message, remedy, wants=(field, _WANTED), more=evidence)
    if cache.write_policy == "unprotected_write_back":
        message = "Write-back continues when the battery fails: from then on a power failure loses unwritten data."
        return FINDINGS.failed(
            volume, message, remedy, severity="warning", wants=("cache.write_policy", _WANTED), more=evidence
        )
    if cache.write_active == "write_back" and (cache.controller_cache == "unknown" or cache.write_policy is None):
        message = (
            "Write-back is active and the battery is ok; whether write-back ends when the battery fails is unknown."
            if protected(controller)
            else "Write-back is active, and the tool does not report whether a battery protects unwritten data."
        )
        return FINDINGS.unknown(volume, message, _check_battery(controller, volume), wants=(field, None), more=evidence)
    return FINDINGS.passed(volume, "No unwritten data is in an unprotected cache.")


def _why(controller: Controller, volume: Volume) -> str:
    """Why a good battery does not protect it. Empty unless the volume reports the value that keeps write-back on."""
    setting = controller.capabilities.get("no_battery_write_cache")
    if not protected(controller) or setting is None or not setting.read or setting.set or not setting.why:
        return ""
    reported = any(f"`{value}`" in setting.why for value in volume.details.values())
    return f" although the battery is ok ({plain(setting.why)})" if reported else ""


def _check_battery(controller: Controller, volume: Volume) -> str:
    if protected(controller):
        remedy, policy = "Use write-back that ends when the battery fails", "protected-write-back"
    else:
        remedy = "Check whether the controller has a battery or capacitor; until then use write-through"
        policy = "write-through"
    command = f"{remedy}: `raidctl cache set {volume.id} --write {policy}`."
    return settable(controller, "write_policy", command, remedy)
