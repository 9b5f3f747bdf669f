"""The locate LEDs that the kernel shows as files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from raidctl.discovery.enclosures import ENCLOSURES, INSIDE, id_file, identifier
from raidctl.discovery.sysfs import PCI
from raidctl.model import Problem
from raidctl.request import Dialogue, Glob, Read, ReadAnswer, ask_all

LEDS = "/sys/class/leds"
SLOTS = "/sys/bus/pci/slots"
_FUNCTION = "[0-9a-f]*:[0-9a-f]*:[0-9a-f]*.[0-7]"
_TAIL = ":enclosure:locate"
State = Literal["on", "off"]


class FileLed(Struct, frozen=True):
    """An LED with a file that is written ``0`` or ``1``."""

    id: str
    """``enclosure:0x5000c500…/Slot 02``, ``npem:0000:3a:00.0``, ``pci_slot:0000:03:00``."""
    path: str
    place: str
    """What it belongs to. For enclosures these are block device names, else a PCI address."""
    state: State | None
    """None: the file could not be read."""
    enclosure: str | None = None
    bay: str | None = None
    blocks: tuple[str, ...] = ()
    """Kernel names of the block devices in an enclosure's bay."""
    trouble: str = ""
    """Why the file could not be read."""


class KernelLeds(Struct, frozen=True):
    """All LEDs of a machine that are files."""

    enclosures: tuple[FileLed, ...] = ()
    npem: tuple[FileLed, ...] = ()
    slots: tuple[FileLed, ...] = ()
    ports: tuple[tuple[str, str], ...] = ()
    """PCI functions, each with the port above it."""
    unlisted: tuple[tuple[str, str], ...] = ()
    """Files or patterns that could not be read or listed, each with the reason: there may be more LEDs."""

    def all(self) -> tuple[FileLed, ...]:
        """Return every LED."""
        return (*self.enclosures, *self.npem, *self.slots)

    def port(self, address: str) -> str | None:
        """Return the port above a PCI function."""
        return dict(self.ports).get(address)


def read_kernel_leds() -> Dialogue[KernelLeds]:
    """List the LEDs of enclosures, NPEM ports and PCIe slots, with states."""
    asked = [
        Glob(f"{ENCLOSURES}/*/*/locate"),
        Glob(INSIDE),
        Glob(f"{LEDS}/*{_TAIL}"),
        Glob(f"{SLOTS}/*/address"),
        Glob(f"{PCI}/{_FUNCTION}/{_FUNCTION}"),
    ]
    answers = yield from ask_all(asked)
    locates, inside, leds, addresses, children = answers
    failed = [(one.pattern, answer.detail) for one, answer in zip(asked, answers, strict=True) if not answer.fine]
    enclosures = yield from _enclosures(locates.paths, inside.paths)
    npem = yield from _npem(leds.paths)
    slots, unread = yield from _slots(addresses.paths)
    ports = [path.split("/")[-2:] for path in children.paths]
    return KernelLeds(enclosures, npem, slots, tuple((child, port) for port, child in ports), (*failed, *unread))


def hidden_leds(leds: KernelLeds) -> tuple[Problem, ...]:
    """Problems for the files that may be LEDs as well."""
    return tuple(
        Problem("error", place, f"There may be more LEDs; these files could not be read: {why}.", kind="unread")
        for place, why in leds.unlisted
    )


def _enclosures(locates: Sequence[str], inside: Sequence[str]) -> Dialogue[tuple[FileLed, ...]]:
    """Read each bay. A bay that two modules of an enclosure show is listed once."""
    folders = list(dict.fromkeys(path.rpartition("/")[0].rpartition("/")[0] for path in locates))
    names = yield from ask_all([Read(id_file(folder)) for folder in folders])
    states = yield from ask_all([Read(path) for path in locates])
    ids = {folder: identifier(folder, answer.text) for folder, answer in zip(folders, names, strict=True)}
    found: dict[str, FileLed] = {}
    for path, answer in zip(locates, states, strict=True):
        slot = path.rpartition("/")[0]
        folder, _, bay = slot.rpartition("/")
        blocks = tuple(one.rpartition("/")[2].replace("!", "/") for one in inside if one.startswith(f"{slot}/device/"))
        led = FileLed(
            id=f"enclosure:{ids[folder]}/{bay.strip()}",
            path=path,
            place=slot,
            state=_state(answer),
            enclosure=ids[folder],
            bay=bay.strip(),
            blocks=blocks,
            trouble=answer.detail,
        )
        known = found.get(led.id)
        if known is None or (led.blocks and not known.blocks):
            found[led.id] = led
    return tuple(found.values())


def _npem(folders: Sequence[str]) -> Dialogue[tuple[FileLed, ...]]:
    paths = [f"{folder}/brightness" for folder in folders]
    states = yield from ask_all([Read(path) for path in paths])
    ports = [folder.rpartition("/")[2].removesuffix(_TAIL) for folder in folders]
    return tuple(
        FileLed(f"npem:{port}", path, port, _state(answer), trouble=answer.detail)
        for port, path, answer in zip(ports, paths, states, strict=True)
    )


def _slots(files: Sequence[str]) -> Dialogue[tuple[tuple[FileLed, ...], list[tuple[str, str]]]]:
    """Read each slot, and list the slots without a readable address.

    Slots are found by their address: several can have the same number.
    """
    addresses = yield from ask_all([Read(path) for path in files])
    paths = [f"{path.rpartition('/')[0]}/attention" for path in files]
    states = yield from ask_all([Read(path) for path in paths])
    found = []
    for path, where, answer in zip(paths, addresses, states, strict=True):
        address = (where.text or "").strip()
        if address:
            name = path.split("/")[-2]
            found.append(FileLed(f"pci_slot:{address}", path, address, _state(answer), bay=name, trouble=answer.detail))
    return tuple(found), [(path, one.detail) for path, one in zip(files, addresses, strict=True) if not one.fine]


def _state(answer: ReadAnswer) -> State | None:
    """``0`` is off; ``1``, or of a slot ``2`` (blinks), is on."""
    text = (answer.text or "").strip()
    return None if not text.isdecimal() else "off" if int(text) == 0 else "on"
