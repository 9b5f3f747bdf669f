"""Service processor objects joined with those of the machine's own tools. Pure.

Volumes are joined by unique id, drives by serial number or world wide name, controllers by serial number, PCI address
or their objects. An object in both views is shown once, as the machine's own tools report it; the BMC's report is in
``second_views``. A controller that only the BMC lists stays in the inventory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from raidctl.discovery.index import serial
from raidctl.discovery.pci import normalised
from raidctl.host import HostView
from raidctl.model import Battery, Controller, Drive, Problem, SecondView, Tool, Volume
from raidctl.select import Item, items
from raidctl.survey.same_objects import Pair, ProblemPlaces, have_names, names_of, pairs, problem_places
from raidctl.text import counted
from raidctl.vendor.draft import is_bad
from raidctl.vendor.protocol import Vendor


class Joined(Struct, frozen=True):
    """The BMC's remaining controllers, and the second views of the others."""

    left: tuple[Controller, ...]
    views: tuple[SecondView, ...] = ()
    problems: tuple[Problem, ...] = ()
    dropped: ProblemPlaces = {}
    """The objects shown as the machine's own tools report them."""


def families(vendors: Sequence[Vendor]) -> frozenset[str]:
    """The families that see the machine from outside. Their packages have the constant ``SECOND_VIEW``."""
    return frozenset(vendor.FAMILY for vendor in vendors if getattr(vendor, "SECOND_VIEW", False))


def alone(view: HostView, tools: Iterable[Tool], vendors: Sequence[Vendor]) -> bool:
    """Whether only a service processor was queried, so that no facts of the kernel are missing."""
    outside = families(vendors)
    names = {spec.name for vendor in vendors if vendor.FAMILY in outside for spec in vendor.TOOLS}
    return not (view.blocks or view.kernel or view.hostname) and any(tool.name in names for tool in tools)


def join(own: Sequence[Controller], outside: Sequence[Controller], unread: Sequence[str] = ()) -> Joined:
    """Join the BMC's controllers with those of the machine's own tools.

    ``unread``: paths of resources, or ids of objects, of which something could not be read.
    """
    hardware = [controller for controller in own if controller.mode != "software"]
    left: list[Controller] = []
    views: list[SecondView] = []
    problems: list[Problem] = []
    dropped: dict[str, tuple[str, str]] = {}
    joined = {other.id: list(pairs(hardware, other)) for other in outside}
    seen = {pair.ours.id for found in joined.values() for pair in found}
    for other in outside:
        found = joined[other.id]
        partner = _partner(hardware, other, found)
        if partner is None:
            left.append(other)
            continue
        views += _views(partner, other, found)
        same = {pair.theirs.id: pair.ours.id for pair in found}
        same |= {theirs.id: ours.id for ours, theirs in _batteries(partner, other)}
        dropped |= problem_places(partner, other, same)
        problems.append(_note(partner, other, found))
        if not any(where.startswith(("/", other.id)) for where in unread):
            problems += _not_listed(partner, other, found, seen)
    if outside and not views and have_names(hardware) and have_names(outside):
        problems.append(_another(outside[0]))
    return Joined(tuple(left), tuple(views), tuple(problems), dropped)


def _partner(own: Sequence[Controller], other: Controller, found: Sequence[Pair]) -> Controller | None:
    """The same controller, by serial number or address. Otherwise it is the one with the most in common."""
    tests: tuple[Callable[[Controller], str | None], ...] = (
        lambda one: serial(one.serial),
        lambda one: normalised(one.pci_address) if one.pci_address else None,
    )
    for named in tests:
        same = [one for one in own if named(other) is not None and named(one) == named(other)]
        if len(same) == 1:
            return same[0]
    counts = Counter(pair.controller.id for pair in found)
    best = counts.most_common(1)
    return next(one for one in own if one.id == best[0][0]) if best else None


def _views(partner: Controller, other: Controller, found: Sequence[Pair]) -> Iterator[SecondView]:
    yield _view(partner, other, "controller")
    for pair in found:
        yield _view(pair.ours, pair.theirs, "volume" if isinstance(pair.theirs, Volume) else "drive", pair.by)
    one, second = partner.cache, other.cache
    if one and second and second.status and (one.status or is_bad(second.status)):
        view = _view(partner, other, "cache")
        yield replace(view, status=second.status, status_text=second.status_text)
    known = {its.id: mine for mine, its in _batteries(partner, other)}
    for its in other.batteries:
        yield _view(known.get(its.id, partner), its, "battery", listed=True if its.id in known else None)
    joined = {pair.theirs.id for pair in found}
    others: list[Volume | Drive] = [*other.volumes, *other.drives]
    for theirs in others:
        if theirs.id not in joined:
            volume = isinstance(theirs, Volume)
            kind = "volume" if volume else "drive"
            same: Sequence[Volume | Drive] = partner.volumes if volume else partner.drives
            findable = bool(names_of(theirs)) and all(names_of(item) for item in same)
            yield _view(partner, theirs, kind, listed=False if findable else None)


def _batteries(partner: Controller, other: Controller) -> list[tuple[Battery, Battery]]:
    """The only battery in both views. Batteries have no names, so others are not joined."""
    one, second = partner.batteries, other.batteries
    return [(one[0], second[0])] if len(one) == len(second) == 1 else []


def _view(ours: Item, theirs: Item, kind: str, by: str | None = None, *, listed: bool | None = True) -> SecondView:
    cache = theirs.cache if isinstance(theirs, Volume) else None
    return SecondView(
        object_id=ours.id,
        seen_as=theirs.id,
        kind=kind,  # type: ignore[arg-type]  # one of its words
        listed=listed,
        joined_by=by,
        status=theirs.status,
        status_text=theirs.status_text,
        write_policy=cache.write_policy if cache is not None else None,
        write_active=cache.write_active if cache is not None else None,
    )


def _note(partner: Controller, other: Controller, found: Sequence[Pair]) -> Problem:
    volumes = sum(isinstance(pair.theirs, Volume) for pair in found)
    message = (
        f"The BMC lists the same controller, as {other.id}: {counted(volumes, 'volume')} and "
        f"{counted(len(found) - volumes, 'drive')} are in both views. Shown as "
        f"{partner.told_by or 'the kernel'} reports it."
    )
    return Problem("info", partner.id, message)


def _not_listed(
    partner: Controller, other: Controller, found: Sequence[Pair], seen: Container[str]
) -> Iterator[Problem]:
    """What the BMC does not list although it must see it. The machine's own tools list it.

    It sees the volumes of a controller of which it lists a volume, and the drives that a controller made these of: many
    BMCs do not see drives that a controller passes through. All that it lists must have a name to be found by.
    """
    for kind in (Volume, Drive):
        theirs = [item for item in items(other) if isinstance(item, kind)]
        if not any(isinstance(pair.theirs, kind) for pair in found) or not all(names_of(item) for item in theirs):
            continue
        for ours in items(partner):
            made = isinstance(ours, Volume) or (isinstance(ours, Drive) and ours.array is not None)
            if isinstance(ours, kind) and made and names_of(ours) and ours.id not in seen:
                word = "volume" if isinstance(ours, Volume) else "drive"
                message = f"The BMC does not list this {word}, but lists others of its controller, as {other.id}."
                yield Problem("info", ours.id, message, "If it still does not list it later, reset the BMC.")


def _another(other: Controller) -> Problem:
    message = (
        "None of the volumes and drives that the BMC lists is known to the machine's own tools: it may be the BMC of "
        "another machine."
    )
    return Problem("warning", other.id, message, "Compare the serial numbers, and correct --bmc.")
