"""The model as seen by a policy: kinds of objects, fields, links.

Plain fields come from the model, so that a new one can be used immediately. Derived fields are added here: the
controller of a volume, the drives below it, the state of a write cache from policy and drives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from typing import Any, Literal

from msgspec import inspect

from raidctl import model
from raidctl.audit.policy import derived_fields
from raidctl.audit.policy.scope import Scope

Sort = Literal["enum", "text", "number", "flag", "object", "objects", "texts", "numbers", "mapping"]
Get = Callable[[Any, Scope], Any]
Pairs = Callable[[Any, Scope], Iterable[tuple[Any, Scope]]]
IsComplete = Callable[[Any, Scope], bool]


@dataclass(frozen=True)
class Field:
    """One field of a kind of object."""

    name: str
    sort: Sort
    about: str = ""
    attribute: Callable[[Any], Any] | None = None
    """Getter of a plain field."""
    get: Get | None = None
    """Getter of derived fields, and of single objects elsewhere."""
    pairs: Pairs | None = None
    """Of ``objects``: each of them with its scope."""
    complete: IsComplete | None = None
    """For ``objects``, ``texts``, ``numbers``: whether the list is complete. An incomplete list proves no absence."""
    values: tuple[str, ...] = ()
    """Of an ``enum``, without ``unknown``."""
    target: str | None = None
    """Kind that ``object``, ``objects`` and some mappings lead to."""
    words: bool = False
    """Also usable as the id of its target: ``array = "smartarray:1/A"``."""
    whole: bool = False
    """Of a ``number``, ``numbers``: integers only."""
    always: bool = False
    """Of an ``object``: it is never None."""

    @property
    def unit(self) -> str:
        """Unit of its numbers: ``bytes``, ``percent``; empty for counts."""
        last = self.name.rpartition("_")[2]
        return last if last in {"bytes", "percent", "celsius", "seconds", "volts", "gbps", "hours", "watts"} else ""

    @property
    def getter(self) -> Get:
        """The getter of the field, plain or derived."""
        attribute, get = self.attribute, self.get
        if attribute is not None:
            return lambda item, _scope: attribute(item)
        assert get is not None  # noqa: S101 - a value has one or the other
        return get


@dataclass(frozen=True)
class Kind:
    """A kind of object."""

    name: str
    fields: dict[str, Field] = field(default_factory=dict)


@cache
def kinds() -> dict[str, Kind]:
    """All kinds by their names in policies: ``volume``, ``host``. ``volume_cache`` is part of another kind."""
    found: dict[str, Kind] = {}
    _walk(model.Inventory, found)
    for place, fields in derived_fields.ADDED.items():
        for name, extra in fields.items():
            found[place].fields[name] = _added(name, extra)
    for place, name in derived_fields.COMPLETE:
        old = found[place].fields[name]
        found[place].fields[name] = Field(**{**vars(old), "complete": derived_fields.COMPLETE[place, name]})
    return found


def selectable() -> list[str]:
    """The kinds that a rule can apply to, in model order."""
    return [name for name in kinds() if name == "host" or _listed(name)]


def kind_of(cls: type) -> str:
    """``volume_cache`` of ``VolumeCache``; the inventory is the ``host``."""
    if cls is model.Inventory:
        return "host"
    name = "identity" if cls is model.Host else cls.__name__
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


def _listed(name: str) -> bool:
    """Whether objects of this kind are listed on a machine or controller. A cache counts, too."""
    return name in {"controller", "cache"} or any(
        f.target == name and f.sort == "objects"
        for place in ("host", "controller")
        for f in kinds()[place].fields.values()
    )


def _walk(cls: type, found: dict[str, Kind]) -> str:
    name = kind_of(cls)
    if name not in found:
        found[name] = kind = Kind(name)
        described = inspect.type_info(cls)
        assert isinstance(described, inspect.StructType)  # noqa: S101 - the model consists of these
        for one in described.fields:
            kind.fields[one.name] = _field(one.name, one.type, found)
    return name


def _field(name: str, kind: inspect.Type, found: dict[str, Kind]) -> Field:
    about = ""
    options: list[inspect.Type] = [kind]
    while any(isinstance(one, (inspect.Metadata, inspect.UnionType)) for one in options):
        one = options.pop(0)
        if isinstance(one, inspect.Metadata):
            about = str((one.extra_json_schema or {}).get("description", about))
            options.insert(0, one.type)
        elif isinstance(one, inspect.UnionType):
            options += one.types
        else:
            options.append(one)
    bare = [one for one in options if not isinstance(one, inspect.NoneType)]
    return _sorted(name, about, bare[0] if bare else inspect.AnyType(), found, always=bare == options)


def _sorted(name: str, about: str, bare: inspect.Type, found: dict[str, Kind], *, always: bool) -> Field:
    get = attrgetter(name)
    if isinstance(bare, inspect.LiteralType):
        values = tuple(str(value) for value in bare.values if value != "unknown")
        return Field(name, "enum", about, get, values=values)
    if isinstance(bare, inspect.BoolType):
        return Field(name, "flag", about, get)
    if isinstance(bare, (inspect.IntType, inspect.FloatType)):
        return Field(name, "number", about, get, whole=isinstance(bare, inspect.IntType))
    if isinstance(bare, inspect.StructType):
        return Field(name, "object", about, get, target=_walk(bare.cls, found), always=always)
    if isinstance(bare, inspect.DictType):
        inner = bare.value_type
        target = _walk(inner.cls, found) if isinstance(inner, inspect.StructType) else None
        return Field(name, "mapping", about, get, target=target)
    if isinstance(bare, (inspect.VarTupleType, inspect.ListType)):
        item = bare.item_type
        if isinstance(item, inspect.StructType):
            return Field(name, "objects", about, get, pairs=_same_scope(get), target=_walk(item.cls, found))
        if isinstance(item, (inspect.IntType, inspect.FloatType)):
            return Field(name, "numbers", about, get, whole=isinstance(item, inspect.IntType))
        return Field(name, "texts", about, get)
    return Field(name, "text", about, get)


def _same_scope(get: Callable[[Any], Any]) -> Pairs:
    def pairs(item: Any, scope: Scope) -> Iterable[tuple[Any, Scope]]:
        return [(one, scope) for one in get(item)]

    return pairs


def _added(name: str, extra: derived_fields.Extra) -> Field:
    if extra.pairs is not None:
        return Field(
            name,
            "objects",
            extra.about,
            pairs=extra.pairs,
            complete=extra.complete,
            target=extra.target,
            words=extra.words,
        )
    if extra.target is not None:
        return Field(name, "object", extra.about, get=extra.get, target=extra.target, words=extra.words)
    sort: Sort = "enum" if extra.values else "text"
    return Field(name, sort, extra.about, get=extra.get, values=extra.values)
