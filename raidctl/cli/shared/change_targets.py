"""Desired settings of the objects that a changing command names."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from typing import cast

from raidctl.errors import UsageError
from raidctl.health.narrowed import find_whole
from raidctl.model import Controller, Drive, Volume
from raidctl.select import find, items, physical
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.protocol import Vendor


def volumes(seen: Survey, words: Sequence[str]) -> list[Volume]:
    """Return the named volumes, and all volumes of named controllers and arrays.

    Raises:
        UsageError: A word means nothing, several things, or nothing that has volumes.
        CannotTell: It is also on a device that no tool lists.
    """
    found: dict[str, Volume] = {}
    for word in words:
        ids = find_whole(seen.inventory, seen.view, word)
        mine = [volume for c in seen.inventory.controllers for volume in c.volumes if _under(volume, c, ids)]
        if not mine:
            hint = f"; its drives' write cache: {_line('drive', word, 'off (or on)')}." if _drives(seen, ids) else "."
            raise UsageError(f'"{printable(word)}" is not a volume and contains none{hint}')
        found |= {volume.id: volume for volume in mine}
    return list(found.values())


def _under(volume: Volume, controller: Controller, ids: frozenset[str]) -> bool:
    return volume.id in ids or controller.id in ids or volume.array in ids


def controllers(seen: Survey, words: Sequence[str]) -> list[Controller]:
    """Return the named controllers, or those of the named objects.

    Raises:
        CannotTell: A word is also on a device that no tool lists.
    """
    ids = frozenset().union(*(find_whole(seen.inventory, seen.view, word) for word in words))
    return [c for c in seen.inventory.controllers if any(item.id in ids for item in items(c))]


def drives(seen: Survey, words: Sequence[str]) -> list[Drive]:
    """Return the named drives, and all drives below named controllers, arrays and volumes of software RAID.

    A member of a software array is the drive below it.

    Raises:
        UsageError: A word means no drive, or drives that are set by their volume.
        CannotTell: It is also on a device that no tool lists.
    """
    found: dict[str, Drive] = {}
    for word in words:
        ids = find_whole(seen.inventory, seen.view, word)
        hardware = [c for c in seen.inventory.controllers if c.mode != "software"]
        if any(_under(volume, c, ids) for c in hardware for volume in c.volumes):
            remedy = _line("set", word, "--drive-cache off (or on)")
            raise UsageError(f'"{printable(word)}" is not a drive. The write cache of the drives below it: {remedy}.')
        mine = physical(seen.inventory, ids)
        if not mine:
            raise UsageError(f'"{printable(word)}" is not a drive and contains none.')
        _refuse_behind(seen, word, ids, mine)
        found |= {drive.id: drive for c in seen.inventory.controllers for drive in c.drives if drive.id in mine}
    return list(found.values())


def _refuse_behind(seen: Survey, word: str, ids: frozenset[str], drives_below: Collection[str]) -> None:
    """Refuse drives that are reached through a volume of a controller, which sets its drives together."""
    behind = {
        drive.id: volume.id
        for c in seen.inventory.controllers if c.mode != "software"
        for volume in c.volumes if volume.array is not None
        for drive in c.drives if drive.array == volume.array and drive.id in drives_below and drive.id not in ids
    }  # fmt: skip
    if behind:
        volumes_below = list(dict.fromkeys(behind.values()))
        others = [name for name in drives_below if name not in behind]
        more = f"; of the others: `raidctl cache drive {shlex.join(others)} off` (or `on`)" if others else ""
        raise UsageError(
            f'"{printable(word)}" is on {listing(volumes_below)}. The write cache of its drives: '
            f"`raidctl cache set {shlex.join(volumes_below)} --drive-cache off` (or `on`){more}."
        )


def _drives(seen: Survey, ids: frozenset[str]) -> list[Drive]:
    """Return the drives with these ids. Those of controllers and arrays with these ids are included."""
    return [d for c in seen.inventory.controllers for d in c.drives if d.id in ids or c.id in ids or d.array in ids]


def _line(command: str, word: str, rest: str) -> str:
    """Return a command line to copy."""
    return f"raidctl cache {command} {shlex.quote(printable(word))} {rest}"


def drive_caches(seen: Survey, words: Sequence[str], wanted: str) -> list[Desired]:
    """Return the desired caches of named drives, or drives below named volumes.

    Raises:
        UsageError: A word means neither, or a drive is to have a default, which only volumes have.
    """
    found: list[Desired] = []
    for word in words:
        ids = find(seen.inventory, seen.view, [word])
        if any(_under(volume, c, ids) for c in seen.inventory.controllers for volume in c.volumes):
            found += desired_settings(volumes(seen, [word]), {"drive_write_cache": wanted})
        elif wanted == "default":
            raise UsageError(f'"{word}" is not a volume: the write cache of a drive is on or off.')
        else:
            found += desired_settings(drives(seen, [word]), {"write_cache": wanted})
    return found


def desired_settings(
    objects: Sequence[Volume | Controller | Drive], wanted: dict[Setting, str | None]
) -> list[Desired]:
    """Return the desired settings: each given setting, for each object."""
    return [
        Desired(object_id=item.id, setting=setting, value=value)
        for item in objects
        for setting, value in wanted.items()
        if value is not None
    ]


def kernel() -> Sequence[Vendor]:
    """Return the family of the kernel's own settings, imported on demand."""
    from raidctl.layers import family  # noqa: PLC0415 - rarely needed

    return (cast("Vendor", family),)


def read_ahead(seen: Survey, words: Sequence[str], kibibytes: int) -> list[Desired]:
    """Return the desired read-ahead of the named block devices. For a partition, it is that of the whole device.

    Raises:
        UsageError: A word means nothing, or nothing that the system sees as a block device.
    """
    from raidctl.layers.family.change import queue_of  # noqa: PLC0415 - as above
    from raidctl.layers.scope import scope  # noqa: PLC0415 - as above

    names: dict[str, None] = {}
    for word in words:
        roots = scope(seen.view, seen.inventory, word).roots
        if not roots:
            raise UsageError(f'"{word}" is not a block device of the system and contains none.')
        names |= dict.fromkeys(block.parent or block.name for block in roots)
    return [Desired(object_id=queue_of(name), setting="read_ahead", value=str(kibibytes)) for name in names]
