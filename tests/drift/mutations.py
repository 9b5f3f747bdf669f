"""Single changes of inventories. One thing is altered, added or removed, and it is known which."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import inspect

from raidctl.drift.canonical import KINDS, ordered
from raidctl.drift.noise import NOISE, is_measured
from raidctl.model import Inventory

Doc = dict[str, Any]
_OWN_LISTS = frozenset(KINDS)


class Target(NamedTuple):
    """A place that can be changed."""

    kind: str
    id: str
    path: tuple[str | int, ...]
    """Within the document."""
    field: str
    """As ``diff`` names it."""
    type: inspect.Type


class Mutation(NamedTuple):
    """What was done."""

    inventory: Inventory
    kind: str
    id: str
    field: str | None
    old: Any
    new: Any
    what: Literal["changed", "removed", "added"]


def objects(document: Doc) -> Iterator[tuple[str, str, tuple[str | int, ...], Doc]]:
    """Every object: kind, id, place, itself."""
    yield "host", "host", ("host",), document["host"]
    for number, controller in enumerate(document["controllers"]):
        yield "controller", controller["id"], ("controllers", number), controller
        for name, kind in KINDS.items():
            for index, item in enumerate(controller[name]):
                yield kind, item["id"], ("controllers", number, name, index), item
    for number, one in enumerate(document["problems"]):
        yield "problem", one["where"], ("problems", number), one
    for number, one in enumerate(document["tools"]):
        yield "tool", one["name"], ("tools", number), one


@cache
def _struct(kind: str) -> inspect.StructType:
    found = inspect.type_info(Inventory)
    assert isinstance(found, inspect.StructType)
    top = {field.name: field.type for field in found.fields}
    if kind == "host":
        return _bare(top["host"])
    if kind in ("problem", "tool"):
        return _bare(_item(top[f"{kind}s"]))
    controller = _bare(_item(top["controllers"]))
    if kind == "controller":
        return controller
    name = next(name for name, word in KINDS.items() if word == kind)
    return _bare(_item(next(field.type for field in controller.fields if field.name == name)))


def _plain(kind: inspect.Type) -> inspect.Type:
    return _plain(kind.type) if isinstance(kind, inspect.Metadata) else kind


def _item(kind: inspect.Type) -> inspect.Type:
    plain = _plain(kind)
    assert isinstance(plain, inspect.VarTupleType)
    return plain.item_type


def _bare(kind: inspect.Type) -> inspect.StructType:
    plain = _plain(kind)
    assert isinstance(plain, inspect.StructType)
    return plain


def _options(kind: inspect.Type) -> list[inspect.Type]:
    plain = _plain(kind)
    return [_plain(one) for one in plain.types] if isinstance(plain, inspect.UnionType) else [plain]


def targets(document: Doc) -> list[Target]:
    """Every field of every object, nested ones with their dotted path."""
    found = []
    for kind, name, place, item in objects(document):
        found += list(_fields(Target(kind, name, place, "", _struct(kind)), item))
    return found


def _fields(of: Target, item: Mapping[str, Any]) -> Iterator[Target]:
    """The fields of an object, or of a part that ``of`` names."""
    assert isinstance(of.type, inspect.StructType)
    for field in of.type.fields:
        if of.kind == "controller" and not of.field and field.name in _OWN_LISTS:
            continue
        if of.field + field.name == "id" and of.kind == "controller" and not (item["serial"] or item["pci_address"]):
            continue  # with another name and nothing else that identifies it, it is another controller
        if of.field + field.name == "name" and of.kind == "tool" and not item["path"]:
            continue  # so it is for a tool
        here = f"{of.field}.{field.name}" if of.field else field.name
        one = Target(of.kind, of.id, (*of.path, field.name), here, field.type)
        yield one
        yield from _within(one, field.name, item[field.name])


def _within(of: Target, name: str, value: Any) -> Iterator[Target]:
    """The targets inside a struct, list or dictionary field."""
    nested = [one for one in _options(of.type) if isinstance(one, inspect.StructType)]
    if isinstance(value, dict) and nested:
        yield from _fields(of._replace(type=nested[0]), value)
    elif isinstance(value, dict):
        shape = next(one for one in _options(of.type) if isinstance(one, inspect.DictType))
        inner = _plain(shape.value_type)
        for label, each in value.items():
            one = of._replace(path=(*of.path, label), field=f"{of.field}[{label}]", type=inner)
            yield from _fields(one, each) if isinstance(inner, inspect.StructType) else [one]
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        key = {"mounts": "point", "foreign_groups": "number", "preserved": "volume"}.get(name)
        names = [one[key] if key else one["name"] or one["device"] for one in value]
        for number, (label, one) in enumerate(zip(names, value, strict=True)):
            if names.count(label) == 1:
                path = (*of.path, number)
                yield from _fields(
                    of._replace(path=path, field=f"{of.field}[{label}]", type=_bare(_item(of.type))), one
                )


def another(kind: inspect.Type, value: Any, dice: random.Random, *, null: bool) -> tuple[bool, Any]:
    """Another valid value of a type; False where there is none."""
    options = _options(kind)
    nullable = any(isinstance(one, inspect.NoneType) for one in options)
    if nullable and value is not None and null:
        return True, None
    for one in options:
        if isinstance(one, inspect.LiteralType):
            words = [word for word in one.values if word != value]
            return (True, dice.choice(words)) if words else (False, None)
        if isinstance(one, inspect.BoolType):
            return True, not value
        if isinstance(one, inspect.IntType):
            return True, (value or 0) + dice.randint(1, 90)
        if isinstance(one, inspect.FloatType):
            return True, float((value or 0) + dice.randint(1, 9))
        if isinstance(one, inspect.StrType):
            return True, "".join(dice.choices("ghjkqwxyz", k=9))
        if isinstance(one, inspect.VarTupleType) and isinstance(_plain(one.item_type), inspect.StrType):
            if value and dice.random() < 0.5:
                return True, value[:-1]
            return True, [*(value or []), "".join(dice.choices("ghjkqwxyz", k=9))]
    return False, None


def is_noise(kind: str, field: str, value: Any) -> bool:
    """Whether a change of this field is not drift."""
    head, _, label = field.partition("[")
    for rule in NOISE:
        if rule.kind != kind:
            continue
        if rule.how == "drop" and rule.field == head:
            return True
        if rule.how == "labels" and rule.field == head and label:
            return is_measured(kind, label.rstrip("]"), str(value))
    return False


def change(state: Inventory, dice: random.Random, *, noise: bool = False) -> Mutation | None:
    """Change one field; None if the chosen one has no other value."""
    document = ordered(state)
    every = [one for one in targets(document) if is_noise(one.kind, one.field, _at(document, one.path)) == noise]
    if not every:
        return None
    target = dice.choice(every)
    if target.field == "schema_version":
        return None
    *way, last = target.path
    node = _at(document, way)
    old = node[last]
    possible, new = another(target.type, old, dice, null=dice.random() < 0.3)
    if not possible or new == old:
        return None
    before = copy.deepcopy(old)
    node[last] = new
    try:
        changed = msgspec.convert(document, Inventory)
    except msgspec.ValidationError:
        return None
    return Mutation(changed, target.kind, target.id, target.field, before, new, "changed")


def remove(state: Inventory, dice: random.Random) -> Mutation | None:
    """Remove one object."""
    document = ordered(state)
    every = [one for one in objects(document) if one[0] != "host"]
    if not every:
        return None
    kind, name, place, item = dice.choice(every)
    *way, last = place
    _at(document, way).pop(last)
    return Mutation(msgspec.convert(document, Inventory), kind, name, None, item, None, "removed")


def add(state: Inventory, dice: random.Random) -> Mutation | None:
    """Add an object like another one, with a new id and identity."""
    document = ordered(state)
    every = [one for one in objects(document) if one[0] not in ("host", "controller")]
    if not every:
        return None
    kind, _, place, item = dice.choice(every)
    new = copy.deepcopy(item)
    for field in ("id", "serial", "wwn", "unique_id", "name", "bay", "device", "where", "message", "version", "path"):
        if isinstance(new.get(field), str):
            new[field] += "-zz"
    if kind == "volume":
        new["size_bytes"] = 4711
    if kind == "array":
        new["drives"] = []
    *way, _last = place
    _at(document, way).append(new)
    name = new.get("id") or new.get("where") or new["name"]
    return Mutation(msgspec.convert(document, Inventory), kind, name, None, None, new, "added")


def _at(document: Any, path: Any) -> Any:
    for step in path:
        document = document[step]
    return document
