"""Names in a layout that match no object or several.

Pure, but for the installed families: each declares whether its volumes may share drives.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.layout.choose import candidates, not_one
from raidctl.layout.compare import hidden_by
from raidctl.layout.objects import Machine
from raidctl.layout.specification import Deletion, Layout, SpareLayout, VolumeLayout
from raidctl.model import Controller, Drive, Inventory
from raidctl.select import family_of
from raidctl.toml_files.mistakes import Fault
from raidctl.vendor.registry import families_that_share_drives


def unmatched_names(layout: Layout, inventory: Inventory, path: str) -> Iterator[Fault]:
    """The controllers and named drives that do not exist, with their line.

    Drives that two arrays name differently are included.

    No faults if something on the machine could not be read: missing objects may exist.
    """
    if hidden_by(inventory) is not None:
        return
    machine = Machine(inventory)
    for volume in layout.volumes:
        yield from _unknown(volume, (*_named(volume.drives), *_named(volume.spares)), machine, path)
    for spare in layout.spares:
        yield from _unknown(spare, _named(spare.drives), machine, path)
    for deletion in layout.deletions:
        yield from _unknown(deletion, (), machine, path)
    yield from _renamed(layout, machine, path)


def _unknown(
    listed: VolumeLayout | SpareLayout | Deletion, names: tuple[str, ...], machine: Machine, path: str
) -> Iterator[Fault]:
    """The controller of an entry, if it does not exist. Otherwise those of its drives that do not exist."""
    found = machine.controllers(listed.controller)
    if not found:
        yield Fault(path, listed.line, machine.no_controller(listed.controller))
    if len(found) != 1:
        return
    drives = candidates(found[0], machine)
    for name in names:
        if not any(_called(drive, name, machine) for drive in drives):
            yield Fault(path, listed.line, not_one(name, found[0], drives, machine))


def _renamed(layout: Layout, machine: Machine, path: str) -> Iterator[Fault]:
    """The drives of an array that another entry names differently.

    The other entry is an array or a spare. Only whole drives are considered.
    """
    arrays = [
        (one, one.drives) for one in layout.volumes if isinstance(one.drives, tuple) and one.partition is None
    ]  # fmt: skip
    spares = [(one, one.drives) for one in layout.spares if isinstance(one.drives, tuple)]
    sharing = families_that_share_drives() if len(arrays) > 1 else frozenset()
    entries: list[tuple[VolumeLayout | SpareLayout, tuple[str, ...]]] = [*arrays, *spares]
    for number, (entry, names) in enumerate(entries):
        for other, others in arrays[: min(number, len(arrays))]:
            both = _both(entry, other, machine)
            if both is None or family_of(both) in sharing or set(names) & set(others):
                continue  # the same name twice is a mistake within the file
            drives = candidates(both, machine)
            mine, theirs = (
                {drive.id: name for name in words for drive in drives if _called(drive, name, machine, whole=True)}
                for words in (names, others)
            )
            shared = set(mine) & set(theirs)
            if shared and (isinstance(entry, SpareLayout) or set(mine) != set(theirs)):
                drive = min(shared)
                text = f'"{mine[drive]}" and "{theirs[drive]}" (line {other.line}) are one drive, {drive}.'
                yield Fault(path, entry.line, text)


def _both(one: VolumeLayout | SpareLayout, other: VolumeLayout, machine: Machine) -> Controller | None:
    """The common controller of two entries. None: they have different ones, or one is unknown."""
    first, second = machine.controllers(one.controller), machine.controllers(other.controller)
    return first[0] if len(first) == 1 and [item.id for item in second] == [first[0].id] else None


def _called(drive: Drive, name: str, machine: Machine, *, whole: bool = False) -> bool:
    """Whether a drive has a name. ``whole``: it is not the name of a partition."""
    return bool(({name} if whole else {name, name.partition("-part")[0]}) & machine.names(drive))


def _named(names: object) -> tuple[str, ...]:
    return names if isinstance(names, tuple) else ()
