"""Missing spares of existing arrays, and the drives for them. Pure."""

from __future__ import annotations

from msgspec import Struct, structs

from raidctl.layout.choose import Place, Stock, choose_spares
from raidctl.layout.compare import Compared, members_named
from raidctl.layout.objects import Machine, members_of, spares_of
from raidctl.layout.specification import VolumeLayout
from raidctl.model import Controller, Drive, Volume
from raidctl.vendor.plan import Deed


class MissingSpares(Struct, frozen=True, kw_only=True):
    """Drives that would become the missing spares of an array."""

    controller: Controller
    volume: Volume
    places: tuple[Place, ...]

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """The deeds: a drive each."""
        return tuple(
            Deed(object_id=self.volume.id, verb="add_spare", drive=place.drive.id, device=place.node)
            for place in self.places
        )


def only_spares_differ(one: Compared) -> bool:
    """Whether only the number or the names of spares differ. An ARRAY line may be missing, too."""
    return one.verdict == "different" and all(
        each.key == "config" or (each.key == "spares" and each.found is not None) for each in one.differences
    )


def missing_spares(one: Compared, wanted: VolumeLayout, stock: Stock) -> MissingSpares | tuple[str, ...]:
    """The drives, or why there are none; surplus spares need no step."""
    pair = next(
        ((controller, volume) for controller, volume in stock.machine.volumes() if volume.id == one.object_id), None
    )
    if pair is None or pair[0].mode != "software":
        return ('use "raidctl spare add", or the vendor\'s tool.',)
    controller, volume = pair
    there = spares_of(controller, volume)
    members = [place for drive in members_of(controller, volume) or () if (place := _place(drive, stock.machine))]
    if isinstance(wanted.spares, int):
        need: int | tuple[str, ...] = wanted.spares - len(there)
    else:
        known = {name for drive in there for name in stock.machine.names(drive)}
        need = tuple(name for name in wanted.spares or () if members_named(wanted, [name])[0] not in known)
        if not need:
            return ("its spares are not those that the layout lists.",)
    found, why = choose_spares(structs.replace(wanted, spares=need), members, controller, stock)
    return tuple(why) if why else MissingSpares(controller=controller, volume=volume, places=tuple(found))


def _place(member: Drive, machine: Machine) -> Place | None:
    below = machine.drives.get(member.backing[0]) if len(member.backing) == 1 else None
    if below is None:
        return None
    part = (member.device or "").removeprefix(below.device or "/").removeprefix("p")
    return Place(drive=below, node=member.device, part=part, name=machine.name(member))
