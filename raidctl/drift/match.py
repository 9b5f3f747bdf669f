"""Match the objects of two snapshots: by identity first, by place last.

A drive is identified by serial number or world wide name, a volume by unique id or name, a controller by serial number
or PCI address. An object under another id has moved; it is not one lost and one new.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from raidctl.drift.canonical import KINDS, Doc

_IDENTITIES = frozenset({"serial", "wwn", "unique_id"})
Key = Callable[["Thing"], Hashable | None]
Pair = tuple["Thing", "Thing"]


@dataclass(frozen=True, eq=False)
class Thing:
    """An object of a snapshot."""

    kind: str
    id: str
    data: Doc
    controller: str
    """Id of its controller, or its own if it is one."""
    home: str = ""
    """Its id if its controller had the number of the other snapshot."""
    owner: str = ""
    """That controller's id in the other snapshot."""
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The references in it, as ids of the other snapshot."""


@dataclass
class Matching:
    """Pairs of the same object, and objects in only one snapshot."""

    pairs: list[Pair] = field(default_factory=list)
    gone: list[Thing] = field(default_factory=list)
    new: list[Thing] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    """Ids of the second snapshot by those of the first."""

    def add(self, before: Sequence[Thing], after: Sequence[Thing], keys: Sequence[Key]) -> None:
        """Match objects of one kind by these keys, the surest first."""
        left, right = list(before), list(after)
        for key in keys:
            for one, other in list(_pairs_by_key(left, right, key)):
                left.remove(one)
                right.remove(other)
                self.pairs.append((one, other))
                self.ids[one.id] = other.id
        for one, other in list(_twins(left, right)):
            left.remove(one)
            right.remove(other)
            self.pairs.append((one, other))
        self.gone += left
        self.new += right


def match(before: Doc, after: Doc) -> Matching:
    """Match all objects of two snapshots."""
    found = Matching()
    found.add(list(_controllers(before)), list(_controllers(after)), _CONTROLLER)
    controllers = dict(found.ids)
    for name, keys in (("drives", _DRIVE), ("arrays", _ARRAY), ("volumes", _VOLUME), ("batteries", _BATTERY)):
        ids = found.ids if name == "arrays" else {}
        found.add(list(_children(before, name, controllers, ids)), list(_children(after, name, {}, {})), keys)
    return found


def _controllers(document: Doc) -> Iterator[Thing]:
    for one in document["controllers"]:
        yield Thing("controller", one["id"], one, one["id"], one["id"], one["id"])


def _children(document: Doc, name: str, controllers: Mapping[str, str], ids: Mapping[str, str]) -> Iterator[Thing]:
    for controller in document["controllers"]:
        own = controller["id"]
        owner = controllers.get(own, own)
        for one in controller[name]:
            beneath = one["id"].startswith(f"{own}/")
            home = owner + one["id"][len(own) :] if beneath else one["id"]
            links = {"drives": tuple(ids.get(each, each) for each in one["drives"])} if name == "arrays" else {}
            yield Thing(KINDS[name], one["id"], one, own, home, owner, links)


def identity(value: str | None) -> str | None:
    """Normalize the spelling of an identifier.

    >>> identity("0x600508b1001c6e2f") == identity("600508B1001C6E2F"), identity("50:01:43") == identity("500143")
    (True, True)
    """
    return value and value.lower().removeprefix("0x").removeprefix("naa.").replace(":", "").replace("-", "")


def _same(*names: str, place: bool = False, owner: bool = False) -> Key:
    """A key of these fields, None if one has no value. It optionally includes the id or the controller."""

    def key(thing: Thing) -> Hashable | None:
        values = [identity(thing.data[name]) if name in _IDENTITIES else thing.data[name] for name in names]
        if any(value in (None, "") for value in values):
            return None
        return (*values, *((thing.home,) if place else ()), *((thing.owner,) if owner else ()))

    return key


def _members(thing: Thing) -> Hashable | None:
    return frozenset(thing.links["drives"]) or None


def _members_and_place(thing: Thing) -> Hashable | None:
    return (frozenset(thing.links["drives"]), thing.home) if thing.links["drives"] else None


def _place(thing: Thing) -> Hashable | None:
    return thing.home


def _all_else(thing: Thing) -> Hashable | None:
    """Everything but the id. An object without a serial number may still be the only one of its kind."""
    return thing.owner, msgspec.json.encode({name: value for name, value in thing.data.items() if name != "id"})


_CONTROLLER: Sequence[Key] = (
    _same("serial", place=True), _same("serial"), _same("pci_address", place=True), _same("pci_address"), _place,
    _same("vendor", "model", "driver"),
)  # fmt: skip
_DRIVE: Sequence[Key] = (
    _same("serial", place=True), _same("wwn", place=True), _same("serial", "array"), _same("serial", owner=True),
    _same("serial"), _same("wwn"), _place, _same("enclosure", "bay", owner=True),
    _same("device", owner=True), _all_else,
)  # fmt: skip
_VOLUME: Sequence[Key] = (
    _same("unique_id", place=True), _same("unique_id"), _same("name", place=True), _same("name", "size_bytes"), _place,
    _same("array", "size_bytes", "raid_level", owner=True), _same("device", owner=True), _all_else,
)  # fmt: skip
_ARRAY: Sequence[Key] = (_members_and_place, _members, _place, _all_else)
_BATTERY: Sequence[Key] = (_place, _same(owner=True))


def _pairs_by_key(left: Sequence[Thing], right: Sequence[Thing], key: Key) -> Iterator[Pair]:
    """Pairs with the same key, if it is unique on either side."""
    others = _unique(right, key)
    for name, one in _unique(left, key).items():
        if name in others:
            yield one, others[name]


def _unique(things: Sequence[Thing], key: Key) -> dict[Hashable, Thing]:
    found: dict[Hashable, list[Thing]] = {}
    for thing in things:
        name = key(thing)
        if name is not None:
            found.setdefault(name, []).append(thing)
    return {name: several[0] for name, several in found.items() if len(several) == 1}


def _twins(left: Sequence[Thing], right: Sequence[Thing]) -> Iterator[Pair]:
    """Pairs with the same id, in order, of ids that repeat."""
    waiting: dict[str, list[Thing]] = {}
    for thing in right:
        waiting.setdefault(thing.home, []).append(thing)
    for thing in left:
        if waiting.get(thing.home):
            yield thing, waiting[thing.home].pop(0)
