"""A card that the tools of two families list is one card: it is shown once, as the family that tells more has told it.

Pure. Two controllers of different families are the same where they have the same PCI address; where one has none, the
same serial number, if that is not masked. Within a family the vendor package itself sees to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from raidctl.discovery.index import serial
from raidctl.discovery.pci import normalised
from raidctl.evidence import Output
from raidctl.model import Controller, Problem
from raidctl.select import family_of, items

_NOTHING = (None, "", "unknown")


class Kept(Struct, frozen=True):
    """The controllers that are left, and what is said of the others."""

    controllers: tuple[Controller, ...]
    problems: tuple[Problem, ...] = ()
    dropped: frozenset[str] = frozenset()
    """The ids of all that was on the others, but for those that are still there."""


def once(controllers: Sequence[Controller], sheets: Sequence[Output], tools: Mapping[str, Collection[str]]) -> Kept:
    """Each card once.

    Args:
        controllers: As linked to the kernel's view.
        sheets: The evidence: it tells which tool has told of a controller.
        tools: The names of the programs of each family, by its name.
    """
    groups: list[list[Controller]] = []
    for controller in controllers:
        same = next((group for group in groups if any(_same(controller, other) for other in group)), None)
        if same is None:
            groups.append([controller])
        else:
            same.append(controller)
    if len(groups) == len(controllers):
        return Kept(tuple(controllers))
    kept, problems, lost = [], [], set()
    for group in groups:
        best = max(group, key=weight)  # of equals the first one
        kept.append(best)
        others = [controller for controller in group if controller is not best]
        problems += [_note(best, other, sheets, tools) for other in others]
        lost |= {item.id for other in others for item in items(other)}
    return Kept(tuple(kept), tuple(problems), frozenset(lost - {item.id for one in kept for item in items(one)}))


def forget(sheets: Iterable[Output], problems: Iterable[Problem], dropped: Collection[str]) -> list[Problem]:
    """Take the facts of dropped objects out of the evidence (their lines stay read), and their problems away."""
    if dropped:
        for sheet in sheets:
            sheet.facts = [fact for fact in sheet.facts if fact.object_id not in dropped]
    return [problem for problem in problems if problem.where not in dropped]


def weight(controller: Controller) -> int:
    """How many facts a controller and all on it have, details included."""
    return _leaves(msgspec.to_builtins(controller))


def _leaves(value: object) -> int:
    if isinstance(value, dict):
        return sum(map(_leaves, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_leaves, value))
    return value not in _NOTHING


def _same(one: Controller, other: Controller) -> bool:
    """Whether two families mean the same card."""
    if family_of(one) == family_of(other) or "software" in (one.mode, other.mode):
        return False
    if one.pci_address and other.pci_address:
        return _place(one.pci_address) == _place(other.pci_address)
    number = serial(one.serial)
    return number is not None and number == serial(other.serial)


def _place(address: str) -> str:
    return normalised(address) or address


def _note(
    best: Controller, other: Controller, sheets: Sequence[Output], tools: Mapping[str, Collection[str]]
) -> Problem:
    """What became of the second telling, and why."""
    ours, theirs = (teller(one, sheets, tools.get(family_of(one), ())) for one in (best, other))
    place = best.pci_address or other.pci_address
    by = f"PCI address {place}" if best.pci_address and other.pci_address else f"serial number {best.serial}"
    more, less = weight(best), weight(other)
    why = f"{ours} tells more of it ({more} facts to {less})" if more > less else "both tell as much of it"
    message = (
        f"{ours} and {theirs} list the same controller ({by}); it is shown once, as {ours} told it, and not as "
        f"{other.id}, because {why}."
    )
    return Problem("info", best.id, message)


def teller(controller: Controller, sheets: Iterable[Output], tools: Collection[str]) -> str:
    """The program that has told of a controller; the family's name where the evidence names none of its programs."""
    return next(iter(tellers(controller, sheets, tools)), family_of(controller))


def tellers(controller: Controller, sheets: Iterable[Output], tools: Collection[str]) -> list[str]:
    """The programs whose outputs hold facts of a controller, the one with most of them first."""
    ids = {item.id for item in items(controller)}
    counted: dict[str, int] = {}
    for sheet in sheets:
        name = sheet.command.split(" ", 1)[0].rsplit("/", 1)[-1]
        if name in tools:
            count = sum(fact.object_id in ids for fact in sheet.facts)
            if count:
                counted[name] = counted.get(name, 0) + count
    return sorted(counted, key=lambda name: -counted[name])
