"""The write hole of parity RAID. Can a power failure during a write damage other data of the stripe? Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from raidctl.health.redundancy import held_journal
from raidctl.model import Controller, Volume
from raidctl.model.raid_levels import PARITY, RAIDZ


class Hole(Struct, frozen=True):
    """The write hole of a volume."""

    state: Literal["none", "closed", "open", "unknown"]
    """``none``: the level has no parity, or overwrites no stripe."""
    why: str
    """One clause, without a full stop."""


def write_hole(controller: Controller, volume: Volume) -> Hole:
    """Judge a volume by what protects stripes that are being written.

    A journal, a parity log or a protected cache protects them.
    """
    if volume.raid_level in (None, "unknown"):
        return Hole("unknown", "its RAID level is unknown")
    if volume.raid_level in RAIDZ:
        return Hole("none", f"a {volume.raid_level} of ZFS overwrites no stripe that is in use")
    if volume.raid_level not in PARITY:
        return Hole("none", f"a {volume.raid_level} has no parity")
    if controller.mode == "software":
        return _software(controller, volume)
    cache = volume.cache.controller_cache if volume.cache else "unknown"
    if cache == "protected":
        return Hole("closed", "the controller's protected cache keeps stripes that are being written")
    if cache == "unknown":
        return Hole("unknown", "whether the controller's cache is protected is unknown")
    return Hole("open", "no protected cache keeps stripes that are being written")


def _software(controller: Controller, volume: Volume) -> Hole:
    policy = volume.consistency_policy
    journals = [drive for drive in controller.drives if drive.role == "journal" and drive.array == volume.array]
    held = [one for one in controller.drives if one.array == volume.array and held_journal(controller, one)]
    if held and all(one.status == "critical" for one in held):
        return Hole("open", "its journal has failed or is missing")
    if policy in ("journal", "ppl") or (policy is None and any(one.status == "ok" for one in journals)):
        return Hole("closed", "a partial parity log is kept" if policy == "ppl" else "a journal is kept")
    if policy in ("resync", "bitmap") or (policy is None and volume.bitmap not in (None, "none")):
        return Hole("open", "it has neither a journal nor a partial parity log")
    return Hole("unknown", "whether it has a journal or a partial parity log is unknown")
