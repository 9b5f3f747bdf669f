"""Merge controllers that the tools of two families list. Keep the one with more facts, and the worse values of both.

Pure. Two controllers of different families are the same if they have the same PCI address or, if one has none, the
same unmasked serial number. Within a family the vendor package merges them.
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
from raidctl.survey.same_objects import ProblemPlaces, problem_places
from raidctl.survey.worse_values import settle

_NOTHING = (None, "", "unknown")


class Merged(Struct, frozen=True):
    """The controllers left, with a note and the contradictions of each that was dropped."""

    controllers: tuple[Controller, ...]
    problems: tuple[Problem, ...] = ()
    dropped: ProblemPlaces = {}
    """The dropped controllers and their parts, except ids that still exist."""


def merge(controllers: Sequence[Controller], outputs: Sequence[Output], tools: Mapping[str, Collection[str]]) -> Merged:
    """Keep each controller once, with the worse values of all its descriptions.

    Args:
        controllers: As linked to the kernel's view.
        outputs: The evidence: which tool reported a controller.
        tools: The names of each family's tools, by the family's name.
    """
    groups: list[list[Controller]] = []
    for controller in controllers:
        same = next((group for group in groups if any(_same(controller, other) for other in group)), None)
        if same is None:
            groups.append([controller])
        else:
            same.append(controller)
    if len(groups) == len(controllers):
        return Merged(tuple(controllers))
    kept: list[Controller] = []
    problems: list[Problem] = []
    dropped: dict[str, tuple[str, str]] = {}
    for group in groups:
        best = max(group, key=fact_count)  # of equals the first one
        shown = best
        for other in (one for one in group if one is not best):
            problems.append(_note(best, other, outputs, tools))
            settled = settle(shown, other)
            shown = settled.controller
            problems += settled.problems
            dropped.update(problem_places(best, other, settled.same))
        kept.append(shown)
    existing = {item.id for one in kept for item in items(one)}
    return Merged(tuple(kept), tuple(problems), {name: home for name, home in dropped.items() if name not in existing})


def fact_count(controller: Controller) -> int:
    """Count the facts of a controller and its parts, details included."""
    return _leaves(msgspec.to_builtins(controller))


def _leaves(value: object) -> int:
    if isinstance(value, dict):
        return sum(map(_leaves, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_leaves, value))
    return value not in _NOTHING


def _same(one: Controller, other: Controller) -> bool:
    """Whether controllers of two families are the same one."""
    if family_of(one) == family_of(other) or "software" in (one.mode, other.mode):
        return False
    if one.pci_address and other.pci_address:
        return _place(one.pci_address) == _place(other.pci_address)
    number = serial(one.serial)
    return number is not None and number == serial(other.serial)


def _place(address: str) -> str:
    return normalised(address) or address


def _note(
    best: Controller, other: Controller, outputs: Sequence[Output], tools: Mapping[str, Collection[str]]
) -> Problem:
    """Explain which of two controllers was dropped, and why."""
    ours, theirs = (source_tool(one, outputs, tools.get(family_of(one), ())) for one in (best, other))
    place = best.pci_address or other.pci_address
    by = f"PCI address {place}" if best.pci_address and other.pci_address else f"serial number {best.serial}"
    more, less = fact_count(best), fact_count(other)
    why = f"{ours} reports more ({more} facts, {theirs} {less})" if more > less else "both report the same amount"
    message = (
        f"{ours} and {theirs} list the same controller ({by}). Shown once, as reported by {ours}, not as "
        f"{other.id}: {why}."
    )
    return Problem("info", best.id, message)


def source_tool(controller: Controller, outputs: Iterable[Output], tools: Collection[str]) -> str:
    """Return the tool that reported a controller. If the evidence names none of its tools, return the family's name."""
    return next(iter(source_tools(controller, outputs, tools)), family_of(controller))


def source_tools(controller: Controller, outputs: Iterable[Output], tools: Collection[str]) -> list[str]:
    """Return the tools whose outputs contain facts of a controller. The one with most of them comes first."""
    ids = {item.id for item in items(controller)}
    counted: dict[str, int] = {}
    for output in outputs:
        name = output.command.split(" ", 1)[0].rsplit("/", 1)[-1]
        if name in tools:
            count = sum(fact.object_id in ids for fact in output.facts)
            if count:
                counted[name] = counted.get(name, 0) + count
    return sorted(counted, key=lambda name: -counted[name])
