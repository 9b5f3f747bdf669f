"""The spares of each array, and whether each of them fits. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from raidctl.described import doc
from raidctl.health.redundancy import members
from raidctl.health.spares import all_reported, arrays_of, unfit
from raidctl.model import Array, Controller, Drive, Health, Interface, Inventory, Media, RaidLevel
from raidctl.model.raid_levels import WITHOUT_REDUNDANCY
from raidctl.text import capitalised

GROUP = "spare-group"
"""Label of a spare group in an array's details."""


class Spare(msgspec.Struct, frozen=True, kw_only=True):
    """A spare, judged for one array."""

    drive: Annotated[str, doc("Id of the drive.")]
    device: Annotated[str | None, doc("Its device.")] = None
    serial: Annotated[str | None, doc("Its serial number.")] = None
    size_bytes: Annotated[int | None, doc("Its size, bytes.")] = None
    interface: Annotated[Interface | None, doc("Its interface.")] = None
    media: Annotated[Media | None, doc("Hard drive or solid state.")] = None
    rpm: Annotated[int | None, doc("Rotational speed, rpm; null: SSD or unknown.")] = None
    status: Annotated[Health, doc("Its health.")] = "unknown"
    dedicated: Annotated[bool, doc("Whether it is for named arrays only; false: for all of its controller.")] = False
    fits: Annotated[bool | None, doc("Whether it is large enough and of the array's type; null: unknown.")] = None
    why: Annotated[str | None, doc("Why it does not fit, or why that is unknown; null: it fits.")] = None


class ArraySpares(msgspec.Struct, frozen=True, kw_only=True):
    """An array and its spares."""

    array: Annotated[str, doc("Id of the array.")]
    volumes: Annotated[tuple[str, ...], doc("Ids of its volumes.")] = ()
    raid_level: Annotated[RaidLevel | None, doc("Level of its volumes; null: unknown, or several.")] = None
    failures_tolerated: Annotated[int | None, doc("As for the array: more drives that may fail; null: unknown.")] = None
    spares: Annotated[tuple[Spare, ...], doc("Its own spares, and those of its controller.")] = ()
    known: Annotated[bool, doc("Whether the drives are listed, so that a spare would be.")] = False
    group: Annotated[str | None, doc("md: its spare group; null: none.")] = None
    shares_with: Annotated[tuple[str, ...], doc("md: other arrays of the group, whose spares may move to it.")] = ()
    monitored: Annotated[
        bool | None, doc("md: whether the monitor runs that moves spares within a group; null: unknown, or not md.")
    ] = None
    why: Annotated[str | None, doc("What its spares depend on, one sentence; null: nothing.")] = None


def spares(inventory: Inventory, ids: Sequence[str] | None = None) -> list[ArraySpares]:
    """The spares of every redundant array. If ids are given: of the arrays with these ids."""
    return [
        _of(controller, array)
        for controller in inventory.controllers
        for array in controller.arrays
        if (array.id in ids if ids is not None else _can_use_spares(controller, array))
    ]


def _levels(controller: Controller, array: Array) -> set[RaidLevel | None]:
    return {volume.raid_level for volume in controller.volumes if volume.array == array.id}


def _can_use_spares(controller: Controller, array: Array) -> bool:
    """Whether a drive could be rebuilt on a spare. An array with unknown levels counts as able."""
    return not _levels(controller, array) or not _levels(controller, array) <= WITHOUT_REDUNDANCY


def _of(controller: Controller, array: Array) -> ArraySpares:
    levels = _levels(controller, array)
    group = array.details.get(GROUP)
    others = tuple(
        one.id for one in controller.arrays if group and one.id != array.id and one.details.get(GROUP) == group
    )
    found = tuple(
        _spare(controller, array, drive)
        for drive in controller.drives
        if drive.role == "spare" and any(one.id == array.id for one in arrays_of(controller, drive))
    )
    return ArraySpares(
        array=array.id,
        volumes=tuple(volume.id for volume in controller.volumes if volume.array == array.id),
        raid_level=levels.pop() if len(levels) == 1 else None,
        failures_tolerated=array.failures_tolerated,
        spares=found,
        known=bool(found) or any(all_reported(controller, one) for one in controller.volumes if one.array == array.id),
        group=group,
        shares_with=others,
        monitored=controller.monitored if controller.mode == "software" else None,
        why=_why(controller, group),
    )


def _why(controller: Controller, group: str | None) -> str | None:
    if not group:
        return None
    if controller.monitored is None:
        return f"Spares move within the group {group} only while the monitor runs, and whether it runs is unknown."
    if not controller.monitored:
        return f"Spares do not move within the group {group}: no monitor runs (`systemctl enable --now mdmonitor`)."
    return None


def _spare(controller: Controller, array: Array, drive: Drive) -> Spare:
    fits, why = fit(controller, drive, members(controller, array))
    return Spare(
        drive=drive.id,
        device=drive.device,
        serial=drive.serial,
        size_bytes=drive.size_bytes,
        interface=drive.interface,
        media=drive.media,
        rpm=drive.rpm,
        status=drive.status,
        dedicated=bool(drive.spare_for),
        fits=fits,
        why=why,
    )


def fit(controller: Controller, drive: Drive, array: Sequence[Drive]) -> tuple[bool | None, str | None]:
    """Whether a drive fits the members of an array, and why not."""
    why = unfit(controller, drive, array)
    if why:
        return False, f"{capitalised(why)}."
    if drive.size_bytes is None:
        return None, "Its size is unknown."
    if not any(one.size_bytes for one in array):
        return None, "The size of the array's drives is unknown."
    if drive.media is None or any(one.media is None for one in array):
        return None, "It is large enough, but the type of a drive is unknown."
    return True, None
