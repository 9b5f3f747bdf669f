"""The write hole of parity RAID. Can a power failure during a write damage other data of the stripe? Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from raidctl.health.redundancy import held_journal
from raidctl.model import Controller, Volume
from raidctl.model.raid_levels import PARITY, RAIDZ


class WriteHole(Struct, frozen=True):
    """The write hole of a volume."""

    state: Literal["none", "closed", "open", "unknown"]
    """``none``: the level has no parity, or overwrites no stripe."""
    why: str
    """One clause, without a full stop."""


def write_hole(controller: Controller, volume: Volume) -> WriteHole:
    """Judge a volume by what protects stripes that are being written.

    A journal, a parity log or a protected cache protects them.
    """
    if volume.raid_level in (None, "unknown"):
        return WriteHole("unknown", "its RAID level is unknown")
    if volume.raid_level in RAIDZ:
        return WriteHole("none", f"a {volume.raid_level} of ZFS overwrites no stripe that is in use")
    if volume.raid_level not in PARITY:
        return WriteHole("none", f"a {volume.raid_level} has no parity")
    if controller.mode == "software":
        return _software(controller, volume)
    cache = volume.cache.controller_cache if volume.cache else "unknown"
    if cache == "protected":
        return WriteHole("closed", "the controller's protected cache keeps stripes that are being written")
    if cache == "unknown":
        return WriteHole("unknown", "whether the controller's cache is protected is unknown")
    return WriteHole("open", "no protected cache keeps stripes that are being written")


def _software(controller: Controller, volume: Volume) -> WriteHole:
    policy = volume.consistency_policy
    journals = [drive for drive in controller.drives if drive.role == "journal" and drive.array == volume.array]
    held = [one for one in controller.drives if one.array == volume.array and held_journal(controller, one)]
    if held and all(one.status == "critical" for one in held):
        return WriteHole("open", "its journal has failed or is missing")
    if policy in ("journal", "ppl") or (policy is None and any(one.status == "ok" for one in journals)):
        return WriteHole("closed", "a partial parity log is kept" if policy == "ppl" else "a journal is kept")
    if policy in ("resync", "bitmap") or (policy is None and volume.bitmap not in (None, "none")):
        return WriteHole("open", "it has neither a journal nor a partial parity log")
    return WriteHole("unknown", "whether it has a journal or a partial parity log is unknown")
