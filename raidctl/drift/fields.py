"""Compare two values field by field. Each difference is reported once, at the deepest level."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from raidctl.host import partition_node

NAMED = {
    "layers": ("name", "device"), "mounts": ("point",), "foreign_groups": ("number",), "preserved": ("volume",),
}  # fmt: skip
"""Lists of objects, and the fields that name each. The first with a value is used."""
_SAME: Mapping[str, Sequence[Callable[[Mapping[str, Any]], Any]]] = {
    "layers": (
        lambda one: (one["name"], one["device"]), lambda one: one["name"], lambda one: one["device"],
        lambda one: (one["kind"], one["on"], one["start_bytes"], one["size_bytes"]),
    ),
    "mounts": (lambda one: (one["point"], one["device"]), lambda one: one["point"], lambda one: one["device"]),
    "foreign_groups": (lambda one: one["number"],), "preserved": (lambda one: one["volume"],),
}  # fmt: skip
"""Keys by which two objects of a list are the same. The most certain one comes first."""
_LABELLED = ("details", "capabilities")
"""Dictionaries whose keys are not field names. Paths have these keys in brackets."""
_LINKS = ("array", "drives", "spares", "spare_for", "backing")


class Difference(NamedTuple):
    """A field with different values; None: no value."""

    field: str
    old: Any
    new: Any


def differences(old: Any, new: Any, path: str = "") -> Iterator[Difference]:
    """Every field with a difference."""
    if old == new:
        return
    name = path.rpartition(".")[2]
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys([*new, *old]):
            yield from differences(old.get(key), new.get(key), _join(path, key, name in _LABELLED))
    elif isinstance(old, list) and isinstance(new, list) and name in NAMED:
        for key, before, after in _paired(old, new, name):
            yield from differences(before, after, f"{path}[{key}]")
    else:
        yield Difference(path, old, new)


def _paired(old: Sequence[Any], new: Sequence[Any], name: str) -> Iterator[tuple[str, Any, Any]]:
    """Pairs of objects of two lists, each with its name. None: no counterpart."""
    before, after = by_name(old, NAMED[name]), by_name(new, NAMED[name])
    for same in _SAME[name]:
        for key, one in list(before.items()):
            shared = same(one)
            fits = [label for label, other in after.items() if shared is not None and same(other) == shared]
            if fits:
                yield key, before.pop(key), after.pop(fits[0])
    yield from ((key, one, None) for key, one in before.items())
    yield from ((key, None, one) for key, one in after.items())


def linked(item: Mapping[str, Any], ids: Mapping[str, str], known: Collection[str] = ()) -> dict[str, Any]:
    """An object whose references become ids of the later snapshot, sorted.

    Args:
        item: An object of either snapshot.
        ids: Ids of the later snapshot by those of the earlier.
        known: The ids of the later snapshot, for an object of it; a reference to none of these counts as an earlier id.
    """

    def now(name: str) -> str:
        return name if name in known else ids.get(name, name)

    renamed = dict(item)
    for field in _LINKS:
        value = item.get(field)
        if isinstance(value, str):
            renamed[field] = now(value)
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            renamed[field] = sorted(map(now, value))
    return renamed


def with_device(old: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Any]:
    """The earlier object with its layers, its device under the later name. Kernel names change at each boot.

    Layers of the later object must not contain the earlier name any longer.
    """
    before, device = old.get("device"), new.get("device")
    if not before or not device or before == device:
        return old
    if any(on_disk(before, one["device"]) is not None for name in NAMED for one in new.get(name, ())):
        return old

    def renamed(value: Any) -> Any:
        if isinstance(value, str):
            return called(value, {before: device})
        if isinstance(value, list):
            return [renamed(each) for each in value]
        if isinstance(value, Mapping):
            return {key: renamed(each) for key, each in value.items()}
        return value

    return {**old, **{name: renamed(old[name]) for name in NAMED if name in old}}


def on_disk(disk: str, device: str) -> str | None:
    """The number of a partition of a block device. Empty for the device itself, None for any other device."""
    found = re.fullmatch(r"p?(\d*)", device.removeprefix(disk), re.ASCII) if device.startswith(disk) else None
    return found and found[1]


def called(device: str, disks: Mapping[str, str]) -> str:
    """The later name of a block device or partition."""
    for before, now in disks.items():
        number = on_disk(before, device)
        if number is not None:
            return partition_node(now, number)
    return device


def with_disks(item: Mapping[str, Any], later: Mapping[str, Any], disks: Mapping[str, str]) -> Mapping[str, Any]:
    """An object whose layers have the later names of block devices, sorted."""
    same = {each for one in later.get("layers", ()) for each in one["on"]}
    layers = [
        {**one, "on": sorted(each if each in same else called(each, disks) for each in one["on"])}
        for one in item.get("layers", ())
    ]
    return {**item, "layers": layers} if layers else item


def _join(path: str, key: str, labelled: bool) -> str:
    if labelled:
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def by_name(items: Sequence[Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Objects by name; the second of the same name gets a number."""
    found: dict[str, Any] = {}
    for item in items:
        name = next((item[each] for each in names if item.get(each)), "")
        label, number = name, 1
        while label in found:
            number += 1
            label = f"{name}#{number}"
        found[label] = item
    return found
