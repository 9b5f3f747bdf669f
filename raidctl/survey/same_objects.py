"""Volumes and drives that two descriptions of a machine list, and the problems of one that is not shown. Pure.

Volumes are joined by unique id, drives by serial number or world wide name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from raidctl.discovery.index import serial, wwn
from raidctl.evidence import Output
from raidctl.model import ASK_OWN_TOOL, Controller, Drive, Problem, Volume
from raidctl.select import Item, items

ProblemPlaces = Mapping[str, tuple[str, str]]
"""Ids of objects that are not shown, each with the id of the shown object and the beginning of its messages there."""
_KEPT = ("state", "unread", "no_right")
"""Kinds of problems that are kept if their object is not shown."""


class Pair(Struct, frozen=True):
    """An object of the shown description, and the same one in the other."""

    controller: Controller
    """The shown one that lists it."""
    ours: Item
    theirs: Item
    by: str


def names_of(item: Item) -> list[str]:
    """What an object is joined by, the surest first."""
    if isinstance(item, Volume):
        return [name for name in (wwn(item.unique_id),) if name]
    if isinstance(item, Drive):
        return [name for name in (serial(item.serial), wwn(item.wwn)) if name]
    return []


def have_names(controllers: Iterable[Controller]) -> bool:
    """Whether any object has a name to be found by."""
    return any(names_of(item) for controller in controllers for item in items(controller))


def pairs(own: Sequence[Controller], other: Controller) -> Iterator[Pair]:
    """Volumes and drives of a controller that is not shown, with the shown objects that they are.

    ``own``: the shown controllers. Only unique names match.
    """
    for kind in (Volume, Drive):
        listed = [(controller, item) for controller in own for item in items(controller) if isinstance(item, kind)]
        counts = Counter(name for _, item in listed for name in names_of(item))
        known = {name: pair for pair in listed for name in names_of(pair[1]) if counts[name] == 1}
        for theirs in (item for item in items(other) if isinstance(item, kind)):
            name = next((name for name in names_of(theirs) if name in known), None)
            if name is not None:
                yield Pair(*known[name], theirs, name)


def problem_places(shown: Controller, other: Controller, same: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Where the problems of a controller that is not shown belong.

    ``same``: ids of its objects with those of the shown ones. Problems of all others are the shown controller's.
    """
    found = {item.id: (same[item.id], "") if item.id in same else (shown.id, f"{item.id}: ") for item in items(other)}
    return {**found, other.id: (shown.id, "")}


def drop_objects(outputs: Iterable[Output], problems: Iterable[Problem], dropped: ProblemPlaces) -> list[Problem]:
    """Remove the facts of objects that are not shown, and move their problems to the shown ones.

    The facts are removed from the evidence; their lines stay read. Notes are removed, and so is the problem that a
    value is not reported if it is to be asked of the controller's own tool, which is shown.
    """
    if not dropped:
        return [*problems]
    for output in outputs:
        output.facts[:] = [fact for fact in output.facts if fact.object_id not in dropped]
    found = []
    for problem in problems:
        if problem.where not in dropped:
            found.append(problem)
        elif problem.kind in _KEPT and problem.remedy != ASK_OWN_TOOL:
            where, before = dropped[problem.where]
            found.append(replace(problem, where=where, message=f"{before}{problem.message}"))
    return [*dict.fromkeys(found)]
