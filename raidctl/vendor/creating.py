"""Create volumes: modules ``create`` and ``make`` in the package.

``create`` has the command, which is printed. Without it, no command with a source is known, and the plan reports that.
With ``make``, ``raidctl layout apply`` carries it out. All of their functions are pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from msgspec import Struct

from raidctl.host import HostView
from raidctl.model import Controller, Drive, Tool, Volume
from raidctl.model.cache import ReadPolicy, WritePolicy
from raidctl.model.inventory import RaidLevel
from raidctl.request import Dialogue
from raidctl.vendor.parts import part_of
from raidctl.vendor.plan import Identity, Step
from raidctl.vendor.protocol import Vendor


class CannotCreate(Exception):
    """The error for a volume that cannot be created.

    The family's tool cannot make such a volume, or no source shows the command. The message is one sentence.
    """


class NewVolume(Struct, frozen=True, kw_only=True):
    """A volume to create."""

    name: str | None
    raid_level: RaidLevel
    drives: tuple[Drive, ...]
    """Drives in the order of the layout. For a mirrored level, neighbours are copies of each other."""
    nodes: tuple[str, ...]
    """Device nodes of the drives, or of their partitions. Empty for drives that the system does not see."""
    spares: tuple[str, ...] = ()
    """Device nodes of spares that the system sees."""
    size_bytes: int | None
    """None: all of the drives."""
    strip_bytes: int | None
    write: WritePolicy | None
    read: ReadPolicy | None
    metadata: str | None
    md_layout: str | None
    consistency_policy: str | None


def label(new: NewVolume, form: re.Pattern[str]) -> str | None:
    """The name for the tool; None: none is requested.

    Raises:
        CannotCreate: The tool would refuse or misinterpret it.
    """
    if new.name is not None and not form.fullmatch(new.name):
        raise CannotCreate(f'The name "{new.name}" has characters or a length that the tool does not accept.')
    return new.name


class Creating(Protocol):
    """A vendor package that has the command."""

    def create(self, controller: Controller, new: NewVolume, tools: Sequence[Tool]) -> Sequence[tuple[str, ...]]:
        """The commands that create a volume, in order.

        Raises:
            CannotCreate: The tool cannot, or no source shows the command.
        """


class Setup(Struct, frozen=True, kw_only=True):
    """Further machine facts for a family whose volumes raidctl creates itself."""

    files: Mapping[str, str | None] = {}
    """The text of configuration files by path. None: there is no such file."""
    unread: tuple[str, ...] = ()
    """Files that could not be read, so they cannot be written either."""
    times: Mapping[str, int] = {}
    """Modification times of files, seconds since the epoch. A missing entry is a missing file."""
    tools: frozenset[str] = frozenset()
    """Installed programs."""
    hostname: str | None = None


class Making(Protocol):
    """A vendor package whose volumes raidctl creates and deletes itself.

    The functions of its module ``make`` are pure.
    """

    def setup(self, view: HostView) -> Dialogue[Setup]:
        """Read what the other functions need."""

    def obstacles(self, new: NewVolume, found: Setup, view: HostView) -> Sequence[str]:
        """Why the volume cannot be created on this machine, in sentences.

        For example, its name is taken, or a tool is missing.
        """

    def make(self, controller: Controller, new: NewVolume, found: Setup, subjects: Sequence[Identity]) -> Step:
        """The step that creates a volume on these drives."""

    def register(self, volumes: Sequence[Volume], found: Setup) -> Sequence[Step]:
        """The steps that add volumes to the machine's configuration. None: they are already in it."""

    def unregister(self, unique_id: str, subject: Identity, found: Setup) -> Sequence[Step]:
        """The steps that remove a deleted volume from the configuration. ``subject``: a drive that was in it."""

    def renew(self, subject: Identity, found: Setup) -> Sequence[Step]:
        """The step that copies the configuration into the boot image. None: the image is newer, or there is none."""

    def delete(self, controller: Controller, volume: Volume, view: HostView) -> Sequence[Step]:
        """The step that deletes a volume, then those that :meth:`remains` will find.

        Raises:
            CannotCreate: Its drives are not all known.
        """

    def remains(self, unique_id: str, members: Sequence[tuple[Identity, str]]) -> Dialogue[Sequence[Step]]:
        """The steps that remove a deleted volume's signatures from members.

        They get whole drives, and the members' nodes.
        """

    def wrong(self, step: Step, found: Setup) -> str | None:
        """What files do not yet show after a ``register`` or ``renew`` step. None: everything is as expected."""


def making_of(vendor: Vendor) -> Making | None:
    """Return how raidctl creates volumes of a family. None: the command is only printed."""
    return cast("Making | None", part_of(vendor, "make"))


def creating_of(vendor: Vendor) -> Creating | None:
    """Return how a family creates volumes; None if no source shows it. Imported here, for that only."""
    return cast("Creating | None", part_of(vendor, "create"))
