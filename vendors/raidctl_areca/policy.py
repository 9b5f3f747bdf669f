"""How a volume is cached.

``Cache Mode`` is a setting of the volume. No manual of Areca describes a fall-back when the battery is bad: write-back
stays write-back, and the battery decides whether its data survives a power loss. The drives' caches follow one setting
of the controller, ``Disk Write Cache Mode``. For ``Auto``, that section in the manual of an OEM of these controllers
has: ``When battery backup is installed, Disk cache is disabled. No battery backup installed, Disk cache is enabled.``
"""

from __future__ import annotations

from raidctl.model import Battery, DriveCachePolicy, ReadPolicy, VolumeCache, WriteActive
from raidctl.model.write_protection import controller_cache
from raidctl.text import collapse
from raidctl.vendor.draft import Draft
from raidctl_areca import vocabulary
from raidctl_areca.draft import ControllerDraft

_MODES: dict[str, WriteActive] = {
    "write back": "write_back",
    "writeback": "write_back",
    "enabled": "write_back",
    "write through": "write_through",
    "writethrough": "write_through",
    "disabled": "write_through",
}


def volume_cache(volume: Draft, controller: ControllerDraft, battery: Battery | None) -> VolumeCache | None:
    """The cache of a volume; None if nothing is reported."""
    mode, drives, ahead = _mode(volume), _drive_cache(controller, battery), _read_ahead(controller)
    if mode is None and drives is None and ahead is None:
        return None
    return VolumeCache(
        write_policy="unprotected_write_back" if mode == "write_back" else mode,
        write_active=mode,
        controller_cache=controller_cache(mode, kept=_kept(battery)),
        read_policy=ahead,
        drive_write_cache=drives,
    )


def _mode(volume: Draft) -> WriteActive | None:
    word: str | None = volume.get("cache mode")
    if word is None or not vocabulary.has_value(word):
        return None
    found = _MODES.get(collapse(word.lower().replace("-", " ")))
    if found is None:
        volume.unread("Cache Mode", word)
    return found


def _drive_cache(controller: ControllerDraft, battery: Battery | None) -> DriveCachePolicy | None:
    word: str | None = controller.get("disk write cache mode")
    if word is None or not vocabulary.has_value(word):
        return None
    # Disk Write Cache Mode           : Auto
    low = word.lower()
    if low == "auto":
        if battery is None or battery.status == "unknown":
            return "default"
        return "enabled" if battery.status == "missing" else "disabled"
    if low not in {"enabled", "disabled"}:
        controller.unread("Disk Write Cache Mode", word)
        return None
    return "enabled" if low == "enabled" else "disabled"


def _read_ahead(controller: ControllerDraft) -> ReadPolicy | None:
    word: str | None = controller.get("volume data read ahead")
    if word is None or not vocabulary.has_value(word):
        return None
    try:
        return vocabulary.read_ahead(word)
    except ValueError:
        controller.unread("Volume Data Read Ahead", word)
        return None


def _kept(battery: Battery | None) -> bool | None:
    """Whether the battery keeps unwritten data."""
    return None if battery is None or battery.status == "unknown" else battery.status == "ok"
