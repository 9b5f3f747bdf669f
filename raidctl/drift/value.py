"""History of one value: a field of an object in each snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from raidctl.described import doc
from raidctl.drift.canonical import KINDS, Doc, ordered
from raidctl.drift.fields import NAMED, by_name
from raidctl.drift.ignore import BRACKETS, fields
from raidctl.model import Inventory
from raidctl.text import regex

_STEP = regex(r"([^.\[\]]+)|\[([^\]]*)\]")


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """The value in one snapshot."""

    state: Annotated[int, doc("Number of the snapshot.")]
    at: Annotated[str, doc("When the machine was read, RFC 3339 in UTC.")]
    there: Annotated[bool | None, doc("Whether the object existed; null: the snapshot cannot be read.")]
    value: Annotated[Any, doc("The value; null: unknown.")] = None
    unread: Annotated[
        bool,
        doc("Something could not be read in this snapshot, so an unknown or absent value may come from that."),
    ] = False


class History(msgspec.Struct, frozen=True, kw_only=True):
    """A value over time. Field names are stable (``raidctl schema history``)."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[str, doc("The machine of the snapshots.")]
    id: Annotated[str, doc("Id of the object; `host`: the machine.")]
    field: Annotated[str, doc("The field.")]
    states: Annotated[int, doc("Number of snapshots, unreadable ones included.")]
    moments: Annotated[tuple[Moment, ...], doc("Its changes in the order of the snapshots; all with --all.")]


def kinds(states: Iterable[Inventory]) -> dict[str, str]:
    """The kind of every object with fields, by id. The ids are those in any snapshot, and ``host``."""
    found = {"host": "host"}
    for state in states:
        for controller in state.controllers:
            found[controller.id] = "controller"
            found |= {item.id: kind for name, kind in KINDS.items() for item in getattr(controller, name)}
    return found


def split(word: str, known: Iterable[str]) -> tuple[str, str] | None:
    """Id and field of ``smartarray:1/v1.cache.write_active``; None: no known id is a prefix. Ids have dots, too."""
    for name in sorted(known, key=len, reverse=True):
        if word.startswith(f"{name}.") and len(word) > len(name) + 1:
            return name, word[len(name) + 1 :]
    return None


def is_field(field: str, kind: str) -> bool:
    """Whether such an object has such a field. Objects on a controller have separate ids and fields."""
    bare = BRACKETS.sub("", field)
    beneath = kind == "controller" and bare.partition(".")[0] in KINDS and "." in bare
    return f"{kind}.{bare}" in fields() and not beneath


def is_field_of_another(field: str) -> bool:
    """Whether any object has such a field."""
    return BRACKETS.sub("", field) in fields()


def fields_of(kind: str) -> list[str]:
    """The fields that such an object has."""
    return sorted(name.removeprefix(f"{kind}.") for name in fields() if name.startswith(f"{kind}."))


def look_up(state: Inventory, name: str, field: str) -> tuple[bool, Any]:
    """Whether the object is in the snapshot, and its field's value. None: not reported."""
    item = _object(ordered(state), name)
    if item is None:
        return False, None
    node: Any = item
    for step, label in _STEP.findall(field):
        if isinstance(node, list):
            node = next((found for key, found in _named(node).items() if key == label), None)
        elif isinstance(node, Mapping):
            node = node.get(label or step)
        else:
            return True, None
    return True, node


def changes(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """The moments at which a value differs from the one before."""
    kept: list[Moment] = []
    for one in moments:
        if not kept or (kept[-1].there, kept[-1].value) != (one.there, one.value):
            kept.append(one)
    return tuple(kept)


def _named(items: list[Any]) -> dict[str, Any]:
    if not items or not isinstance(items[0], dict):
        return {}
    if "device" in items[0] and "kind" in items[0]:
        return by_name(items, NAMED["layers"])
    kind = next((name for name in ("mounts", "foreign_groups", "preserved") if NAMED[name][0] in items[0]), "mounts")
    return by_name(items, NAMED[kind])


def _object(document: Doc, name: str) -> Doc | None:
    if name == "host":
        host: Doc = document["host"]
        return host
    for controller in document["controllers"]:
        if controller["id"] == name:
            found: Doc = controller
            return found
        for kind in KINDS:
            for item in controller[kind]:
                if item["id"] == name:
                    part: Doc = item
                    return part
    return None
