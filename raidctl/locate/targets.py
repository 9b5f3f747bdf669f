"""Find the drives and bays that ids name. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from raidctl.change.indicator import Bay
from raidctl.errors import RaidctlError, UsageError
from raidctl.host import BlockDevice, HostView
from raidctl.locate.kernel import FileLed, KernelLeds
from raidctl.model import Controller, Drive, Inventory
from raidctl.select import Ambiguous, find, names_bay, physical
from raidctl.text import listing, printable

_BAYS = ("enclosure:", "npem:", "pci_slot:")


class Wanted(Struct, frozen=True):
    """An object to locate, with everything that helps to find its LED."""

    bay: Bay
    drive: Drive | None = None
    """None for a bay that is named itself."""
    controller: Controller | None = None
    blocks: tuple[BlockDevice, ...] = ()
    """Its block devices: several paths to one drive."""

    @property
    def pci(self) -> tuple[str, ...]:
        """PCI addresses of an NVMe drive. Other drives have their controller's, whose LEDs are not theirs."""
        return tuple(block.pci_address for block in self.blocks if block.pci_address and block.transport == "nvme")


def resolve(inventory: Inventory, view: HostView, leds: KernelLeds, words: Sequence[str]) -> list[Wanted]:
    """Return the named drives and bays. Each is listed once, in the order of the words.

    A volume or an array means its member drives; a drive of a software array the physical drive below it.

    Raises:
        UsageError: A word means nothing, several things, or nothing that is a drive.
        CannotTell: Not everything could be read.
    """
    found: dict[str, Wanted] = {}
    for word in words:
        mine = (
            [_of_bay(_bay(word, leds), inventory, view)] if word.startswith(_BAYS)
            else _of_word_or_empty_bay(inventory, view, leds, word)
        )  # fmt: skip
        found |= {one.bay.object_id: one for one in mine}
    return list(found.values())


def _bay(word: str, leds: KernelLeds) -> FileLed:
    """Return the bay of an id."""
    known = {led.id: led for led in leds.all()}
    if word not in known:
        raise UsageError(f'No bay is called "{printable(word)}"; "raidctl locate list" lists them.')
    return known[word]


def _of_bay(led: FileLed, inventory: Inventory, view: HostView) -> Wanted:
    """Return a bay, with the serial number of the drive in it."""
    nodes = {block.node for name in led.blocks if (block := view.block(name)) is not None}
    inside = [d for c in inventory.controllers for d in c.drives if d.device in nodes]
    serial = inside[0].serial if inside else None
    device = inside[0].device if inside else min(nodes, default=None)
    return Wanted(Bay(object_id=led.id, serial=serial, device=device, enclosure=led.enclosure, bay=led.bay))


def _of_word_or_empty_bay(inventory: Inventory, view: HostView, leds: KernelLeds, word: str) -> list[Wanted]:
    """Resolve ``bay:4``: the drive reported there. Otherwise the bay of an enclosure with this name.

    Drives come first, as an enclosure without links to drives shows the bays of its controller once more.
    """
    try:
        return _of_word(inventory, view, word)
    except Ambiguous:
        raise
    except RaidctlError:
        empty = [led for led in leds.enclosures if not led.blocks and names_bay(word, led.enclosure, led.bay)]
        if len(empty) != 1:
            raise
        return [_of_bay(empty[0], inventory, view)]


def _of_word(inventory: Inventory, view: HostView, word: str) -> list[Wanted]:
    ids = find(inventory, view, [word])
    controllers = [controller.id for controller in inventory.controllers if controller.id in ids]
    if controllers:
        raise UsageError(f"{listing(controllers)} is a controller: name a drive, an array or a volume of it.")
    below = physical(inventory, ids)
    found = [
        (controller, drive) for controller in inventory.controllers for drive in controller.drives if drive.id in below
    ]
    if not found:
        raise UsageError(f'"{printable(word)}" ({listing(sorted(ids))}) is not a drive, and no drives of it are known.')
    return [_wanted(controller, drive, view) for controller, drive in found]


def _wanted(controller: Controller, drive: Drive, view: HostView) -> Wanted:
    blocks = _blocks(drive, view)
    device = blocks[0].node if blocks else drive.device
    bay = Bay(object_id=drive.id, serial=drive.serial, device=device, enclosure=drive.enclosure, bay=drive.bay)
    return Wanted(bay, drive, controller, blocks)


def _blocks(drive: Drive, view: HostView) -> tuple[BlockDevice, ...]:
    """Return the whole devices of a drive. For a partition this is its device, for a multipath device all paths."""
    block = view.block(drive.device)
    while block is not None and block.parent is not None:
        block = view.block(block.parent)
    if block is None:
        return ()
    names = {block.name, *block.slaves} if block.kind == "dm" else {block.name}
    mine = [one for one in view.blocks if one.name in names and one.kind == "disk"]
    serials = {one.serial for one in mine if one.serial}
    paths = [one for one in view.blocks if one.kind == "disk" and one.serial in serials and one not in mine]
    return (*mine, *paths)
