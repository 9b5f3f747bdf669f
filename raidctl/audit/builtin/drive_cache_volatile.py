"""The drives behind a controller keep writes in their own volatile caches.

**What it checks.** Volumes of a RAID controller whose drives have their own write caches on.

**Why it matters.** A drive's cache is plain memory, up to 512 MiB, and the controller's battery does not power it. The
controller flushes its protected cache to the drive and drops its copy; if the power fails then, the drive still holds
the data in memory and loses it. With parity RAID this is worse than a lost write: data and parity no longer match, and
a later rebuild computes garbage. A file system directly on a drive sends flush commands and is safe with the cache on,
so plain drives and software RAID are not checked here; whether a controller passes flushes on is not documented.

**Fails** (warning) when the controller is configured to enable the drives' caches, or a drive reports its cache on,
whatever is configured; (information) for volumes of SSDs: server SSDs protect their cache with capacitors, and no tool
reports which ones do.

**Passes** when the controller keeps them off, or every member drive reports its cache off.

**Unknown** (information) when the state is not reported: server drives (SAS) usually ship with the cache off, desktop
drives (SATA) with it on.

**How to fix.** `raidctl cache set VOLUME --drive-cache off`. Sequential writes to SATA drives become slower; the
controller's cache compensates. Drives with capacitors (SSDs "with power loss protection") may keep it on.

**Example.** Fails: `cache.drive_caches = on`. Passes: `cache.drive_caches = off`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import below, cached_volumes, medium
from raidctl.audit.builtin._wording import short
from raidctl.model import Controller, Inventory, Volume, VolumeCache
from raidctl.model.settable import settable

FINDINGS = RuleFindings(
    "drive_cache_volatile", "warning", "The volatile write caches of drives behind a controller are on"
)
_FIELD = "cache.drive_caches"
_WANTED = "the write caches of the drives off"
_BY_HAND = "Disable the write caches of the drives"


def check(inventory: Inventory) -> Findings:
    """One finding for each volume that a controller could cache."""
    for controller, volume in cached_volumes(inventory):
        if volume.cache is not None:
            yield _judge(controller, volume, volume.cache)


def _judge(controller: Controller, volume: Volume, cache: VolumeCache) -> Finding:
    drives = below(controller, volume)
    policy = cache.drive_write_cache
    on = [drive for drive in drives if drive.write_cache == "enabled"]
    evidence = facts(volume, "cache.drive_write_cache", _FIELD)
    evidence += tuple(fact for drive in on[:4] for fact in facts(drive, "write_cache", of=volume))
    if cache.drive_caches == "on":
        kind = medium(drives)
        return FINDINGS.failed(
            volume,
            _message(policy, [drive.id for drive in on], short(on), ssd=kind == "ssd"),
            _remedy(controller, volume, policy, ssd=kind != "hdd"),
            severity="info" if kind == "ssd" else None,
            wants=(_FIELD, _WANTED),
            more=evidence,
        )
    if cache.drive_caches == "off":
        return FINDINGS.passed(volume, "The write caches of the drives are off.")
    message = "No tool reports whether the write caches of the drives are on."
    remedy = _off(controller, f"Disable them: `raidctl cache set {volume.id} --drive-cache off`.")
    return FINDINGS.unknown(volume, message, remedy, severity="info", wants=(_FIELD, _WANTED), more=evidence)


def _remedy(controller: Controller, volume: Volume, policy: str | None, *, ssd: bool) -> str:
    if policy == "disabled":
        return "Check the drives with the vendor's tool: either the setting or the drives' report is wrong."
    keep = "; SSDs with power-loss protection may keep theirs on" if ssd else ""
    return _off(controller, f"`raidctl cache set {volume.id} --drive-cache off`{keep}.", f"{_BY_HAND}{keep}")


def _off(controller: Controller, command: str, by_hand: str = _BY_HAND) -> str:
    return settable(controller, "drive_write_cache", command, by_hand)


def _message(policy: str | None, on: list[str], names: str, *, ssd: bool) -> str:
    unless = "unless the SSDs have power-loss protection" if ssd else "even with a protected controller cache"
    loses = f"a power failure loses what they hold, {unless}."
    if policy == "disabled":
        return (
            f"The write caches of the drives are configured off, but {names} report{'s' * (len(on) == 1)} on: {loses}"
        )
    return f"The write caches of the drives are on{f' ({names})' if on else ''}: {loses}"
