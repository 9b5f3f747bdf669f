"""Completion values of options and arguments. Starts no tool and writes nothing.

Object ids come from the last snapshot (of a demo or a recording: from what it contains), devices and mount points also
from the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import click

from raidctl.cli.shared.options import Settings
from raidctl.model import Array, Controller, Drive, Inventory, Volume
from raidctl.select import Item, items

_FILES = ("FILE", "PATH", "POLICY", "DEST", "BEFORE", "AFTER", "PLACE")
"""Placeholders in the help for which the shell completes file names."""


def values(parameter: click.Parameter, settings: Settings) -> tuple[str, Iterable[str]]:
    """Return the kind of a parameter's values, and the plain ones.

    The kind is for the shell: ``plain``, ``file`` or ``dir``.
    """
    word = (parameter.metavar or parameter.name or "").upper().strip("[].").partition(" ")[0]
    if word == "DIR":
        return "dir", ()
    if word in _FILES:
        return "file", ()
    if word == "ID" and isinstance(parameter, click.Option) and parameter.name != "explain":
        return "plain", ()  # changes and operations
    if word == "NAME" and parameter.name != "demo":
        return "plain", ()
    find = _VALUES.get(word.partition("[")[0])
    return "plain", find(settings) if find is not None else ()


def _rules(_settings: Settings) -> Iterable[str]:
    from raidctl.audit.builtin import rules

    return [rule.name for rule in rules()]


def _demos(_settings: Settings) -> Iterable[str]:
    from raidctl.simulation.demo import names
    from raidctl.vendor.registry import vendors

    return names(vendors()[0])


def _targets(settings: Settings) -> Iterable[str]:
    inventory = last_inventory(settings)
    found = list(_named(inventory, (Controller, Array, Volume, Drive)))
    return [*found, *_of_kernel(settings)]


def _objects(*kinds: type[Item]) -> Callable[[Settings], Iterable[str]]:
    return lambda settings: _named(last_inventory(settings), kinds)


def _named(inventory: Inventory | None, kinds: tuple[type[Item], ...]) -> Iterator[str]:
    """Yield the ids, devices and mount points of objects. Each kind is in the order of the inventory."""
    every = [item for controller in inventory.controllers for item in items(controller)] if inventory else []
    chosen = [item for item in every if isinstance(item, kinds)]
    yield from (item.id for item in chosen)
    blocks = [item for item in chosen if isinstance(item, Volume | Drive)]
    yield from (item.device for item in blocks if item.device)
    places = [place for item in blocks if isinstance(item, Volume) for place in item.mountpoints]
    yield from (place for place in places if place.startswith("/"))  # swap has no mount point


def last_inventory(settings: Settings) -> Inventory | None:
    """Return what is known of the machine without reading it. None: nothing, or it cannot be read."""
    if settings.demo or settings.replay:
        return _recorded(settings)
    from raidctl.cli.shared.state_directories import readable_directory
    from raidctl.snapshots.store import SnapshotStore

    class ShortSnapshotStore(SnapshotStore):
        patience = 0.2

    states = ShortSnapshotStore(readable_directory(settings))
    source = f"ssh:{settings.host}" if settings.host else "local"
    of_it = [one for one in states.list() if one.source == source]
    return states.get(of_it[-1].id) if of_it else None


def _recorded(settings: Settings) -> Inventory | None:
    from raidctl.cli.shared.machine import recorded
    from raidctl.recording.recording import is_recording, load
    from raidctl.simulation.demo import path_of
    from raidctl.vendor.registry import vendors

    found, problems = vendors()
    path = str(path_of(settings.demo, found)) if settings.demo else str(settings.replay)
    if path == "-" or not is_recording(path):
        return None
    return recorded(load(path), found, path, problems).survey().inventory


def _of_kernel(settings: Settings) -> Iterator[str]:
    """Yield the block devices and mount points of this machine."""
    if settings.host or settings.demo or settings.replay:
        return
    from raidctl.discovery.mounts import MOUNTINFO, mountinfo

    for name in sorted(path.name for path in Path("/sys/class/block").glob("*")):
        if not name.startswith(("loop", "ram", "zram")):
            yield f"/dev/{name.replace('!', '/')}"
    text = Path(MOUNTINFO).read_text(encoding="utf-8", errors="surrogateescape")
    yield from (mount.point for mount in mountinfo(text).mounts if mount.source.startswith("/dev/"))


_VALUES: Mapping[str, Callable[[Settings], Iterable[str]]] = {
    "TARGET": _targets,
    "ID": _targets,
    "DEVICE": _targets,
    "DRIVE": _objects(Drive),
    "VOLUME": _objects(Volume),
    "ARRAY": _objects(Array, Volume),
    "CONTROLLER": _objects(Controller),
    "RULE": _rules,
    "NAME": _demos,
}
"""Values by the placeholder that the help prints."""
