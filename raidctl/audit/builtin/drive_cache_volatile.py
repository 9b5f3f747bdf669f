"""The drives below a controller's volume keep writes in their own volatile memory.

**What it looks for.** Volumes of a RAID card whose drives work with their own write caches on.

**Why.** A drive's cache is plain memory, up to 512 MiB of it, and the controller's battery does not feed the drives.
The controller has emptied its protected cache "to the drive", forgets its copy, and the drive still holds the data in
memory when the power goes. With parity RAID it is worse than a lost write: data and parity are then from different
times, and a later rebuild computes garbage. A file system directly on a drive sends flush commands and is safe with
the cache on, so plain drives and software RAID are not judged here; what a card passes down is its firmware's secret.

**Fails** (warning) when the controller is set to switch the drives' caches on, or when a drive reports its cache on,
whatever the setting.

As information for volumes of SSDs: those for servers keep their cache alive with capacitors of their own, and no tool
tells which do.

**Passes** when the controller keeps them off, or every member drive reports its cache off.

**Cannot tell** (information) when no tool reports them: drives for servers mostly come with the cache off (SAS), drives
for desktops with it on (SATA).

**Remedy.** `raidctl cache set VOLUME --drive-cache off`. Sequential writes to SATA drives become slower; the
controller's own cache makes up for it. Drives with capacitors (SSDs "with power loss protection") may keep it on.

**Example.** Fails: `cache.drive_caches = on`. Passes: `cache.drive_caches = off`.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts, settable
from raidctl.audit.builtin._queries import below, cached_volumes, medium, short
from raidctl.model import Controller, Inventory, Volume, VolumeCache

FINDINGS = RuleFindings(
    "drive_cache_volatile", "warning", "The drives below a controller's volume have their volatile write caches on"
)
_FIELD = "cache.drive_caches"
_WANTED = "the drives' own write caches off"
_BY_HAND = "Switch the drives' write caches off"


def check(inventory: Inventory) -> Findings:
    """One finding for each volume that a controller could cache."""
    for card, volume in cached_volumes(inventory):
        if volume.cache is not None:
            yield _judge(card, volume, volume.cache)


def _judge(card: Controller, volume: Volume, cache: VolumeCache) -> Finding:
    drives = below(card, volume)
    policy = cache.drive_write_cache
    on = [drive for drive in drives if drive.write_cache == "enabled"]
    evidence = facts(volume, "cache.drive_write_cache", _FIELD)
    evidence += tuple(fact for drive in on[:4] for fact in facts(drive, "write_cache", of=volume))
    if cache.drive_caches == "on":
        kind = medium(drives)
        return FINDINGS.failed(
            volume,
            _message(policy, [drive.id for drive in on], short(on), ssd=kind == "ssd"),
            _remedy(card, volume, policy, ssd=kind != "hdd"),
            severity="info" if kind == "ssd" else None,
            wants=(_FIELD, _WANTED),
            more=evidence,
        )
    if cache.drive_caches == "off":
        return FINDINGS.passed(volume, "The drives' own write caches are off.")
    message = "No tool reports whether the drives' own write caches are on."
    remedy = _off(card, f"Switch them off: `raidctl cache set {volume.id} --drive-cache off`.")
    return FINDINGS.unknown(volume, message, remedy, severity="info", wants=(_FIELD, _WANTED), more=evidence)


def _remedy(card: Controller, volume: Volume, policy: str | None, *, ssd: bool) -> str:
    if policy == "disabled":
        return "Ask the drives again with the maker's tool; one of the two is wrong. SSDs may protect their cache."
    keep = "; SSDs that protect their cache themselves may keep it on" if ssd else ""
    return _off(card, f"`raidctl cache set {volume.id} --drive-cache off`{keep}.", f"{_BY_HAND}{keep}")


def _off(card: Controller, command: str, by_hand: str = _BY_HAND) -> str:
    return settable(card, "drive_write_cache", command, by_hand)


def _message(policy: str | None, on: list[str], names: str, *, ssd: bool) -> str:
    saved = "unless the SSDs protect it themselves" if ssd else "whatever backs the controller"
    loses = f"what they hold is lost without power, {saved}."
    if policy == "disabled":
        return f"The drives' write caches are set to off, but {names} report{'s' * (len(on) == 1)} on: {loses}"
    return f"The drives' own write caches are on{f' ({names})' if on else ''}: {loses}"
