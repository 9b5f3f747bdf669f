"""Facts of an operation on a layout, as text in the journal. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from raidctl.layout.specification import Layout

_KEY = "layout"


class DeletedVolume(Struct, frozen=True, kw_only=True):
    """A volume to delete, with the identities of its members."""

    family: str
    unique_id: str
    members: tuple[str, ...]
    """The members: ``SERIAL=`` for a whole drive, ``SERIAL=1`` for a partition. The number is the suffix of the drive's
    node."""


class ApplyFacts(Struct, frozen=True, kw_only=True):
    """The facts that are needed to continue the operation."""

    file: str = ""
    """Name of the layout file."""
    text: str = ""
    """Its whole content: the file may be gone when the operation continues."""
    controller: str = ""
    """The controller of volumes that name none; empty: all name one."""
    wipe: tuple[str, ...] = ()
    """Serial numbers and unique ids whose content may be erased."""
    pins: Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    """The chosen drives and spares, by the volume's line in the file."""
    prepared: tuple[str, ...] = ()
    """Serial numbers of the drives that were partitioned. What their partitions contain is left over."""
    unwanted: tuple[DeletedVolume, ...] = ()
    config: bool = False
    """Whether the configuration of the machine changes."""

    def pinned(self, layout: Layout) -> Layout:
        """The layout with the chosen drives."""
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
        """The facts in the form of the journal."""
        return {_KEY: msgspec.json.encode(self).decode()}


def facts_of(kept: Mapping[str, str]) -> ApplyFacts | None:
    """The facts from the journal; None: it is another operation."""
    return msgspec.json.decode(kept[_KEY], type=ApplyFacts) if _KEY in kept else None
