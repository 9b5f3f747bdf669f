"""Spares of a volume, possible spares, and whether drives are listed. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.health.redundancy import WHOLE, below, members_expected
from raidctl.model import Array, Controller, Drive, Volume, has_failed
from raidctl.units import format_decimal

_SLACK = 0.001
"""Relative tolerance for a spare's size, as tools print rounded sizes."""


MEDIA_WORDS = {"ssd": "an SSD", "hdd": "a hard drive"}


def medium(drives: Sequence[Drive]) -> str | None:
    """``ssd`` or ``hdd`` if all drives are of that type. None if they differ or one is unknown."""
    kinds = {drive.media for drive in drives}
    return kinds.pop() if len(kinds) == 1 else None


def all_reported(controller: Controller, volume: Volume) -> bool:
    """Whether the drives of the controller are listed. A spare would then be listed, too.

    A single member is not enough. Output about volumes names their drives and no others: drives without details were
    listed only by their volume.
    """
    drives = below(controller, volume)
    if not drives or len(drives) < (volume.drives_active or 0):
        return False
    return controller.mode == "software" or any(drive.model or drive.firmware for drive in controller.drives)


def arrays_of(controller: Controller, spare: Drive) -> list[Array]:
    """The arrays that a spare covers. A global spare covers all arrays of the controller."""
    named = [array for array in controller.arrays if array.id in spare.spare_for or spare.id in array.spares]
    return named or ([] if spare.spare_for else list(controller.arrays))


def may_use_spare(controller: Controller, volume: Volume) -> bool:
    """Whether a volume is reported whole although it lacks a working member.

    It may then use a spare, which some tools still list as one.
    """
    listed = below(controller, volume)
    wanted = members_expected(volume) or (2 if volume.raid_level == "raid1" else 0)
    working = sum(not has_failed(drive) for drive in listed)
    return controller.mode != "software" and volume.status in WHOLE and working < max(wanted, len(listed))


def users_of(controller: Controller, spare: Drive) -> tuple[Volume, ...]:
    """The volumes that may use a spare as a member."""
    arrays = {array.id for array in arrays_of(controller, spare)}
    return tuple(one for one in controller.volumes if one.array in arrays and may_use_spare(controller, one))


_COMPARED = {"interface": ("is {}", "are {}"), "sector_bytes": ("has {}-byte sectors", "have {}-byte sectors")}


def unfit(controller: Controller, spare: Drive, array: Sequence[Drive]) -> str | None:
    """Why a spare does not fit the drives of an array. None if it does, as far as is known.

    To the kernel's arrays, the interface of a drive does not matter; a controller ignores a spare with another one.
    """
    if spare.status == "critical":
        return "it has failed"
    kind, sizes = medium(array), [drive.size_bytes for drive in array if drive.size_bytes]
    if kind and spare.media and spare.media != kind:
        names = "SSDs" if kind == "ssd" else "hard drives"
        return f"it is {MEDIA_WORDS[spare.media]}; the drives of the array are {names}"
    for field, (one, many) in _COMPARED.items():
        if field == "interface" and controller.mode == "software":
            continue
        theirs, own = {getattr(drive, field) for drive in array} - {None}, getattr(spare, field)
        if own and len(theirs) == 1 and own not in theirs:
            words = [str(value).upper() for value in (own, theirs.pop())]
            return f"it {one.format(words[0])}; the drives of the array {many.format(words[1])}"
    if spare.size_bytes and sizes and spare.size_bytes < min(sizes) * (1 - _SLACK):
        return f"it has {format_decimal(spare.size_bytes)}; the drives of the array have {format_decimal(min(sizes))}"
    return None


def ready(controller: Controller, volume: Volume) -> list[Drive]:
    """The spares that cover a volume and fit it. One that may be in use is left out."""
    drives = below(controller, volume)
    return [
        spare
        for spare in controller.drives
        if spare.role == "spare"
        and not users_of(controller, spare)
        and any(array.id == volume.array for array in arrays_of(controller, spare))
        and not unfit(controller, spare, drives)
    ]


def offer(controller: Controller, volume: Volume) -> str | None:
    """The start of a remedy that makes an unassigned drive a spare. None if no drive fits the volume."""
    drives = below(controller, volume)
    free = [drive for drive in controller.drives if drive.role == "unassigned" and drive.array is None]
    idle = [drive for drive in free if drive.status == "ok"]
    fitting = [drive for drive in idle if not drive.mountpoints and not unfit(controller, drive, drives)]
    name = (fitting[0].id.partition("/")[2] or fitting[0].id) if fitting else ""
    return f"make the unassigned drive {name} a spare" if fitting else None
