"""How a vendor's tool makes a volume: a module ``create`` in the package. The commands are printed, never run.

Its function is pure. A package without it has no command with a source; a plan then says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol, cast

from msgspec import Struct

from raidctl.model import Controller, Drive, Tool
from raidctl.model.cache import ReadPolicy, WritePolicy
from raidctl.model.inventory import RaidLevel
from raidctl.vendor.parts import part_of
from raidctl.vendor.protocol import Vendor


class CannotCreate(Exception):
    """The family's tool cannot make such a volume, or no source shows the command; the message is one sentence."""


class NewVolume(Struct, frozen=True, kw_only=True):
    """A volume that is to be made."""

    name: str | None
    raid_level: RaidLevel
    drives: tuple[Drive, ...]
    """In the order of the layout; of a mirrored level, neighbours are copies of each other."""
    nodes: tuple[str, ...]
    """Device nodes of the drives, or of their partitions; empty for drives that the system does not see."""
    size_bytes: int | None
    """None: all of the drives."""
    strip_bytes: int | None
    write: WritePolicy | None
    read: ReadPolicy | None
    metadata: str | None
    md_layout: str | None
    consistency_policy: str | None


def label(new: NewVolume, form: re.Pattern[str]) -> str | None:
    """The name that a tool is given; None: none is wanted.

    Raises:
        CannotCreate: The tool would refuse it, or read it as something else.
    """
    if new.name is not None and not form.fullmatch(new.name):
        raise CannotCreate(f'The name "{new.name}" has characters, or a length, that the tool does not take.')
    return new.name


class Creating(Protocol):
    """A vendor package that knows the command."""

    def create(self, controller: Controller, new: NewVolume, tools: Sequence[Tool]) -> Sequence[tuple[str, ...]]:
        """The commands that make a volume, in order.

        Raises:
            CannotCreate: The tool cannot, or no source shows the command.
        """


def creating_of(vendor: Vendor) -> Creating | None:
    """Return how a family makes volumes; None if no source shows it. Imported here, for that only."""
    return cast("Creating | None", part_of(vendor, "create"))
