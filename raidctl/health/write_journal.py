"""Journals of software arrays that may hold the only copy of acknowledged writes. Pure."""

from __future__ import annotations

from raidctl.model import Controller, Drive, Volume
from raidctl.select import family_of
from raidctl.text import attempt, chosen


def journals(controller: Controller, volume: Volume) -> tuple[Drive, ...]:
    """The journal drives of a software array. Read caches of ZFS, which hold copies only, are left out."""
    return tuple(
        drive
        for drive in controller.drives
        if drive.role == "journal" and drive.array == volume.array and not is_read_cache(drive)
    )


def is_read_cache(drive: Drive) -> bool:
    """Whether a drive beside the members is a read cache of ZFS."""
    return drive.details.get("class") == "cache"


def in_write_back(volume: Volume) -> bool | None:
    """Whether the journal of an md array acknowledges writes that the members do not have yet. None: unknown."""
    mode = attempt(chosen, volume.details.get("journal_mode", ""))  # write-through [write-back]
    return None if mode is None else mode == "write-back"


def may_hold_only_copy(controller: Controller, volume: Volume) -> tuple[Drive, ...]:
    """The journals of :func:`journals` that may hold acknowledged writes which no member has."""
    if family_of(controller) == "md" and in_write_back(volume) is False:
        return ()
    return journals(controller, volume)
