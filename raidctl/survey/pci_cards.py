"""The storage cards on the PCI bus, and who answers for each: a RAID card that no tool lists is said, never overlooked.

The neutral core knows no card by name: vendor packages tell the drivers of their cards, udev tells the names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace

from raidctl.described import doc
from raidctl.discovery import kernel_controller as kernel_only
from raidctl.discovery.kernel_controller import evidence
from raidctl.discovery.pci import normalised
from raidctl.evidence import Output
from raidctl.host import HostView, PciDevice
from raidctl.model import Controller, Problem, ProblemKind, Tool
from raidctl.select import family_of
from raidctl.survey.block_devices import claimed
from raidctl.survey.duplicates import tellers
from raidctl.text import listing
from raidctl.vendor.protocol import Vendor

__all__ = ["CardRow", "evidence", "overview", "unanswered"]

RAID_CLASS = 0x0104
_WHAT = {
    0x0100: "SCSI controller",
    0x0101: "IDE interface",
    0x0104: "RAID controller",
    0x0105: "ATA controller",
    0x0106: "SATA controller",
    0x0107: "SAS controller",
    0x0108: "NVMe controller",
}
_HIDES_NOTHING = frozenset({0x0101, 0x0102, 0x0103, 0x0180})
"""Classes whose unused functions are common: IDE, floppy, IPI, others."""
# class 0104 with one of these is a port of plain drives; what RAID its firmware keeps on them is Linux md's to run.
# Families that take what the others have left name more such drivers.
_PLAIN_DRIVERS = frozenset({"ahci", "ata_piix", "nvme", "vmd", "virtio-pci"})
_GUEST_DRIVERS = frozenset({"vfio-pci", "pci-stub", "pciback", "xen-pciback", "uio_pci_generic"})


class CardRow(Struct, frozen=True):
    """One storage controller on the PCI bus, for ``doctor``."""

    address: Annotated[str, doc("On the PCI bus: `0000:03:00.0`.")]
    name: Annotated[str, doc("Maker and model from udev's database; `RAID controller 1000:005d` without it.")]
    driver: Annotated[str | None, doc("Kernel driver; null: none is bound.")]
    family: Annotated[str | None, doc("The vendor package in charge; null: none knows the card.")]
    tools: Annotated[
        tuple[str, ...],
        doc("Programs that can tell of the card, the best one first; one of them is enough."),
    ]
    found: Annotated[tuple[str, ...], doc("Which of them are installed.")]
    controllers: Annotated[tuple[str, ...], doc("Ids of the controllers that were found on it.")]
    answers: Annotated[
        bool | None,
        doc(
            "Whether a program tells of it; null: it is a guest's, or it is not clear which of several cards is listed."
        ),
    ]
    note: Annotated[
        str | None,
        doc("One sentence where there is something to say of the card; null: there is nothing."),
    ]
    told_by: Annotated[
        tuple[str, ...],
        doc("Which of the installed programs have told of it, the one that has told most first."),
    ] = ()
    why: Annotated[
        tuple[str, ...],
        doc("What there is to say of the choice between them, and of what else is good to know of its controllers."),
    ] = ()


class _Card(Struct, frozen=True):
    """A function of the PCI bus, and what is known of who answers for it."""

    function: PciDevice
    vendor: Vendor | None
    controllers: tuple[str, ...] = ()
    plain: bool = False
    """Its driver serves ports of plain drives."""
    ambiguous: bool = False
    """The family lists fewer controllers than it has cards, and does not tell which."""
    able: tuple[Vendor, ...] = ()
    """All vendor packages that know its driver; ``vendor`` is one of them."""

    @property
    def pci_class(self) -> int:
        return self.function.pci_class >> 8

    @property
    def given_away(self) -> bool:
        return self.function.driver in _GUEST_DRIVERS

    @property
    def raid(self) -> bool:
        """Whether it is a card that keeps RAID volumes of its own: its drives cannot be judged without its tool."""
        if self.given_away:
            return False
        if self.vendor is not None and not self.vendor.LAST:
            return True
        return self.pci_class == RAID_CLASS and not self.plain

    @property
    def name(self) -> str:
        """For people."""
        function = self.function
        words = [word for word in (function.vendor, function.model) if word]
        kind = _WHAT.get(self.pci_class, "storage controller")
        return " ".join(words) if function.model else f"{kind} {function.vendor_id:04x}:{function.device_id:04x}"


def unanswered(
    view: HostView, controllers: Sequence[Controller], vendors: Sequence[Vendor], tools_found: Collection[str]
) -> tuple[list[Controller], list[Problem]]:
    """RAID cards that the kernel sees and no family lists, as bare controllers, with a problem and a remedy each.

    Args:
        view: What the kernel shows.
        controllers: What the families have found.
        vendors: All vendor packages.
        tools_found: Names of the programs that are installed.

    Returns:
        The controllers that nobody has listed, status unknown, their block devices as volumes; and what to do.
    """
    bare: list[Controller] = []
    problems: list[Problem] = []
    taken = claimed(controllers, view)
    for card in _cards(view, controllers, vendors, tools_found):
        if card.function.driver is None:
            problems.append(_unbound(card))
        elif card.raid and not card.controllers:
            problems.append(_silent(card, view, tools_found))
        if card.raid and not card.controllers and not card.ambiguous:
            bare.append(kernel_only.controller(card.function, view, taken))
    return bare, problems


def overview(
    view: HostView,
    vendors: Sequence[Vendor],
    controllers: Sequence[Controller],
    tools: Iterable[Tool] = (),
    *,
    problems: Iterable[Problem] = (),
    sheets: Sequence[Output] = (),
) -> list[CardRow]:
    """Each storage controller on the PCI bus, in the order of the addresses: who is in charge, and does it answer.

    ``sheets`` tell which program has told of it, the notes among ``problems`` why that one.
    """
    installed = {tool.name for tool in tools}
    last = next((vendor for vendor in vendors if vendor.LAST), None)
    known = {controller.id: controller for controller in controllers}
    notes = [problem for problem in problems if problem.kind == "note"]
    rows = []
    for card in _cards(view, controllers, vendors, installed):
        vendor = card.vendor or (None if card.raid or card.given_away else last)
        names = tuple(tool.name for tool in vendor.TOOLS) if vendor else ()
        at = [c.id for c in controllers if vendor and family_of(c) == vendor.FAMILY and _at(c) == card.function.address]
        ids = card.controllers or tuple(at)
        told = [name for one in ids for name in tellers(known[one], sheets, _programs(vendors, one))]
        rows.append(
            CardRow(
                address=card.function.address,
                name=card.name,
                driver=card.function.driver,
                family=vendor.FAMILY if vendor else None,
                tools=names,
                found=tuple(name for name in names if name in installed),
                controllers=ids,
                answers=None if card.given_away or card.ambiguous else bool(ids),
                note=_note(card, len(vendors)),
                told_by=tuple(dict.fromkeys(told)),
                why=tuple(dict.fromkeys(problem.message for problem in notes if problem.where in ids)),
            )
        )
    return rows


def _programs(vendors: Iterable[Vendor], object_id: str) -> list[str]:
    """The names of the programs of the family that an id belongs to."""
    family = object_id.split(":", 1)[0]
    return [tool.name for vendor in vendors if family == vendor.FAMILY for tool in vendor.TOOLS]


def _cards(
    view: HostView, controllers: Sequence[Controller], vendors: Sequence[Vendor], tools: Collection[str]
) -> list[_Card]:
    """All functions with the vendor package in charge and the controllers that it has listed there."""
    nobody = {vendor.FAMILY for vendor in vendors if vendor.LAST} | {kernel_only.FAMILY}
    listed: dict[str, list[str]] = {}
    homeless: dict[str, list[str]] = {}
    for controller in controllers:
        address = _at(controller)
        if family_of(controller) in nobody or controller.mode == "software":
            continue
        if address is not None:
            listed.setdefault(address, []).append(controller.id)
        else:
            homeless.setdefault(family_of(controller), []).append(controller.id)
    plain = _PLAIN_DRIVERS | {driver for vendor in vendors if vendor.LAST for driver in vendor.DRIVERS}
    cards = []
    for function in view.pci:
        ids = tuple(listed.get(function.address, ()))
        able = tuple(vendor for vendor in vendors if not vendor.LAST and function.driver in vendor.DRIVERS)
        here = {object_id.split(":", 1)[0] for object_id in ids}
        # a tool may well list a card on a driver that its family does not know to be its own
        telling = next((one for one in vendors if one.FAMILY in here), None)
        vendor = telling or _in_charge(able, set(homeless), tools)
        cards.append(_Card(function, vendor, ids, plain=function.driver in plain, able=able))
    return [_by_count(card, cards, homeless) for card in cards]


def _in_charge(able: Sequence[Vendor], telling: Collection[str], tools: Collection[str]) -> Vendor | None:
    """Of those that know a driver the one that tells of the card, else one that has a program, else the first."""
    has = (vendor for vendor in able if any(tool.name in tools for tool in vendor.TOOLS))
    tells = (vendor for vendor in able if vendor.FAMILY in telling)
    return next(tells, None) or next(has, None) or next(iter(able), None)


def _by_count(card: _Card, cards: Sequence[_Card], homeless: dict[str, list[str]]) -> _Card:
    """A card whose family lists controllers without addresses: if as many as cards are left, they are these."""
    if card.controllers or card.vendor is None:
        return card
    nameless = homeless.get(card.vendor.FAMILY, [])
    left = [other for other in cards if other.vendor is card.vendor and not other.controllers]
    if not nameless:
        return card
    if len(nameless) < len(left):
        return replace(card, ambiguous=True)
    place = left.index(card)
    ids = nameless if len(left) == 1 else [nameless[place]] if len(nameless) == len(left) else nameless
    return replace(card, controllers=tuple(ids))


def _at(controller: Controller) -> str | None:
    address = controller.pci_address
    return (normalised(address) or address) if address else None


def _silent(card: _Card, view: HostView, tools_found: Collection[str]) -> Problem:
    """A RAID card that nobody has told of."""
    where = f"{card.name} at {card.function.address}"
    driver = card.function.driver
    if card.vendor is None:
        message = f"No vendor package of raidctl knows the RAID card {where}; its kernel driver is {driver}."
        remedy = (
            "Only its block devices are shown; `raidctl vendors` lists what is supported. "
            "Its maker's own tool can tell of its arrays and its cache."
        )
        return Problem("error", card.function.address, message, remedy, "no_tool")
    here = [tool.name for vendor in card.able for tool in vendor.TOOLS if tool.name in tools_found]
    if not here:
        needs = (f"{one.TITLE} needs {listing((t.name for t in one.TOOLS), 'or')}" for one in card.able)
        message = (
            f"The kernel sees the RAID card {where} (driver {driver}), but no program that can tell of it is "
            f"installed: {listing(needs, 'or')}."
        )
        return Problem("error", card.function.address, message, _install(card.able), "no_tool")
    kind: ProblemKind = "no_right" if view.root is False else "unread"
    doubt = "fewer cards than the kernel sees, and does not tell which" if card.ambiguous else "no such card"
    message = f"The kernel sees the RAID card {where} (driver {driver}), but {listing(here)} lists {doubt}."
    remedy = (
        "Run raidctl as root."
        if kind == "no_right"
        else f"Run {here[0]} by hand to see what it says; a newer "
        "version, or another of the family's programs, may know the card."
    )
    return Problem("error", card.function.address, message, remedy, kind)


def _install(vendors: Sequence[Vendor]) -> str:
    sources = []
    for best in (vendor.TOOLS[0] for vendor in vendors if vendor.TOOLS):
        source = best.package or best.name
        sources.append(source if best.name in source else f"{best.name} ({source})")
    if not sources:
        return "Install its maker's tool and run raidctl again."
    named = "; or ".join(sources)
    return f"Install {named}, then run raidctl again; until then only its block devices are shown."


def _unbound(card: _Card) -> Problem:
    """A function that no kernel driver serves: whatever hangs on it is invisible."""
    harmless = card.pci_class in _HIDES_NOTHING
    message = f"No kernel driver is bound to {card.name} at {card.function.address}: what hangs on it is not seen."
    remedy = "Load its driver (`lspci -k` names the candidates), or ignore it if the port is not used."
    return Problem(
        "info" if harmless else "warning", card.function.address, message, remedy, "note" if harmless else "unread"
    )


def _note(card: _Card, vendors: int) -> str | None:
    driver = card.function.driver
    if driver is None:
        return "No kernel driver is bound to it."
    if card.given_away:
        return f"Handed to a guest or to a program ({driver}); this system does not see its drives."
    if card.raid:
        return None if card.vendor or not vendors else "No vendor package of raidctl knows this card."
    if driver.startswith("virtio"):
        return "A virtual controller: the RAID, if there is any, is the host's."
    if card.pci_class == RAID_CLASS:
        return f"Calls itself RAID, but its driver {driver} serves plain drives; arrays on them are Linux md's."
    return None
