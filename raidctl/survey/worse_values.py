"""What a second description of a controller reports as worse than the shown one. Pure.

The controllers are of two families. Their values are compared as those of two tools of one family are
(:mod:`raidctl.vendor.disagreement`): the worse one is shown, and the contradiction is a problem.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from raidctl.model import Array, Battery, Cache, Controller, Drive, Problem, Volume, VolumeCache
from raidctl.select import Item, items
from raidctl.survey.same_objects import pairs
from raidctl.vendor.disagreement import settle_tools
from raidctl.vendor.draft import ControllerDraft, Draft, GroupDraft, is_bad

T = TypeVar("T", bound=Item)
_FIELDS = ("replace", "foreign", "firmware_update", "write_cache")
_PARTS = ("cache", "errors")


class Settled(Struct, frozen=True):
    """The shown controller with the worse values, and the contradictions."""

    controller: Controller
    problems: tuple[Problem, ...]
    same: Mapping[str, str]
    """Ids of objects of the other description, with those of the shown ones."""


def settle(shown: Controller, other: Controller) -> Settled:
    """Take over what only the other description of a controller reports as bad or as not recognised."""
    same = _same(shown, other)
    mine = _draft(shown, {})
    settle_tools(mine, _draft(other, same, _reported_unnamed(shown, other, same)))
    drafts = _by_id(mine)
    worse = replace(
        _with(shown, mine),
        batteries=tuple(_with(one, drafts[one.id]) for one in shown.batteries),
        arrays=tuple(_with(one, drafts[one.id]) for one in shown.arrays),
        volumes=tuple(_with(one, drafts[one.id]) for one in shown.volumes),
        drives=tuple(_with(one, drafts[one.id]) for one in shown.drives),
    )
    if _backing(worse) != _backing(shown) or any(is_bad(one.status) for one in other.batteries):
        worse = replace(worse, volumes=tuple(map(_unsure, worse.volumes)))
    problems = tuple(one.problem(where) for where, draft in drafts.items() for one in draft.complaints)
    return Settled(worse, problems, same)


def _same(shown: Controller, other: Controller) -> dict[str, str]:
    """The objects that both list: by their names, arrays by their drives, and the only one of a kind."""
    same = {pair.theirs.id: pair.ours.id for pair in pairs([shown], other)}
    for ours, theirs in _kinds(shown, other):
        if len(ours) == len(theirs) == 1:
            same.setdefault(theirs[0].id, ours[0].id)
    arrays = {frozenset(one.drives): one.id for one in shown.arrays if one.drives}
    for array in other.arrays:
        members = frozenset(same.get(name, "") for name in array.drives)
        if members in arrays:
            same[array.id] = arrays[members]
    return same


def _kinds(shown: Controller, other: Controller) -> Iterator[tuple[Sequence[Item], Sequence[Item]]]:
    yield shown.batteries, other.batteries
    yield shown.arrays, other.arrays
    yield shown.volumes, other.volumes
    yield shown.drives, other.drives


def _reported_unnamed(shown: Controller, other: Controller, same: Mapping[str, str]) -> set[str]:
    """Bad objects without a common name, if as many shown ones are as bad: they are probably the same."""
    found = set()
    for ours, theirs in _kinds(shown, other):
        left = Counter(one.status for one in ours if one.id not in same.values())
        for one in theirs:
            if one.id not in same and is_bad(one.status) and left[one.status] > 0:
                left[one.status] -= 1
                found.add(one.id)
    return found


def _draft(
    controller: Controller, same: Mapping[str, str], without: Container[str] = ()
) -> ControllerDraft[GroupDraft]:
    """A controller as a draft. Its objects are named by their ids, those of ``same`` by the shown ones'."""
    draft = ControllerDraft[GroupDraft](controller.id)
    makers: dict[type[Item], Callable[[str], Draft]] = {
        Battery: draft.battery, Array: draft.array, Volume: draft.volume, Drive: draft.drive,
    }  # fmt: skip
    for item in items(controller):
        if item.id not in without:
            part = draft if item is controller else makers[type(item)](same.get(item.id, item.id))
            for name, value in _values(item).items():
                part.override(name, value)
    return draft


def _by_id(mine: ControllerDraft[GroupDraft]) -> dict[str, Draft]:
    return {draft.name: draft for draft in mine.all()}


def _values(item: Item) -> dict[str, Any]:
    """The values of an object that are compared, by their fields in a draft. An unreported one is left out."""
    found = {name: getattr(item, name, None) for name in _FIELDS}
    for part in _PARTS:
        held = getattr(item, part, None)
        for name in held.__struct_fields__ if held is not None else ():
            found[f"{part}.{name}"] = getattr(held, name)
    if item.status != "unknown" or item.status_text:
        found |= {"status": item.status, "status_text": item.status_text}
    return {name: value for name, value in found.items() if value is not None}


def _with(item: T, draft: Draft) -> T:
    """The object with the values that were settled."""
    before = _values(item)
    changed = {name: value for name, (_, value) in draft.values.items() if value != before.get(name)}
    found: dict[str, Any] = {name: value for name, value in changed.items() if "." not in name}
    for part in _PARTS:
        fields = {name.partition(".")[2]: value for name, value in changed.items() if name.startswith(f"{part}.")}
        if fields:
            held = getattr(item, part) or (Cache() if isinstance(item, Controller) else VolumeCache())
            found[part] = replace(held, **fields)
    return replace(item, **found) if found else item


def _backing(controller: Controller) -> list[str | None]:
    """The states of what protects written data."""
    return [controller.cache.status if controller.cache else None, *(one.status for one in controller.batteries)]


def _unsure(volume: Volume) -> Volume:
    """The volume without the conclusion that its cache is protected."""
    if volume.cache is None or volume.cache.controller_cache != "protected":
        return volume
    return replace(volume, cache=replace(volume.cache, controller_cache="unknown", write_protected=None))
