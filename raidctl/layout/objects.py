"""Find a layout's controllers, drives, members and spares in an inventory. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from raidctl.model import Array, Controller, Drive, Inventory, Volume
from raidctl.model.drives_below import physical_drives
from raidctl.model.objects import by_id, drives_by_id
from raidctl.select import family_of
from raidctl.toml_files.mistakes import suggestion

_MASKED = frozenset("*xX-?")
SOFTWARE = Controller(id="md", vendor="Linux", model="Linux md", mode="software")
"""The controller of md arrays on a machine that has none yet."""


def plain_id(text: str | None) -> str | None:
    """A unique id in normal form: without case, ``0x``, dashes and colons."""
    return text.lower().removeprefix("0x").replace("-", "").replace(":", "") if text else None


class Machine(Struct, frozen=True, dict=True):
    """An inventory, with the names that a layout may use."""

    inventory: Inventory

    @cached_property
    def serials(self) -> dict[str, int]:
        """The number of physical drives with each serial number."""
        return Counter(drive.serial for _, drive in physical_drives(self.inventory.controllers) if drive.serial)

    @cached_property
    def drives(self) -> dict[str, Drive]:
        """All drives by id."""
        return drives_by_id(self.inventory)

    def controllers(self, word: str) -> list[Controller]:
        """The controllers that a word names: an id or serial number. Else by family, or a part of vendor and model."""
        every = self.inventory.controllers
        exact = [
            [one for one in every if word in (one.id, one.serial)],
            [one for one in every if family_of(one) == word],
        ]
        # HPE Smart Array P408i-a SR Gen10: some tools print the vendor before the model
        part = [one for one in every if word.lower() in f"{one.vendor or ''} {one.model or ''}".lower()]
        found = next((found for found in (*exact, part) if found), [])
        return found or ([SOFTWARE] if word == SOFTWARE.id else [])

    def no_controller(self, word: str) -> str:
        """Report that no controller has a name, with suggestions."""
        names = [name for one in self.inventory.controllers for name in (one.id, family_of(one), one.serial) if name]
        meant = suggestion(word, names)
        return f'There is no controller "{word}"{f"; {meant}" if meant else "."}'

    def volumes(self) -> Iterator[tuple[Controller, Volume]]:
        """The volumes that a layout lists, without plain drives."""
        for controller in self.inventory.controllers:
            yield from ((controller, one) for one in controller.volumes if one.raid_level != "jbod")

    def name(self, drive: Drive) -> str:
        """The best identifier of a drive: serial number, with its partition (``ZC1A-part1``). Else its id or device."""
        below = self.drives.get(drive.backing[0]) if len(drive.backing) == 1 else None
        serial = (below or drive).serial
        if serial is None or self.serials.get(serial, 0) != 1 or set(serial) <= _MASKED:
            return (drive.device or drive.id) if drive.backing else drive.id
        device, whole = drive.device or "", below.device or "" if below else ""
        part = device[len(whole) :].removeprefix("p") if whole and device.startswith(whole) else ""
        return f"{serial}-part{part}" if part else serial

    def names(self, drive: Drive) -> set[str]:
        """All names that a layout may use for a drive."""
        parts: set[str] = set()
        if len(drive.backing) == 1 and (below := self.drives.get(drive.backing[0])) is not None:
            _, dash, number = self.name(drive).rpartition("-part")
            parts = {f"{name}{dash}{number}" for name in self.names(below)} if dash else self.names(below)
        short_id = drive.id.partition("/")[2] or drive.id.partition(":")[2]
        bay = f"{drive.enclosure}:{drive.bay}" if drive.enclosure and drive.bay else ""
        return {self.name(drive), drive.id, short_id, bay, drive.serial or "", drive.device or "", *parts} - {""}


def array_of(controller: Controller, volume: Volume) -> Array | None:
    """The array of a volume; None if it is not reported."""
    return by_id(controller.arrays, volume.array)


def members_of(controller: Controller, volume: Volume) -> Sequence[Drive] | None:
    """The members of a volume, including failed ones unless it is complete without. None if no output lists them all.

    A failed drive beside all members was a spare, or a member that a spare has replaced.
    """
    array = array_of(controller, volume)
    if array is None or not array.drives:
        return None
    known = {drive.id: drive for drive in controller.drives}
    found = [known[name] for name in array.drives if name in known]
    if len(found) < len(array.drives):
        return None
    members = [drive for drive in found if drive.role not in ("spare", "journal")]
    working = [drive for drive in members if drive.role != "failed"]
    return working if len(working) == volume.drives_expected else members


def spares_of(controller: Controller, volume: Volume) -> list[Drive]:
    """The spares that the array of a volume lists."""
    array = array_of(controller, volume)
    return [drive for drive in controller.drives if array is not None and drive.id in array.spares]


def global_spares(controller: Controller) -> list[Drive]:
    """The spares that no array lists."""
    listed = {name for array in controller.arrays for name in array.spares}
    return [drive for drive in controller.drives if drive.role == "spare" and drive.id not in listed]
