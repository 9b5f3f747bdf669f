"""The drives below a controller's volume keep writes in their own volatile memory.

**What it looks for.** Volumes of a RAID card whose drives work with their own write caches on.

**Why.** A drive's cache is plain memory, up to 512 MiB of it, and the controller's battery does not feed the drives.
The controller has emptied its protected cache "to the drive", forgets its copy, and the drive still holds the data in
memory when the power goes. With parity RAID it is worse than a lost write: data and parity are then from different
times, and a later rebuild computes garbage. A file system directly on a drive sends flush commands and is safe with
the cache on, so plain drives and software RAID are not judged here; what a card passes down is its firmware's secret.

**Fails** (warning) when the controller is set to switch the caches of the drives on, when it leaves them as they come
and a drive says that its cache is on, and when it is set to keep them off and a drive says that it is on all the same.

As information for volumes of SSDs: those for servers keep their cache alive with capacitors of their own, and no tool
tells which do.

**Passes** when the controller keeps them off, or each drive says that it is off.

**Cannot tell** when the controller leaves the caches "as the drives come" and not every drive tells how that is: disks
for servers mostly come with it off (SAS), disks for desktops with it on (SATA).

**Remedy.** `raidctl cache set VOLUME --drives off`. Sequential writes to SATA drives become slower; the controller's
own cache makes up for it. Drives with capacitors of their own (SSDs "with power loss protection") may keep it on.

**Example.** Fails: `cache.drive_write_cache = enabled`. Passes: `cache.drive_write_cache = disabled`.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.builtin._look import below, cached_volumes, medium, short
from raidctl.audit.builtin._say import Voice, facts, settable
from raidctl.audit.finding import Finding
from raidctl.audit.rule import Rule
from raidctl.model import Controller, Inventory, Volume

SAY = Voice("drive_cache_volatile", "warning")
_FIELD = "cache.drive_write_cache"
_WANTED = "the drives' own write caches off"
_BY_HAND = "Switch the drives' write caches off"


def check(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each volume of a card of whose drives' caches anything is told."""
    for card, volume in cached_volumes(inventory):
        finding = _judge(card, volume)
        if finding is not None:
            yield finding


def _judge(card: Controller, volume: Volume) -> Finding | None:
    drives = below(card, volume)
    policy = volume.cache.drive_write_cache if volume.cache else None
    on = [drive for drive in drives if drive.write_cache == "enabled"]
    evidence = facts(volume, _FIELD) + tuple(f for drive in on[:4] for f in facts(drive, "write_cache", of=volume))
    if policy == "enabled" or on:
        kind = medium(drives)
        return SAY.failed(
            volume,
            _message(policy, [drive.id for drive in on], short(on), ssd=kind == "ssd"),
            remedy=_remedy(card, volume, policy, ssd=kind != "hdd"),
            severity="info" if kind == "ssd" else None,
            field=_FIELD,
            wanted=_WANTED,
            evidence=evidence,
        )
    if policy == "disabled" or (drives and all(drive.write_cache == "disabled" for drive in drives)):
        return SAY.passed(volume, "The drives' own write caches are off.")
    if policy == "default":
        return SAY.unknown(
            volume,
            "The controller leaves the drives' write caches as the drives come, and not every drive tells how that is.",
            remedy=_off(card, f"Say it expressly: `raidctl cache set {volume.id} --drives off`."),
            severity="info",
            field=_FIELD,
            wanted=_WANTED,
            evidence=evidence,
        )
    return None


def _remedy(card: Controller, volume: Volume, policy: str | None, *, ssd: bool) -> str:
    if policy == "disabled":
        return "Ask the drives again with the maker's tool; one of the two is wrong. SSDs may protect their cache."
    keep = "; SSDs that protect their cache themselves may keep it on" if ssd else ""
    return _off(card, f"`raidctl cache set {volume.id} --drives off`{keep}.", f"{_BY_HAND}{keep}")


def _off(card: Controller, command: str, by_hand: str = _BY_HAND) -> str:
    return settable(card, "drive_write_cache", command, by_hand)


def _message(policy: str | None, on: list[str], names: str, *, ssd: bool) -> str:
    saved = "unless the SSDs protect it themselves" if ssd else "whatever backs the controller"
    loses = f"what they hold is lost without power, {saved}."
    if policy == "disabled":
        return f"The drives' write caches are set to off, but {names} say{'s' * (len(on) == 1)} that it is on: {loses}"
    return f"The drives' own write caches are on{f' ({names})' if on else ''}: {loses}"


RULE = Rule(
    name=SAY.rule,
    title="The drives below a controller's volume have their volatile write caches on",
    severity=SAY.severity,
    check=check,
)
