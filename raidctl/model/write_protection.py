"""Whether written data in the caches of controller and drives survives a power failure. Pure.

Vendor packages report the controller's part. The drives' part follows from the controller's setting and from the drives
themselves: a drive that reports its cache on overrides a setting that keeps it off.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from raidctl.model import Controller, ControllerCacheSafety, Drive, DriveCaches, Volume, VolumeCache, WriteActive
from raidctl.model.drives_below import DrivesBelow

_DRIVE: dict[str | None, DriveCaches] = {"enabled": "on", "disabled": "off", None: "unknown"}


def without_cache(controller: Controller) -> bool:
    """Whether a controller certainly has no write cache, and needs no battery: software, no RAID, no cache."""
    return controller.mode in ("software", "none", "hba") or (
        controller.cache is not None and controller.cache.present is False
    )


def controller_cache(active: WriteActive | None, *, kept: bool | None) -> ControllerCacheSafety:
    """The controller's part; ``kept``: whether a battery or capacitor protects unwritten data."""
    if active is None or (active == "write_back" and kept is None):
        return "unknown"
    if active != "write_back":
        return "not_caching"
    return "protected" if kept else "unprotected"


def write_protected(cache: VolumeCache) -> bool | None:
    """Both parts combined."""
    if cache.controller_cache == "unprotected" or cache.drive_caches == "on":
        return False
    return None if "unknown" in (cache.controller_cache, cache.drive_caches) else True


def derived(controllers: Iterable[Controller]) -> tuple[Controller, ...]:
    """The controllers with derived cache properties.

    Each volume that has a cache gets ``drive_caches`` and ``write_protected``.
    """
    every = tuple(controllers)
    below = DrivesBelow(every)

    def judged(volume: Volume) -> Volume:
        if volume.cache is None:
            return volume
        cache = replace(volume.cache, drive_caches=drive_caches(volume, below))
        return replace(volume, cache=replace(cache, write_protected=write_protected(cache)))

    return tuple(replace(controller, volumes=tuple(map(judged, controller.volumes))) for controller in every)


def drive_caches(volume: Volume, below: DrivesBelow, above: frozenset[str] = frozenset()) -> DriveCaches:
    """The volatile caches of the drives below a volume or software array. ``above``: ids of the volumes on it."""
    if volume.id in above:
        return "unknown"
    setting = volume.cache.drive_write_cache if volume.cache else None
    members = below.members(volume)
    states = {_of_drive(drive, below, above | {volume.id}) for drive in members.drives}
    if setting == "enabled" or "on" in states:
        return "on"
    if members.undescribed:
        return "unknown"
    if not members.drives and any(drive.write_cache == "enabled" for drive in below.in_no_array(volume)):
        return "unknown"  # it may be a drive of the volume, and contradict the setting
    return "off" if setting == "disabled" else _together(states, complete=members.complete)


def _of_drive(drive: Drive, below: DrivesBelow, above: frozenset[str]) -> DriveCaches:
    """The drive's own report. For a member of a software array, the reports of the drives below count."""
    if drive.write_cache is not None:
        return _DRIVE[drive.write_cache]
    found = [below.items[name][1] for name in drive.backing if name in below.items]
    states = {
        _DRIVE[item.write_cache] if isinstance(item, Drive) else drive_caches(item, below, above) for item in found
    }
    return _together(states, complete=len(found) == len(drive.backing))


def _together(states: Collection[DriveCaches], *, complete: bool) -> DriveCaches:
    if "on" in states:
        return "on"
    return "off" if complete and set(states) == {"off"} else "unknown"
