"""Fields for policies besides those of the model: links and derived values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any

from raidctl.audit.policy.scope import Machine, Scope, listed
from raidctl.model import Array, Battery, Controller, Drive, Volume
from raidctl.model.write_protection import drive_caches, without_cache

Pair = tuple[Any, Scope]


@dataclass(frozen=True)
class Extra:
    """A derived field."""

    about: str
    get: Callable[[Any, Scope], Any] | None = None
    pairs: Callable[[Any, Scope], Iterable[Pair]] | None = None
    complete: Callable[[Any, Scope], bool] | None = None
    values: tuple[str, ...] = ()
    target: str | None = None
    words: bool = False


def _identity(name: str) -> Callable[[Any, Scope], Any]:
    def get(_item: Any, scope: Scope) -> Any:
        return getattr(scope.machine.inventory.host, name)

    return get


def _array(item: Volume | Drive, scope: Scope) -> Array | None:
    return scope.array(item.array)


def _members(names: Callable[[Array], tuple[str, ...]]) -> Callable[[Any, Scope], Iterable[Pair]]:
    def pairs(item: Array | Volume, scope: Scope) -> Iterable[Pair]:
        array = scope.array(item.array) if isinstance(item, Volume) else item
        found = map(scope.drives.get, names(array)) if array else ()
        return [(drive, scope) for drive in found if drive is not None]

    return pairs


def _all_found(names: Callable[[Array], tuple[str, ...]], *, some: bool) -> Callable[[Any, Scope], bool]:
    """Whether every drive that an array names is listed. ``some``: a list that is empty or too short is incomplete."""

    def complete(item: Array | Volume, scope: Scope) -> bool:
        array = scope.array(item.array) if isinstance(item, Volume) else item
        if array is None or not scope.complete:
            return False
        named = names(array)
        if not some:
            return all(map(scope.drives.__contains__, named))
        for one in scope.controller.volumes if scope.controller else ():
            if one.array == array.id and (one.drives_expected or 0) > len(named):
                return False
        return bool(named) and all(map(scope.drives.__contains__, named))

    return complete


def _volumes(item: Array | Drive, scope: Scope) -> Iterable[Pair]:
    if scope.controller is None:
        return []
    name = item.array if isinstance(item, Drive) else item.id
    return [(volume, scope) for volume in scope.controller.volumes if name is not None and volume.array == name]


def _complete(_item: Any, scope: Scope) -> bool:
    return scope.complete


def _complete_controller(item: Controller, scope: Scope) -> bool:
    return scope.complete and bool(item.drives or not (item.arrays or item.volumes))


def _batteries_complete(item: Controller, scope: Scope) -> bool:
    return scope.complete and bool(item.batteries or without_cache(item))


def _cache_complete(item: Controller, scope: Scope) -> bool:
    return scope.complete and (item.cache is not None or without_cache(item))


def _preserved_complete(item: Controller, scope: Scope) -> bool:
    """Whether preserved caches would be listed. If the tool only reports that there are some, they are not."""
    none = item.cache is not None and item.cache.preserved_data is False
    return scope.complete and (bool(item.preserved) or none or without_cache(item))


def _foreign_complete(item: Controller, scope: Scope) -> bool:
    """Whether foreign configurations would be listed: the controller, or each drive, reports that there is none."""
    clean = item.foreign is False or (bool(item.drives) and all(drive.foreign is False for drive in item.drives))
    return scope.complete and (bool(item.foreign_groups) or clean or item.mode in ("software", "none", "hba"))


def _seen_by_kernel(name: str) -> Callable[[Any, Scope], bool]:
    """Whether a list that only the kernel can fill is not empty, or its object was read on a machine with its device.

    A tool's output alone may name the device as well; it names no host.
    """
    get = attrgetter(name)

    def complete(item: Any, scope: Scope) -> bool:
        return bool(get(item)) or (item.device is not None and scope.machine.inventory.host.hostname is not None)

    return complete


def all_listed(kind: str, machine: Machine) -> bool:
    """Whether no controller may have more objects of a kind than it lists."""
    complete = _OF_CONTROLLER.get(kind)
    return complete is None or all(complete(scope.controller, scope) for scope in machine.scopes)


def _all_of(kind: str, _item: Any, scope: Scope) -> bool:
    return scope.complete and all_listed(kind, scope.machine)


_OF_CONTROLLER: dict[str, Callable[[Any, Scope], bool]] = {
    "battery": _batteries_complete, "cache": _cache_complete, "drive": _complete_controller,
    "preserved_cache": _preserved_complete,
}  # fmt: skip
"""Whether a controller lists all of its objects of a kind; other lists always are complete."""


def battery(_item: Any, scope: Scope) -> str | None:
    """Status of the controller's best battery. ``missing`` only if certain, as an absent line proves nothing.

    A battery that needs replacement is not ``ok``, whatever its status.
    """
    controller = scope.controller
    if controller is None or not controller.batteries:
        return "missing" if controller is not None and without_cache(controller) else None
    return min(map(_word, controller.batteries), key=_BEST.index)


def _word(one: Battery) -> str:
    return "degraded" if one.replace and one.status in ("ok", "learning", "charging") else one.status


_BEST = ("ok", "learning", "charging", "unknown", "degraded", "failed", "missing")


def drive_cache(item: Volume, scope: Scope) -> str | None:
    """State of the drives' volatile caches. A drive with its cache on overrides the setting."""
    state = item.cache.drive_caches if item.cache else drive_caches(item, scope.machine.below)
    return {"on": "enabled", "off": "disabled"}.get(state)


def cache_split(_item: Any, scope: Scope) -> str | None:
    """``25/75``: read and write share of the controller's cache in percent."""
    found = scope.controller.cache if scope.controller else None
    if found is None or found.read_percent is None or found.write_percent is None:
        return None
    return f"{found.read_percent}/{found.write_percent}"


def write_cache(item: Volume, scope: Scope) -> str | None:
    """The controller's cache: ``protected`` or ``unprotected`` write-back active, ``write_through`` or ``off``."""
    cache = item.cache
    if cache is None or cache.write_active is None:
        return None
    if cache.write_active != "write_back":
        return cache.write_active
    if cache.controller_cache not in ("protected", "unprotected"):
        return None
    bad = cache.controller_cache == "unprotected" or battery(item, scope) in ("degraded", "failed", "missing")
    return "unprotected" if bad else "protected"


DRIVES = _members(attrgetter("drives"))
_DRIVES_COMPLETE = _all_found(attrgetter("drives"), some=True)
_SPARES_COMPLETE = _all_found(attrgetter("spares"), some=False)
_CONTROLLER = Extra("Its controller.", get=lambda _item, scope: scope.controller, target="controller")
_HOST = Extra("Its machine.", get=lambda _item, scope: scope.machine.inventory, target="host")
_OF_ARRAY = {
    "drives": Extra("Its member drives.", pairs=DRIVES, complete=_DRIVES_COMPLETE, target="drive"),
    "spares": Extra(
        "Its spare drives.", pairs=_members(attrgetter("spares")), complete=_SPARES_COMPLETE, target="drive"
    ),
}
ADDED: dict[str, dict[str, Extra]] = {
    "host": {
        **{
            name: Extra(f"`host.{name}` for short.", get=_identity(name))
            for name in ("hostname", "kernel", "collected_at", "source")
        },
    }
    | {
        name: Extra(f"All {name} of the machine.", pairs=listed(kind), complete=partial(_all_of, kind), target=kind)
        for name, kind in {"volumes": "volume", "drives": "drive", "arrays": "array", "batteries": "battery"}.items()
    },
    "controller": {"host": _HOST},
    "cache": {"controller": _CONTROLLER, "host": _HOST},
    "battery": {"controller": _CONTROLLER, "host": _HOST},
    "array": {
        "controller": _CONTROLLER,
        "host": _HOST,
        "volumes": Extra("The volumes on it.", pairs=_volumes, complete=_complete, target="volume"),
        **{name: replace(extra, words=True) for name, extra in _OF_ARRAY.items()},
    },
    "volume": {
        "controller": _CONTROLLER,
        "host": _HOST,
        "array": Extra("Its array; as a string the id.", get=_array, target="array", words=True),
        **_OF_ARRAY,
        "battery": Extra(
            "Status of the battery of its controller, the best if there are several; one that needs replacement "
            "is `degraded`.",
            get=battery,
            values=tuple(word for word in _BEST if word != "unknown"),
        ),
        "drive_cache": Extra(
            "Write caches of its drives, from the controller's setting and the drives; also below a software array.",
            get=drive_cache,
            values=("enabled", "disabled"),
        ),
        "cache_split": Extra("Read and write share of the controller's cache: `25/75`.", get=cache_split),
        "write_cache": Extra(
            "Active policy: `protected` or `unprotected` write-back of the controller, `write_through`, `off`.",
            get=write_cache,
            values=("protected", "unprotected", "write_through", "off"),
        ),
    },
    "drive": {
        "controller": _CONTROLLER,
        "host": _HOST,
        "array": Extra("Its array; as a string the id.", get=_array, target="array", words=True),
        "volumes": Extra("The volumes on its array.", pairs=_volumes, complete=_complete, target="volume"),
    },
    "problem": {"host": _HOST},
    "tool": {"host": _HOST},
}
"""By kind, then by name."""


COMPLETE: dict[tuple[str, str], Callable[[Any, Scope], bool]] = {
    ("host", "controllers"): _complete,
    ("controller", "batteries"): _batteries_complete,
    ("controller", "arrays"): _complete,
    ("controller", "volumes"): _complete,
    ("controller", "drives"): _complete_controller,
    ("controller", "preserved"): _preserved_complete,
    ("controller", "foreign_groups"): _foreign_complete,
    **{
        (kind, name): _seen_by_kernel(name)
        for kind in ("volume", "drive")
        for name in ("mountpoints", "mounts", "layers")
    },
    ("block_layer", "offsets_bytes"): lambda item, _scope: bool(item.offsets_bytes),
}
"""Whether a list of the model is complete; all others always are."""
