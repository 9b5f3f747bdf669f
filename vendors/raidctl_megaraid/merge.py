"""Merge outputs of one machine, and separate those of several machines.

Each output is read into drafts; here the drafts of the same controller are joined. Two outputs are of two machines
when they report different serial numbers of the same controller or of the drive in the same place.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname

from msgspec import Struct, field

from raidctl.vendor.draft import Draft
from raidctl.vendor.protocol import Document
from raidctl_megaraid.draft import ControllerDraft, Controllers

UNNAMED = "unnamed"
"""The battery of an overview (``show``). The overview reports its state, not its kind."""


class Machine(Struct):
    """The outputs of one kind of tool about one machine."""

    kind: str
    """The kind of tool: ``storcli``, ``storcli2``, ``megacli`` or ``mfi``. Each numbers the controllers in its own
    way."""
    controllers: Controllers = field(default_factory=Controllers)
    folders: set[str] = set()
    tools: list[str] = []


def merge_output(machines: list[Machine], kind: str, document: Document, read: Controllers) -> Machine:
    """Add what a document reported to its machine. A document that contradicts all machines gets a new one."""
    folder = dirname(document.name)
    fitting = [one for one in machines if one.kind == kind and _fits(one.controllers, read)]
    home = (
        next((one for one in fitting if _shares(one.controllers, read)), None)
        or next((one for one in fitting if folder in one.folders), None)
        or next(iter(fitting), None)
    )
    if home is None:
        home = Machine(kind)
        machines.append(home)
    home.folders.add(folder)
    combine_drafts(home.controllers, read)
    return home


def combine_drafts(into: Controllers, read: Controllers) -> None:
    """Add the drafts of one output to those of the machine.

    Two controllers of one output stay two, even if one of them lost its number with the output's beginning.
    """
    before = Controllers(dict(into.by_number))
    for number, controller in read.by_number.items():
        known = into.by_number.get(number) or _controller_of(before, number)
        if known is None:
            into.by_number[number] = controller
        elif known is not controller:
            if number and not known.name:  # the earlier output did not name its controller
                del into.by_number[known.name]
                into.by_number[number] = known
                known.name = number
            known.absorb(controller)
            _name_battery(known)


def _controller_of(into: Controllers, number: str) -> ControllerDraft | None:
    """The controller with a number. If either side has no number, the only controller there is."""
    if number in into.by_number:
        return into.by_number[number]
    if len(into.by_number) == 1:
        [(known, controller)] = into.by_number.items()
        if not number or not known:
            return controller
    return None


def _name_battery(controller: ControllerDraft) -> None:
    """Merge a battery of unknown kind with that named by another output."""
    if UNNAMED in controller.batteries and len(controller.batteries) > 1:
        early = controller.batteries.pop(UNNAMED)
        next(iter(controller.batteries.values())).absorb(early)


def _fits(controllers: Controllers, read: Controllers) -> bool:
    return all(_compatible(mine, controller) for mine, controller in _pairs(controllers, read))


def _pairs(controllers: Controllers, read: Controllers) -> Iterator[tuple[ControllerDraft, ControllerDraft]]:
    for number, controller in read.by_number.items():
        mine = _controller_of(controllers, number)
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


def _shares(controllers: Controllers, read: Controllers) -> bool:
    """Whether both report one serial number. Controllers are compared, and drives in the same place."""
    for mine, controller in _pairs(controllers, read):
        pairs: list[tuple[Draft, Draft]] = [(mine, controller)]
        pairs += [(mine.drives[key], controller.drives[key]) for key in mine.drives.keys() & controller.drives.keys()]
        if any(one.get("serial") and one.get("serial") == other.get("serial") for one, other in pairs):
            return True
    return False


def same_controller(mine: ControllerDraft, kind: str, other: ControllerDraft, other_kind: str) -> bool:
    """Whether two tools report the same controller.

    Serial numbers are compared, else bus addresses, else numbers and models.
    """
    for name in ("serial", "pci_address", "bus"):
        first, second = mine.get(name), other.get(name)
        if first and second:
            return _plain(first) == _plain(second)
    if "storcli2" in (kind, other_kind) and kind != other_kind:
        return False  # they have no controller in common
    return mine.name == other.name and not _differ(mine, other, "model")
