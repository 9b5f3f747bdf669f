"""Two values compared, field by field: each difference once, at the deepest place that holds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

NAMED = {
    "layers": ("name", "device"), "mounts": ("point",), "foreign_groups": ("number",), "preserved": ("volume",),
}  # fmt: skip
"""Lists of objects, and what names each: the first that is told."""
_SAME: Mapping[str, Sequence[Callable[[Mapping[str, Any]], Any]]] = {
    "layers": (
        lambda one: (one["name"], one["device"]), lambda one: one["name"], lambda one: one["device"],
        lambda one: (one["kind"], one["on"], one["start_bytes"], one["size_bytes"]),
    ),
    "mounts": (lambda one: (one["point"], one["device"]), lambda one: one["point"], lambda one: one["device"]),
    "foreign_groups": (lambda one: one["number"],), "preserved": (lambda one: one["volume"],),
}  # fmt: skip
"""What two of them have in common that are one, the surest first."""
_LABELLED = ("details", "capabilities")
"""Dictionaries whose keys are no field names: they stand in brackets."""
_LINKS = ("array", "drives", "spares", "spare_for", "backing")


class Difference(NamedTuple):
    """A field with another value; None where there is none."""

    field: str
    old: Any
    new: Any


def differences(old: Any, new: Any, path: str = "") -> Iterator[Difference]:
    """Every field that is not the same."""
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
    """Objects of two lists that belong together, each with its name; None where there is none."""
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
    """An object with the ids that it names as the later state calls them, in one order.

    Args:
        item: An object of either state.
        ids: Ids of the earlier state with those in the later.
        known: Of an object of the later state: the ids there. What is not among them hangs in the air, and is taken for
            the earlier id.
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
    """The earlier object with what lies on it as if its device had the later name: the kernel gives them at each start.

    What lies on the later one must not be called after the earlier name still.
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
    """The number of a partition of a disk, empty for the disk itself; None for any other device."""
    found = re.fullmatch(r"p?(\d*)", device.removeprefix(disk), re.ASCII) if device.startswith(disk) else None
    return found and found[1]


def called(device: str, disks: Mapping[str, str]) -> str:
    """A disk or partition as the later state calls it."""
    for before, now in disks.items():
        number = on_disk(before, device)
        if number is not None:
            return f"{now}{'p' if number and now[-1].isdigit() else ''}{number}"
    return device


def with_disks(item: Mapping[str, Any], later: Mapping[str, Any], disks: Mapping[str, str]) -> Mapping[str, Any]:
    """An object with its layers on disks as the later state calls them, in one order."""
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
    """Objects by their name; the second of the same name gets a number."""
    found: dict[str, Any] = {}
    for item in items:
        name = next((item[each] for each in names if item.get(each)), "")
        label, number = name, 1
        while label in found:
            number += 1
            label = f"{name}#{number}"
        found[label] = item
    return found
