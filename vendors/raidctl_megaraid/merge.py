"""Outputs of one machine put together, and outputs of several machines kept apart.

Each output is read onto drafts of its own; here the drafts of the same card are joined. Two outputs are of two machines
when they tell different serial numbers of the same card or of the drive in the same place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import dirname

from raidctl.vendor.draft import Draft
from raidctl.vendor.protocol import Document
from raidctl_megaraid.draft import Cards, ControllerDraft

UNNAMED = "unnamed"
"""The battery of an overview (``show``), which tells its state and not what it is."""


@dataclass
class Machine:
    """What outputs of one kind of tool told of one machine."""

    kind: str
    """``storcli``, ``storcli2``, ``megacli`` or ``mfi``: their numbers of the cards are not each other's."""
    cards: Cards = field(default_factory=Cards)
    folders: set[str] = field(default_factory=set)
    tools: list[str] = field(default_factory=list)


def join(machines: list[Machine], kind: str, document: Document, read: Cards) -> Machine:
    """Put what a document told onto the machine that it belongs to; a new one where it contradicts all others."""
    folder = dirname(document.name)
    fitting = [one for one in machines if one.kind == kind and _fits(one.cards, read)]
    home = (
        next((one for one in fitting if _shares(one.cards, read)), None)
        or next((one for one in fitting if folder in one.folders), None)
        or next(iter(fitting), None)
    )
    if home is None:
        home = Machine(kind)
        machines.append(home)
    home.folders.add(folder)
    put_together(home.cards, read)
    return home


def put_together(into: Cards, read: Cards) -> None:
    """Add the drafts of one output to those of the machine.

    Two cards of one output are two cards, also where one of them lost its number with the output's beginning.
    """
    before = Cards(dict(into.cards))
    for number, controller in read.cards.items():
        known = into.cards.get(number) or _home(before, number)
        if known is None:
            into.cards[number] = controller
        elif known is not controller:
            if number and not known.name:  # what came before did not name its card
                del into.cards[known.name]
                into.cards[number] = known
                known.name = number
            known.absorb(controller)
            _name_battery(known)


def _home(into: Cards, number: str) -> ControllerDraft | None:
    """The card of a number; without one, and for what came without one, the only card there is."""
    if number in into.cards:
        return into.cards[number]
    if len(into.cards) == 1:
        [(known, controller)] = into.cards.items()
        if not number or not known:
            return controller
    return None


def _name_battery(controller: ControllerDraft) -> None:
    """The pack that an overview told of without its kind is the one that another output names."""
    if UNNAMED in controller.batteries and len(controller.batteries) > 1:
        early = controller.batteries.pop(UNNAMED)
        next(iter(controller.batteries.values())).absorb(early)


def _fits(controllers: Cards, read: Cards) -> bool:
    return all(_compatible(mine, controller) for mine, controller in _pairs(controllers, read))


def _pairs(controllers: Cards, read: Cards) -> Iterator[tuple[ControllerDraft, ControllerDraft]]:
    for number, controller in read.cards.items():
        mine = _home(controllers, number)
        if mine is not None:
            yield mine, controller


def _compatible(one: ControllerDraft, other: ControllerDraft) -> bool:
    names = ("serial", "model")
    if any(_differ(one, other, name) for name in names):
        return False
    drives = one.drives.keys() & other.drives.keys()
    volumes = one.volumes.keys() & other.volumes.keys()
    return not (
        any(_differ(one.drives[key], other.drives[key], "serial") for key in drives)
        or any(_differ(one.volumes[key], other.volumes[key], "unique_id") for key in volumes)
    )


def _differ(one: Draft, other: Draft, name: str) -> bool:
    first, second = one.get(name), other.get(name)
    return bool(first and second) and _plain(first) != _plain(second)


def _plain(value: object) -> str:
    """``PERC H730P Mini`` and ``PERCH730PMini`` (so the overview prints it) are one model."""
    return "".join(str(value).split()).lower()


def _shares(controllers: Cards, read: Cards) -> bool:
    """Whether both tell one serial number: of a card, or of a drive in the same place."""
    for mine, controller in _pairs(controllers, read):
        pairs: list[tuple[Draft, Draft]] = [(mine, controller)]
        pairs += [(mine.drives[key], controller.drives[key]) for key in mine.drives.keys() & controller.drives.keys()]
        if any(one.get("serial") and one.get("serial") == other.get("serial") for one, other in pairs):
            return True
    return False


def same_card(mine: ControllerDraft, kind: str, other: ControllerDraft, its: str) -> bool:
    """Whether two tools speak of one card: by its serial number, else its place on the bus, else number and model."""
    for name in ("serial", "pci_address", "bus"):
        first, second = mine.get(name), other.get(name)
        if first and second:
            return _plain(first) == _plain(second)
    if "storcli2" in (kind, its) and kind != its:
        return False  # they know no card in common
    return mine.name == other.name and not _differ(mine, other, "model")
