"""The facts of a replacement of md members, from the first reading. Pure."""

from __future__ import annotations

import re
from typing import Literal

from raidctl.change.expectations import serials_of
from raidctl.errors import CannotTell, UsageError
from raidctl.model import Controller, Drive, Volume
from raidctl.model.objects import drives_by_id
from raidctl.operate.replacement_facts import Facts, bay_words, place_of
from raidctl.survey.survey import Survey
from raidctl.text import regex

_PARTITION = regex(r"p?(\d{1,3})", re.ASCII)


def facts_of(seen: Survey, drive_id: str, *, way: Literal["copy", "out"], new: str = "") -> Facts:
    """Return the facts of a replacement.

    Raises:
        UsageError: The drive is not a member of a software array that raidctl can manage.
        CannotTell: Its serial number, or the UUID of its array, is unknown.
    """
    old = drives_by_id(seen.inventory)[drive_id]
    serial = serial_of(old)
    members = [
        (controller, one)
        for controller in seen.inventory.controllers
        for one in controller.drives
        if old.id in one.backing
    ]
    if not members:
        raise UsageError(
            f"{old.id} is in no array, so there is nothing to replace it in. "
            f'"raidctl replace {serial} --check" shows whether it may be pulled.'
        )
    words = []
    errors = []
    for controller, member in members:
        if member.role == "journal":
            raise UsageError(f"{member.id} is the journal of its array: raidctl does not replace it.")
        volume = _volume(controller, member)
        if not volume.unique_id:
            raise CannotTell(f"The UUID of {volume.id} is unknown.")
        words.append(f"{volume.unique_id}={partition_of(old, member)}")
        errors += [f"{one.id}={one.errors.media or 0}" for one in controller.drives if one.array == member.array]
    return Facts(
        old=serial, old_id=old.id, bay=bay_text(old), place=place_of(seen, old), members=" ".join(words),
        known="".join(f"{serial}\n" for serial in serials_of(seen)), way=way, new=new, errors=" ".join(errors),
    )  # fmt: skip


def serial_of(old: Drive) -> str:
    """Return the serial number of the drive to replace.

    Raises:
        CannotTell: It has none.
    """
    if not old.serial:
        raise CannotTell(f"{old.id} has no serial number to compare with the drive in your hand.")
    return old.serial


def lacks_none(volume: Volume) -> str:
    """The reason why an array without a missing member has no drive to replace."""
    return (
        f'{volume.id} lacks no member. To replace one of its drives, name the drive; "raidctl spare add DRIVE --for '
        f'{volume.id}" adds a spare.'
    )


def _volume(controller: Controller, member: Drive) -> Volume:
    found = [volume for volume in controller.volumes if volume.array == member.array]
    if len(found) != 1:
        raise UsageError(f"{member.id} is in a container with several arrays: raidctl does not replace it.")
    return found[0]


def partition_of(old: Drive, member: Drive) -> str:
    """Return a member's partition number; empty: the whole drive."""
    rest = (member.device or "").removeprefix(old.device or "/")
    if not rest:
        return ""
    match = _PARTITION.fullmatch(rest)
    if match is None:
        raise UsageError(f"{member.id} is neither the whole drive nor a partition of it: raidctl does not replace it.")
    return match[1]


def bay_text(drive: Drive) -> str:
    """Return the location of a drive, and its model, for a person."""
    return ", ".join(filter(None, (bay_words(drive), drive.device, drive.model)))
