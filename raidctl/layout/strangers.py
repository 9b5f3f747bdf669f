"""Names in a layout that a machine does not know: they are reported with the other mistakes of a file. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.layout.choose import candidates, not_one
from raidctl.layout.compare import hidden_by
from raidctl.layout.objects import Machine
from raidctl.layout.specification import Layout
from raidctl.model import Inventory
from raidctl.toml_files.mistakes import Fault


def strangers(layout: Layout, inventory: Inventory, path: str) -> Iterator[Fault]:
    """The controllers and the named drives of its volumes that do not exist, each with its line.

    None of a machine of which something could not be read: what it does not list may exist.
    """
    if hidden_by(inventory) is not None:
        return
    machine = Machine(inventory)
    for volume in layout.volumes:
        found = machine.controllers(volume.controller)
        if not found:
            yield Fault(path, volume.line, machine.no_controller(volume.controller))
        if len(found) != 1:
            continue
        drives = candidates(found[0], machine)
        for name in (*_named(volume.drives), *_named(volume.spares)):
            names = {name, name.partition("-part")[0]}
            if not any(names & machine.names(drive) for drive in drives):
                yield Fault(path, volume.line, not_one(name, found[0], drives, machine))


def _named(names: object) -> tuple[str, ...]:
    return names if isinstance(names, tuple) else ()
