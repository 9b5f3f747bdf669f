"""How a volume is cached.

``Cache Mode`` is a setting of the volume that no manual of Areca says to fall back when the battery is bad: write-back
is always write-back, and whether its data outlives a power loss is the battery's business. The drives' own caches
follow one setting of the card, "Disk Write Cache Mode"; of ``Auto`` a manual (of an OEM of these cards, section Disk
Write Cache Mode) says: "When battery backup is installed, Disk cache is disabled. No battery backup installed, Disk
cache is enabled."
"""

from __future__ import annotations

from raidctl.model import Battery, DriveCachePolicy, ReadPolicy, VolumeCache, WriteActive
from raidctl.model.write_protection import controller_cache
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


def volume_cache(volume: Draft, card: ControllerDraft, battery: Battery | None) -> VolumeCache | None:
    """The cache of a volume; None when nothing was told of it."""
    mode, drives, ahead = _mode(volume), _drive_cache(card, battery), _read_ahead(card)
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
    told: str | None = volume.get("cache mode")
    if told is None or not vocabulary.has_value(told):
        return None
    found = _MODES.get(" ".join(told.lower().replace("-", " ").split()))
    if found is None:
        volume.unread("Cache Mode", told)
    return found


def _drive_cache(card: ControllerDraft, battery: Battery | None) -> DriveCachePolicy | None:
    told: str | None = card.get("disk write cache mode")
    if told is None or not vocabulary.has_value(told):
        return None
    # Disk Write Cache Mode           : Auto
    low = told.lower()
    if low == "auto":
        if battery is None or battery.status == "unknown":
            return "default"
        return "enabled" if battery.status == "missing" else "disabled"
    if low not in {"enabled", "disabled"}:
        card.unread("Disk Write Cache Mode", told)
        return None
    return "enabled" if low == "enabled" else "disabled"


def _read_ahead(card: ControllerDraft) -> ReadPolicy | None:
    told: str | None = card.get("volume data read ahead")
    if told is None or not vocabulary.has_value(told):
        return None
    try:
        return vocabulary.read_ahead(told)
    except ValueError:
        card.unread("Volume Data Read Ahead", told)
        return None


def _kept(battery: Battery | None) -> bool | None:
    """Whether the battery keeps unwritten data."""
    return None if battery is None or battery.status == "unknown" else battery.status == "ok"
