"""What an operation on a layout keeps in the journal, as text. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from raidctl.layout.specification import Layout

_KEY = "layout"


class Doomed(Struct, frozen=True, kw_only=True):
    """A volume that is deleted, with what its members are known by."""

    family: str
    unique_id: str
    members: tuple[str, ...]
    """``SERIAL=`` of a whole drive, ``SERIAL=1`` of a partition: what follows the name of the drive's node."""


class ApplyFacts(Struct, frozen=True, kw_only=True):
    """What continues the operation."""

    file: str = ""
    """Name of the layout file."""
    text: str = ""
    """Its whole content: the file may be gone when the operation continues."""
    controller: str = ""
    """The controller of volumes that name none; empty: all do."""
    wipe: tuple[str, ...] = ()
    """Serial numbers and unique ids whose content may be removed."""
    pins: Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    """The drives and spares that were chosen, by the volume's line in the file."""
    doomed: tuple[Doomed, ...] = ()
    config: bool = False
    """Whether the configuration of the machine changes."""

    def pinned(self, layout: Layout) -> Layout:
        """The layout with the drives that were chosen."""
        return msgspec.structs.replace(
            layout,
            volumes=tuple(
                msgspec.structs.replace(one, drives=self.pins[one.line][0], spares=self.pins[one.line][1] or one.spares)
                if one.line in self.pins
                else one
                for one in layout.volumes
            ),
        )

    def texts(self) -> dict[str, str]:
        """As the journal keeps it."""
        return {_KEY: msgspec.json.encode(self).decode()}


def facts_of(kept: Mapping[str, str]) -> ApplyFacts | None:
    """What the journal has; None: it is another operation."""
    return msgspec.json.decode(kept[_KEY], type=ApplyFacts) if _KEY in kept else None
