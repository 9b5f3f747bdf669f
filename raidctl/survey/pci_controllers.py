"""Storage controllers on the PCI bus, each with its vendor package.

A RAID controller that no tool lists is reported. The core has no list of controllers: vendor packages list the drivers
of their controllers, udev has the names.
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
from raidctl.model import Controller, Problem, Tool
from raidctl.select import family_of
from raidctl.survey.block_devices import claimed_nodes
from raidctl.survey.merge_controllers import source_tools
from raidctl.text import listing
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.tools import failed_tools

__all__ = ["PciControllerRow", "evidence", "overview", "unlisted"]

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
"""Classes of which unused functions are common: IDE, floppy, IPI, others."""
# class 0104 with one of these is a port of plain drives; Linux md runs any RAID that its firmware keeps on them.
# The last family, which takes the remaining drives, names more such drivers.
_PLAIN_DRIVERS = frozenset({"ahci", "ata_piix", "nvme", "vmd", "virtio-pci"})
_GUEST_DRIVERS = frozenset({"vfio-pci", "pci-stub", "pciback", "xen-pciback", "uio_pci_generic"})


class PciControllerRow(Struct, frozen=True):
    """One storage controller on the PCI bus, for ``doctor``."""

    address: Annotated[str, doc("PCI address: `0000:03:00.0`.")]
    name: Annotated[str, doc("Vendor and model from udev's database; `RAID controller 1000:005d` without it.")]
    driver: Annotated[str | None, doc("Kernel driver; null: none bound.")]
    family: Annotated[str | None, doc("The vendor package in charge; null: none supports the controller.")]
    tools: Annotated[
        tuple[str, ...],
        doc("Tools that can read the controller, the best one first; one of them is enough."),
    ]
    found: Annotated[tuple[str, ...], doc("Which of them are installed.")]
    controllers: Annotated[tuple[str, ...], doc("Ids of the controllers found at this address.")]
    listed: Annotated[
        bool | None,
        doc("Whether a tool lists it; null: passed through to a guest, or unclear which of several is listed."),
    ]
    note: Annotated[
        str | None,
        doc("A remark on the controller, one sentence; null: none."),
    ]
    reported_by: Annotated[
        tuple[str, ...],
        doc("The installed tools that reported it, the one that reported most first."),
    ] = ()
    notes: Annotated[
        tuple[str, ...],
        doc("Notes on the choice between them and on its controllers."),
    ] = ()


class _PciController(Struct, frozen=True):
    """A PCI function, and the vendor package in charge of it."""

    function: PciDevice
    vendor: Vendor | None
    controllers: tuple[str, ...] = ()
    plain: bool = False
    """Its driver serves ports of plain drives."""
    ambiguous: bool = False
    """Whether the family lists fewer controllers than the kernel. It does not report which."""
    able: tuple[Vendor, ...] = ()
    """All vendor packages that support its driver; ``vendor`` is one of them."""

    @property
    def pci_class(self) -> int:
        return self.function.pci_class >> 8

    @property
    def passed_through(self) -> bool:
        return self.function.driver in _GUEST_DRIVERS

    @property
    def raid(self) -> bool:
        """Whether it is a RAID controller. Its drives cannot be judged without its tool."""
        if self.passed_through:
            return False
        if self.vendor is not None and not self.vendor.LAST:
            return True
        return self.pci_class == RAID_CLASS and not self.plain

    @property
    def name(self) -> str:
        """Vendor and model, or kind and PCI ids, for messages."""
        function = self.function
        words = [word for word in (function.vendor, function.model) if word]
        kind = _WHAT.get(self.pci_class, "storage controller")
        return " ".join(words) if function.model else f"{kind} {function.vendor_id:04x}:{function.device_id:04x}"


def unlisted(
    view: HostView, controllers: Sequence[Controller], vendors: Sequence[Vendor], tools_found: Collection[str],
    failed: Collection[str] = (), *, known: Sequence[Problem] = (),
) -> tuple[list[Controller], list[Problem]]:  # fmt: skip
    """Return the RAID controllers that the kernel sees and no family lists. Return a problem for each, too.

    Args:
        view: What the kernel shows.
        controllers: Those that the families have found.
        vendors: All vendor packages.
        tools_found: Names of the installed tools.
        failed: Families whose vendor package failed, so that their tools are unknown.
        known: The problems so far, those of the tools' calls among them.

    Returns:
        The unlisted controllers, status unknown, their block devices as volumes; and the problems with remedies.
    """
    bare: list[Controller] = []
    problems: list[Problem] = []
    taken = claimed_nodes(controllers, view)
    for item in _controllers(view, controllers, vendors, tools_found):
        if item.function.driver is None:
            problems.append(_unbound_problem(item))
        elif item.raid and not item.controllers:
            problems.append(_unlisted_problem(item, view, tools_found, failed, known))
        if item.raid and not item.controllers and not item.ambiguous:
            bare.append(kernel_only.controller(item.function, view, taken))
    return bare, problems


def overview(
    view: HostView,
    vendors: Sequence[Vendor],
    controllers: Sequence[Controller],
    tools: Iterable[Tool] = (),
    *,
    problems: Iterable[Problem] = (),
    outputs: Sequence[Output] = (),
) -> list[PciControllerRow]:
    """Return a row for each PCI storage controller, by address.

    ``outputs`` show which tool reported it, the notes among ``problems`` why that one was chosen.
    """
    installed = {tool.name for tool in tools}
    last = next((vendor for vendor in vendors if vendor.LAST), None)
    known = {controller.id: controller for controller in controllers}
    notes = [problem for problem in problems if problem.kind == "note"]
    rows = []
    for item in _controllers(view, controllers, vendors, installed):
        vendor = item.vendor or (None if item.raid or item.passed_through else last)
        names = tuple(tool.name for tool in vendor.TOOLS) if vendor else ()
        at = [c.id for c in controllers if vendor and family_of(c) == vendor.FAMILY and _at(c) == item.function.address]
        ids = item.controllers or tuple(at)
        reporters = [name for one in ids for name in source_tools(known[one], outputs, _programs(vendors, one))]
        rows.append(
            PciControllerRow(
                address=item.function.address,
                name=item.name,
                driver=item.function.driver,
                family=vendor.FAMILY if vendor else None,
                tools=names,
                found=tuple(name for name in names if name in installed),
                controllers=ids,
                listed=None if item.passed_through or item.ambiguous else bool(ids),
                note=_note(item, len(vendors)),
                reported_by=tuple(dict.fromkeys(reporters)),
                notes=tuple(dict.fromkeys(problem.message for problem in notes if problem.where in ids)),
            )
        )
    return rows


def _programs(vendors: Iterable[Vendor], object_id: str) -> list[str]:
    """Return the names of the tools of an id's family."""
    family = object_id.split(":", 1)[0]
    return [tool.name for vendor in vendors if family == vendor.FAMILY for tool in vendor.TOOLS]


def _controllers(
    view: HostView, controllers: Sequence[Controller], vendors: Sequence[Vendor], tools: Collection[str]
) -> list[_PciController]:
    """Return all functions with the vendor package in charge.

    Each function comes with the controllers that the package listed there.
    """
    others = {vendor.FAMILY for vendor in vendors if vendor.LAST} | {kernel_only.FAMILY}
    listed: dict[str, list[str]] = {}
    without_address: dict[str, list[str]] = {}
    for controller in controllers:
        address = _at(controller)
        if family_of(controller) in others or controller.mode == "software":
            continue
        if address is not None:
            listed.setdefault(address, []).append(controller.id)
        else:
            without_address.setdefault(family_of(controller), []).append(controller.id)
    plain = _PLAIN_DRIVERS | {driver for vendor in vendors if vendor.LAST for driver in vendor.DRIVERS}
    items = []
    for function in view.pci:
        ids = tuple(listed.get(function.address, ()))
        able = tuple(vendor for vendor in vendors if not vendor.LAST and function.driver in vendor.DRIVERS)
        families = {object_id.split(":", 1)[0] for object_id in ids}
        # a tool may list a controller on a driver that its family does not name
        reporting = next((one for one in vendors if one.FAMILY in families), None)
        vendor = reporting or _in_charge(able, set(without_address), tools)
        items.append(_PciController(function, vendor, ids, plain=function.driver in plain, able=able))
    return [_match_by_count(item, items, without_address) for item in items]


def _in_charge(able: Sequence[Vendor], reporting: Collection[str], tools: Collection[str]) -> Vendor | None:
    """Choose the package in charge. It lists controllers, else it has an installed tool, else it is the first."""
    has = (vendor for vendor in able if any(tool.name in tools for tool in vendor.TOOLS))
    listing_it = (vendor for vendor in able if vendor.FAMILY in reporting)
    return next(listing_it, None) or next(has, None) or next(iter(able), None)


def _match_by_count(
    item: _PciController, items: Sequence[_PciController], without_address: dict[str, list[str]]
) -> _PciController:
    """Match a family's controllers without addresses to its remaining functions. Their numbers must agree."""
    if item.controllers or item.vendor is None:
        return item
    ids_without_address = without_address.get(item.vendor.FAMILY, [])
    left = [other for other in items if other.vendor is item.vendor and not other.controllers]
    if not ids_without_address:
        return item
    if len(ids_without_address) < len(left):
        return replace(item, ambiguous=True)
    place = left.index(item)
    ids = (
        ids_without_address
        if len(left) == 1
        else [ids_without_address[place]]
        if len(ids_without_address) == len(left)
        else ids_without_address
    )
    return replace(item, controllers=tuple(ids))


def _at(controller: Controller) -> str | None:
    address = controller.pci_address
    return (normalised(address) or address) if address else None


def _unlisted_problem(
    item: _PciController, view: HostView, tools_found: Collection[str], failed: Collection[str],
    known: Sequence[Problem],
) -> Problem:  # fmt: skip
    """Report a RAID controller that no tool lists."""
    where = f"{item.name} at {item.function.address}"
    driver = item.function.driver
    if item.vendor is None:
        message = f"No vendor package of raidctl supports the RAID controller {where} (driver {driver})."
        remedy = (
            "Only its block devices are shown; `raidctl vendors` lists what is supported. "
            "Use the vendor's tool to read its arrays and its cache."
        )
        return Problem("error", item.function.address, message, remedy, "no_tool")
    if broken := [vendor.FAMILY for vendor in item.able if vendor.FAMILY in failed]:
        message = (
            f"The RAID controller {where} (driver {driver}) was not read: the vendor package {listing(broken)} failed."
        )
        return Problem("error", item.function.address, message, None, "unread")
    installed = [tool.name for vendor in item.able for tool in vendor.TOOLS if tool.name in tools_found]
    if not installed:
        needs = (f"{one.TITLE} needs {listing((t.name for t in one.TOOLS), 'or')}" for one in item.able)
        message = f"No installed tool can read the RAID controller {where} (driver {driver}): {listing(needs, 'or')}."
        return Problem("error", item.function.address, message, _install(item.able), "no_tool")
    calls, kind = failed_tools(installed, known)
    kind = "no_right" if view.root is False else kind
    if calls and not item.ambiguous:
        message = f"The RAID controller {where} (driver {driver}) was not read, as {listing(calls)} failed."
        remedy = f"Run {calls[0]} by hand, as root, and read its messages."
        return Problem("error", item.function.address, message, remedy, kind)
    controller = f"the RAID controller {where} (driver {driver})"
    many = len(installed) > 1
    if item.ambiguous:
        lists = "list" if many else "lists"
        message = f"{listing(installed)} {lists} fewer controllers than the kernel: {controller} may be missing."
    else:
        message = f"{listing(installed)} {'do' if many else 'does'} not list {controller}, which the kernel sees."
    remedy = (
        "Run raidctl as root."
        if kind == "no_right"
        else f"Run {installed[0]} by hand and read its messages; a newer "
        "version or another tool of the family may support the controller."
    )
    return Problem("error", item.function.address, message, remedy, kind)


def _install(vendors: Sequence[Vendor]) -> str:
    sources = []
    for best in (vendor.TOOLS[0] for vendor in vendors if vendor.TOOLS):
        source = best.package or best.name
        sources.append(source if best.name in source else f"{best.name} ({source})")
    if not sources:
        return "Install its vendor's tool and run raidctl again."
    named = "; or ".join(sources)
    return f"Install {named}, then run raidctl again; until then only its block devices are shown."


def _unbound_problem(item: _PciController) -> Problem:
    """Report a function without a kernel driver. Whatever is attached to it is invisible."""
    harmless = item.pci_class in _HIDES_NOTHING
    message = (
        f"No kernel driver is bound to {item.name} at {item.function.address}: drives attached to it are invisible."
    )
    remedy = "Load its driver (`lspci -k` names the candidates), or ignore it if the port is not used."
    return Problem(
        "info" if harmless else "warning", item.function.address, message, remedy, "note" if harmless else "unread"
    )


def _note(item: _PciController, vendors: int) -> str | None:
    driver = item.function.driver
    if driver is None:
        return "No kernel driver is bound to it."
    if item.passed_through:
        return f"Passed through to a guest or a program ({driver}); this system does not see its drives."
    if item.raid:
        return None if item.vendor or not vendors else "No vendor package of raidctl supports this controller."
    if driver.startswith("virtio"):
        return "A virtual controller: any RAID is on the host."
    if item.pci_class == RAID_CLASS:
        return f"Its PCI class is RAID, but its driver {driver} serves plain drives; arrays on them are Linux md."
    return None
