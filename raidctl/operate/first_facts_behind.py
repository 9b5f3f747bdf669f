"""The facts of a replacement behind a controller, from the first reading. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from raidctl.change.expectations import serials_of
from raidctl.errors import CannotTell, UsageError
from raidctl.health.redundancy import INCOMPLETE, below
from raidctl.model import Controller, Drive, Volume, has_failed
from raidctl.operate.first_facts import bay_text, serial_of
from raidctl.operate.replacement_facts import Facts
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.identity import unique_of

BEHIND = ("raid", "mixed", None)
"""Modes of a controller that may have arrays; None: unknown."""


def controller_behind(seen: Survey, drive: Drive) -> Controller | None:
    """Return the controller whose arrays a drive may belong to. None for a drive of software arrays, or a plain one."""
    every = [(one, other) for one in seen.inventory.controllers for other in one.drives]
    if any(drive.id in other.backing for _, other in every):
        return None
    return next((one for one, other in every if other.id == drive.id and one.mode in BEHIND), None)


def facts_behind(seen: Survey, controller: Controller, old: Drive, *, new: str = "") -> Facts:
    """Return the facts of a replacement.

    Raises:
        UsageError: The drive is in no array of the controller, or a spare of one.
        CannotTell: What identifies the drive or a volume on it is unknown, or not unique (X1).
    """
    serial = serial_of(old)
    if len(serials_of(seen).get(serial, ())) > 1:
        raise CannotTell(f"{serial} is the serial number of several drives (X1).")
    if old.role == "spare":
        raise UsageError(
            f'{old.id} is a spare. Take it out with "raidctl spare remove {serial}", and add the new drive with '
            '"raidctl spare add".'
        )
    volumes = [volume for volume in controller.volumes if old.array and volume.array == old.array]
    volumes = volumes or _former(controller, old)
    if not volumes:
        raise UsageError(
            f'{old.id} is in no array with a volume. "raidctl replace {serial} --check" shows whether it may be '
            'pulled; "raidctl spare add" makes the new drive a spare.'
        )
    others = [one for one in below(controller, volumes[0]) if one.id != old.id]
    return Facts(
        old=serial, old_id=old.id, bay=bay_text(old), place=old.id, members="",
        known="".join(f"{serial}\n" for serial in serials_of(seen)), way="out", new=new,
        errors=" ".join(f"{one.id}={one.errors.media or 0}" for one in others),
        volumes="\n".join(identities(seen, controller, volumes)), width=str(len(others) + 1),
        spares=spares_of(controller, volumes[0]),
    )  # fmt: skip


def _former(controller: Controller, old: Drive) -> list[Volume]:
    """Return the volumes of the only incomplete array.

    A failed drive outside of all arrays is assumed to be its former member.
    """
    if old.array or not has_failed(old):
        return []
    short = [one for one in controller.volumes if one.status in INCOMPLETE and one.array]
    return short if len({one.array for one in short}) == 1 else []


def identities(seen: Survey, controller: Controller, volumes: list[Volume]) -> Iterator[str]:
    """Yield the unique identifier of each volume.

    Raises:
        CannotTell: It is unknown, or another volume has the same.
    """
    every = [unique_of(one, volume) for one in seen.inventory.controllers for volume in one.volumes]
    for volume in volumes:
        unique = unique_of(controller, volume)
        if not unique:
            raise CannotTell(
                f"{volume.id} has no unique id, and {controller.id} no serial number: it could not be found again (X1)."
            )
        if every.count(unique) > 1:
            names = [
                two.id for one in seen.inventory.controllers for two in one.volumes if unique_of(one, two) == unique
            ]
            raise CannotTell(f"{listing(names)} have the same identity, {unique} (X1).")
        yield unique


def spares_of(controller: Controller, volume: Volume) -> Literal["", "array", "controller"]:
    """The scope of the spares that cover a volume."""
    spares = [one for one in controller.drives if one.role == "spare"]
    if any(volume.array in one.spare_for for one in spares):
        return "array"
    return "controller" if any(not one.spare_for for one in spares) else ""
