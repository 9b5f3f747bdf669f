"""A snapshot in canonical order, and without noise. The same machine gives the same bytes.

The noise is returned separately and can be restored, so the store keeps one document for many equal snapshots.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from raidctl.drift.noise import NOISE, SOURCE, is_measured, masked
from raidctl.model import Inventory
from raidctl.order import natural

Doc = dict[str, Any]
Step = str | int
Lost = tuple[Sequence[Step], Any]
"""Position and value of something that was left out of a document."""
KINDS = {"batteries": "battery", "arrays": "array", "volumes": "volume", "drives": "drive"}
"""The lists of a controller, and the kind of their objects."""
_SETS = {
    "array": ("drives", "spares"), "volume": ("mountpoints",),
    "drive": ("mountpoints", "flags", "spare_for", "backing"),
}  # fmt: skip
"""Lists without a meaningful order."""


@dataclass(frozen=True)
class Canonical:
    """A snapshot without noise, and the noise."""

    document: Doc
    noise: tuple[Lost, ...]


def ordered(inventory: Inventory) -> Doc:
    """The whole inventory, in an order independent of how it was read."""
    document: Doc = msgspec.json.decode(msgspec.json.encode(inventory))  # converts tuples to lists
    document["controllers"].sort(key=_by_id)
    for controller in document["controllers"]:
        for name, kind in KINDS.items():
            controller[name].sort(key=_by_id)
            for item in controller[name]:
                for field in _SETS.get(kind, ()):
                    item[field].sort(key=natural)
                for layers, key in (("layers", "device"), ("mounts", "point")):
                    item.get(layers, []).sort(key=lambda one, key=key: natural(one[key]))
    document["problems"].sort(key=lambda one: (natural(one["where"]), one["kind"], one["severity"], one["message"]))
    document["tools"].sort(key=lambda one: (natural(one["name"]), one["path"] or "", one["version"] or ""))
    return document


def canonical(inventory: Inventory) -> Canonical:
    """Separate an inventory into the canonical document and its noise."""
    document = ordered(inventory)
    noise: list[Lost] = [(["tasks"], document["tasks"])] if document["tasks"] else []
    document["tasks"] = []  # derived from the controllers, whose operations are compared
    for kind, path, item in _objects(document):
        for rule in NOISE:
            if rule.kind == kind:
                noise += _left_out(item, [*path, *rule.field.split(".")], len(path), rule.how, kind)
    return Canonical(document, tuple(noise))


def restored(document: Doc, noise: Sequence[Lost]) -> Inventory:
    """Restore the whole inventory.

    Raises:
        msgspec.ValidationError: It is not an inventory of a version that this raidctl can read.
        LookupError, TypeError: The noise belongs to another document.
    """
    whole = copy.deepcopy(document)
    for path, value in noise:
        *way, last = path
        node: Any = whole
        for step in way:
            node = node[step]
        node[last] = value
    return msgspec.convert(whole, Inventory)


def _objects(document: Doc) -> Iterator[tuple[str, list[Step], Doc]]:
    """Each object: kind, position and value."""
    yield "host", ["host"], document["host"]
    for number, controller in enumerate(document["controllers"]):
        place: list[Step] = ["controllers", number]
        yield "controller", place, controller
        for name, kind in KINDS.items():
            for index, item in enumerate(controller[name]):
                yield kind, [*place, name, index], item
    for number, problem in enumerate(document["problems"]):
        yield "problem", ["problems", number], problem


def _left_out(item: Doc, path: list[Step], depth: int, how: str, kind: str) -> Iterator[Lost]:
    """Leave one field out; yield its position and value."""
    *way, last = path[depth:]
    node: Any = item
    for step in way:
        node = node.get(step)
        if node is None:
            return
    value = node[last]
    if how == "labels":
        for label in [label for label, text in value.items() if is_measured(kind, label, text)]:
            yield [*path, label], value.pop(label)
        return
    without = (SOURCE if last == "source" else None) if how == "drop" else value and masked(value)
    if without != value:
        node[last] = without
        yield path, value


def _by_id(item: Doc) -> tuple[str | int, ...]:
    return natural(item["id"])
