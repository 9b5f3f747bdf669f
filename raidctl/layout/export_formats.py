"""A layout in the format of a provisioner, for ``raidctl layout export --format``. Pure.

What the format cannot express is a note for standard error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raidctl.layout.objects import Machine, array_of, members_of
from raidctl.layout.provisioners import DRP_LEVELS, GIB, IRONIC_LEVELS, SOFTWARE
from raidctl.model import Controller, Drive, Inventory, RaidLevel, Volume
from raidctl.select import family_of
from raidctl.units import format_binary


def ironic(inventory: Inventory) -> tuple[dict[str, Any], list[str]]:
    """``target_raid_config``, and what it lacks."""
    levels = {ours: theirs for theirs, ours in IRONIC_LEVELS.items()}
    machine, notes, disks = Machine(inventory), list[str](), list[dict[str, Any]]()
    for controller, volume in machine.volumes():
        if volume.raid_level not in levels or (volume.size_bytes or 0) < GIB:
            notes.append(f"{volume.id} is left out: {_lack(volume, levels)}.")
            continue
        soft = controller.mode == "software"
        disk: dict[str, Any] = {"size_gb": _size(controller, volume), "raid_level": levels[volume.raid_level]}
        disk["controller"] = SOFTWARE if soft else controller.model or controller.id
        members = members_of(controller, volume) or ()
        if soft:
            notes.append(f"{volume.id}: of software RAID, the format keeps neither name nor drives.")
        else:
            disk |= {"volume_name": volume.name} if volume.name else {}
            disk |= {"is_root_volume": True} if "/" in volume.mountpoints else {}
            disk |= {"physical_disks": [_bay(drive) for drive in members]} if members else {}
            disk |= {"number_of_physical_disks": volume.drives_expected or len(members)} if members else {}
        disks.append(disk)
    return {"logical_disks": disks}, [*notes, *_common(inventory)]


def drp(inventory: Inventory) -> tuple[list[dict[str, Any]], list[str]]:
    """The volume specifications of drp-raid, and what they lack."""
    levels = {ours: theirs for theirs, ours in DRP_LEVELS.items()}
    machine, notes, specs = Machine(inventory), list[str](), list[dict[str, Any]]()
    hardware = sorted(
        (one for one in inventory.controllers if one.mode != "software" and one.volumes),
        key=lambda one: one.pci_address or "",
    )
    for controller, volume in machine.volumes():
        if controller not in hardware or volume.raid_level not in levels or not volume.size_bytes:
            why = "drp-raid has no software RAID" if controller not in hardware else _lack(volume, levels)
            notes.append(f"{volume.id} is left out: {why}.")
            continue
        members = members_of(controller, volume) or ()
        if not (members or volume.drives_expected):
            notes.append(f"{volume.id} is left out: its drives are unknown.")
            continue
        spec: dict[str, Any] = {
            "RaidLevel": levels[volume.raid_level], "Size": "max" if _size(controller, volume) == "MAX" else
            f"{volume.size_bytes >> 20} MB", "Controller": hardware.index(controller),
        }  # fmt: skip
        spec |= {"StripeSize": format_binary(volume.strip_bytes).replace("iB", "B")} if volume.strip_bytes else {}
        spec |= {"Name": volume.name} if volume.name else {}
        places = list(_places(members))
        spec |= (
            {"Disks": places}
            if places and len(places) == len(members)
            else {"DiskCount": str(len(members) or volume.drives_expected)}
        )
        specs.append(spec)
    return specs, [*notes, *_common(inventory)]


def _lack(volume: Volume, levels: Mapping[RaidLevel, str]) -> str:
    """Why a volume is left out; ``levels``: those of the format."""
    if volume.raid_level is None:
        return "its RAID level is unknown"
    if volume.raid_level not in levels:
        return f"the format has no {volume.raid_level}"
    return "it is smaller than 1 GiB" if volume.size_bytes else "its size is unknown"


def _size(controller: Controller, volume: Volume) -> int | str:
    """GiB; ``MAX`` if nothing of the array is left."""
    array = array_of(controller, volume)
    alone = sum(one.array == volume.array for one in controller.volumes) == 1
    whole = alone and array is not None and array.free_bytes == 0
    return "MAX" if whole or controller.mode == "software" else max(1, (volume.size_bytes or 0) // GIB)


def _bay(drive: Drive) -> str:
    return drive.id.partition("/")[2] or drive.id


def _places(members: Sequence[Drive]) -> Iterator[dict[str, Any]]:
    for drive in members:
        # 252:3, or 1I:1:3 with its port: the part before the last colon identifies the enclosure
        enclosure, _, bay = _bay(drive).rpartition(":")
        if bay.isascii() and bay.isdecimal():
            yield {"Enclosure": enclosure, "Slot": int(bay)}


def _common(inventory: Inventory) -> Iterator[str]:
    spares = sum(drive.role == "spare" for one in inventory.controllers for drive in one.drives)
    if spares:
        yield f"{spares} spare{'s are' if spares > 1 else ' is'} left out: the format has none."
    if any(family_of(one) and volume.cache is not None for one in inventory.controllers for volume in one.volumes):
        yield "Cache policies are left out: the format has none."
