"""How a volume is cached.

``Cache Mode`` is a setting of the volume. No manual of Areca describes a fall-back when the battery is bad: write-back
stays write-back, and the battery decides whether its data survives a power loss. The drives' caches follow one setting
of the controller, ``Disk Write Cache Mode``. For ``Auto``, that section in the manual of an OEM of these controllers
has: ``When battery backup is installed, Disk cache is disabled. No battery backup installed, Disk cache is enabled.``
"""

from __future__ import annotations

from functools import partial

from raidctl.model import Battery, DriveCachePolicy, VolumeCache, WriteActive
from raidctl.model.write_protection import controller_cache
from raidctl.vendor.draft import Draft, Pair
from raidctl_areca import vocabulary
from raidctl_areca.draft import ControllerDraft


def volume_cache(volume: Draft, controller: ControllerDraft, battery: Battery | None) -> VolumeCache | None:
    """The cache of a volume, of its fields ``cache.…``; None if nothing is reported."""
    active: WriteActive | None = volume.get("cache.write_active")
    if active is not None:
        # one word for both: Cache Mode : Write Back
        policy = "unprotected_write_back" if active == "write_back" else active
        volume.restate("cache.write_policy", policy, {"cache.write_active"})
    _drive_cache(volume, controller, battery)
    _read_ahead(volume, controller)
    return volume.part("cache", partial(VolumeCache, controller_cache=controller_cache(active, kept=_kept(battery))))


def _drive_cache(volume: Draft, controller: ControllerDraft, battery: Battery | None) -> None:
    setting: Pair | None = controller.get("disk write cache mode")
    if setting is None or not vocabulary.has_value(setting.value):
        return
    # Disk Write Cache Mode           : Auto
    word = setting.value.lower()
    states: dict[str, DriveCachePolicy] = {"enabled": "enabled", "disabled": "disabled", "auto": _auto(battery)}
    if word in states:
        volume.put(setting.lines[0], "cache.drive_write_cache", states[word])
    else:
        controller.unread(setting.label, setting.value)


def _auto(battery: Battery | None) -> DriveCachePolicy:
    if battery is None or battery.status in ("unknown", "failed"):
        return "default"  # whether a failed battery counts as installed is undocumented
    return "enabled" if battery.status == "missing" else "disabled"


def _read_ahead(volume: Draft, controller: ControllerDraft) -> None:
    # Volume Data Read Ahead          : Normal
    setting: Pair | None = controller.get("volume data read ahead")
    if setting is None:
        return
    try:
        policy = vocabulary.read_ahead(setting.value)
    except ValueError:
        controller.unread(setting.label, setting.value)
        return
    if policy is not None:
        volume.put(setting.lines[0], "cache.read_policy", policy)


def _kept(battery: Battery | None) -> bool | None:
    """Whether the battery keeps unwritten data."""
    return None if battery is None or battery.status == "unknown" else battery.status == "ok"
