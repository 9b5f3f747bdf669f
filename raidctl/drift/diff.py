"""Compare two snapshots, object by object. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from raidctl.drift.canonical import KINDS, Doc, canonical, ordered
from raidctl.drift.fields import Difference, differences, linked, with_device, with_disks
from raidctl.drift.fold import folded
from raidctl.drift.ignore import Ignored, nothing
from raidctl.drift.judge import judged
from raidctl.drift.match import Matching, Thing, identity, match
from raidctl.drift.noise import SOURCE, masked
from raidctl.drift.problems import problem_changes, tool_changes
from raidctl.drift.report import Change, Drift, Side, verdict
from raidctl.drift.severities import Candidate
from raidctl.drift.unread import separate_unread
from raidctl.health.severity import WEIGHT
from raidctl.model import Inventory
from raidctl.order import natural

_IDENTITY = {"drive": ("serial", "wwn"), "volume": ("unique_id",), "controller": ("serial",)}
"""Fields that identify an object in the same place. The first that both snapshots have is compared."""
_PLACE = {"drive": ("enclosure", "bay"), "controller": ("slot",)}
"""Fields with the location of an object. They are part of a move, not separate changes."""
_MOMENT = ("collected_at", "source")
"""Fields of the reading itself. Their differences are never changes of the machine."""
_PARTS = frozenset(KINDS)


def diff(
    before: Inventory, after: Inventory, *, names: tuple[str, str] = ("before", "after"), everything: bool = False,
    ignored: Ignored = nothing,
) -> Drift:  # fmt: skip
    """Compare two snapshots.

    Args:
        before: The earlier snapshot.
        after: The later snapshot.
        names: Their names in the report.
        everything: Compare noise as well (:mod:`raidctl.drift.noise`).
        ignored: Selects the changes to leave out.
    """
    whole = (ordered(before), ordered(after))
    quiet = (canonical(before).document, canonical(after).document)
    every = list(_changes(*whole))
    listed = every if everything else list(_in_full(_changes(*quiet), every))
    kept = [change for change in listed if not ignored(change)]
    changes, unread = separate_unread(kept, before, after)
    unread = tuple(one for one in unread if not ignored.problem(one))
    noise = max(len(every) - len(listed), 0)
    if SOURCE in (before.host.source, after.host.source):
        noise = 0  # fields left out of both have not changed
    return Drift(
        verdict=verdict(changes, unread), before=_side(before, names[0]), after=_side(after, names[1]),
        changes=changes, unread=unread, noise=noise, ignored=len(listed) - len(kept),
    )  # fmt: skip


def _in_full(listed: Iterable[Change], every: Iterable[Change]) -> Iterator[Change]:
    """Changes with the original values. Noise in only one of the two snapshots is shown in full."""
    whole: dict[Hashable, list[Change]] = {}
    for change in every:
        whole.setdefault(_what(change), []).append(change)
    for change in listed:
        same = whole.get(_what(change), [])
        alike = [one for one in same if masked(one.message) == masked(change.message)]
        yield (alike or (same if len(same) == 1 else [change]))[0]


def _what(change: Change) -> Hashable:
    return change.kind, change.object, change.id, change.field


def _side(inventory: Inventory, name: str) -> Side:
    return Side(name=name, hostname=inventory.host.hostname, at=inventory.host.collected_at)


def _changes(before: Doc, after: Doc) -> Iterator[Change]:
    found = match(before, after)
    every = [change for part in (_host, _pairs, _rest) for change in part(before, after, found)]
    every += problem_changes(before["problems"], after["problems"], found.ids, {item["id"] for item in items(after)})
    every += tool_changes(before["tools"], after["tools"])
    yield from sorted(folded(every, found.pairs), key=lambda change: (WEIGHT[change.severity], natural(change.id)))


def _host(before: Doc, after: Doc, _found: Matching) -> Iterator[Change]:
    for one in differences(before["host"], after["host"]):
        if one.field in _MOMENT:
            continue
        yield judged(Candidate("changed", "host", "host", {}, {}, one, None))


def _rest(_before: Doc, _after: Doc, found: Matching) -> Iterator[Change]:
    """Objects in only one snapshot.

    Objects on a controller that is lost or new are part of that change, except new ones in a bad state.
    """
    for things, kind in ((found.gone, "removed"), (found.new, "added")):
        controllers = {thing.id for thing in things if thing.kind == "controller"}
        for thing in things:
            old, new = (thing.data, None) if kind == "removed" else (None, thing.data)
            what = Difference("", old, new)
            change = judged(Candidate(kind, thing.kind, thing.id, thing.data, thing.data, what, thing.controller))
            beneath = thing.kind != "controller" and thing.controller in controllers
            if not beneath or (kind == "added" and change.severity != "info"):
                yield change


def _pairs(_before: Doc, after: Doc, found: Matching) -> Iterator[Change]:
    known = {item["id"] for item in items(after)}
    quiet = all(old == new for old, new in found.ids.items())
    disks = {
        one.data["device"]: other.data["device"] for one, other in found.pairs
        if one.kind in ("drive", "volume") and one.data["device"] and other.data["device"]
    }  # fmt: skip
    for one, other in sorted(found.pairs, key=lambda pair: natural(pair[1].id)):
        if not (quiet and one.data == other.data):
            yield from _pair(one, other, found.ids, known, disks)


def items(document: Doc) -> Iterator[Doc]:
    """Every controller, and everything on it."""
    for controller in document["controllers"]:
        yield controller
        for name in KINDS:
            yield from controller[name]


def _pair(
    one: Thing, other: Thing, ids: Mapping[str, str], known: set[str], disks: Mapping[str, str]
) -> Iterator[Change]:
    # an object that keeps its id although its controller is renumbered has not moved
    stays = one.id == other.id and not other.id.startswith(f"{other.controller}/")
    who = _identity(one, other)
    moved = one.home != other.id and not stays and not (who and one.kind == "drive")

    def change(kind: str, what: Difference) -> Change:
        return judged(Candidate(kind, other.kind, other.id, one.data, other.data, what, other.controller))

    if moved:
        yield change("moved", Difference("id", one.id, other.id))
    old = linked(with_disks(with_device(_own(one.data), other.data), other.data, disks), ids)
    new = linked(with_disks(_own(other.data), other.data, {}), ids, known)
    hidden = _PLACE.get(one.kind, ()) if moved else ()
    for each in differences(old, new):
        if each.field not in hidden:
            yield change("replaced" if each.field == who else "changed", each)


def _own(data: Doc) -> dict[str, Any]:
    """The object without its id and without the objects on it."""
    if "batteries" not in data:
        return {name: value for name, value in data.items() if name != "id"}
    return {name: value for name, value in data.items() if name != "id" and name not in _PARTS}


def _identity(one: Thing, other: Thing) -> str | None:
    """The field that shows another object in the same place. None: it is the same object."""
    for name in _IDENTITY.get(one.kind, ()):
        if one.data[name] and other.data[name]:
            return name if identity(one.data[name]) != identity(other.data[name]) else None
    return None
