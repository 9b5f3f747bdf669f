"""The content of a layout file. Values only."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct

from raidctl.described import doc
from raidctl.model.cache import DriveCachePolicy, IoPolicy, ReadPolicy, WritePolicy
from raidctl.model.inventory import Interface, Media, RaidLevel

VERSION = 1
"""Version of the file format: its key ``layout``."""


class Counted(Struct, frozen=True, kw_only=True):
    """Drives that are not named: any that match."""

    count: Annotated[int, doc("Number of drives.")]
    media: Annotated[Media | None, doc("`hdd` or `ssd`; null: any.")] = None
    interface: Annotated[Interface | None, doc("`sas`, `sata`, `nvme`; null: any.")] = None
    at_least: Annotated[int | None, doc("Smallest size of a drive, bytes; null: any.")] = None
    sector_bytes: Annotated[int | None, doc("Logical sector size, 512 or 4096 bytes; null: any, the same for all.")] = (
        None
    )


class Partition(Struct, frozen=True, kw_only=True):
    """The partition of each member drive, made if the drives are empty."""

    number: Annotated[int, doc("Its number: the place of the volume among those on the same drives, from 1.")]
    size_bytes: Annotated[int | None, doc("Its size, bytes; null: the rest of the drive.")] = None
    start_bytes: Annotated[int | None, doc("Where it begins, bytes; null: at 1 MiB, or behind the one before.")] = None


class VolumeLayout(Struct, frozen=True, kw_only=True):
    """One volume; null: not specified, so any value matches."""

    controller: Annotated[str, doc("Id, serial number, model or family of one controller.")]
    line: Annotated[int, doc("Its line in the file.")]
    id: Annotated[str | None, doc("Id, where nothing better identifies the volume.")] = None
    name: Annotated[str | None, doc("Label.")] = None
    unique_id: Annotated[str | None, doc("World wide name, NAA id or UUID.")] = None
    raid_level: Annotated[RaidLevel | None, doc("RAID level.")] = None
    drives: Annotated[tuple[str, ...] | Counted | None, doc("Serial numbers, bays or ids of the members.")] = None
    members: Annotated[int | None, doc("Number of members when complete, if it differs from the listed ones.")] = None
    spares: Annotated[tuple[str, ...] | int | None, doc("Dedicated spares, or how many there are at least.")] = None
    size: Annotated[int | Literal["max"] | None, doc("Usable size, bytes, to within 1%; `max`: all of its array.")] = (
        None
    )
    strip_bytes: Annotated[int | None, doc("Strip size (chunk), bytes.")] = None
    write: Annotated[WritePolicy | None, doc("Configured write policy.")] = None
    read: Annotated[ReadPolicy | None, doc("Read policy.")] = None
    io: Annotated[IoPolicy | None, doc("Whether reads bypass the cache.")] = None
    drive_cache: Annotated[DriveCachePolicy | None, doc("The controller's setting for the drives' write caches.")] = (
        None
    )
    metadata: Annotated[str | None, doc("md superblock format.")] = None
    md_layout: Annotated[str | None, doc("md layout: `left-symmetric`, `near=2`.")] = None
    consistency_policy: Annotated[str | None, doc("md: `resync`, `bitmap`, `journal`, `ppl`.")] = None
    partition: Annotated[Partition | None, doc("md: members are partitions of the drives; null: as in `drives`.")] = (
        None
    )
    mixed_sizes: Annotated[bool, doc("Whether sizes of members may differ by more than 10%.")] = False
    config: Annotated[
        bool | None,
        doc("md: whether it has an ARRAY line in the configuration; null: `layout apply` lists what it makes."),
    ] = None

    @property
    def label(self) -> str:
        """Its label on a screen: name, id, or kind."""
        return self.name or self.id or f"{self.raid_level or 'volume'} in line {self.line}"


class SpareLayout(Struct, frozen=True, kw_only=True):
    """Global spares of one controller."""

    controller: Annotated[str, doc("As for a volume.")]
    line: Annotated[int, doc("Its line in the file.")]
    drives: Annotated[tuple[str, ...] | Counted, doc("The spares.")]


class Deletion(Struct, frozen=True, kw_only=True):
    """A volume that must not exist."""

    controller: Annotated[str, doc("As for a volume.")]
    line: Annotated[int, doc("Its line in the file.")]
    unique_id: Annotated[str, doc("World wide name, NAA id or UUID: a name could be that of another volume.")]


class MachineLayout(Struct, frozen=True, kw_only=True):
    """The machine that a layout is for; null: any."""

    hostname: Annotated[str | None, doc("The kernel's host name.")] = None
    serial: Annotated[str | None, doc("Serial number of one of its controllers.")] = None


class Layout(Struct, frozen=True, kw_only=True):
    """A whole layout file."""

    machine: MachineLayout = MachineLayout()
    volumes: tuple[VolumeLayout, ...] = ()
    spares: tuple[SpareLayout, ...] = ()
    deletions: tuple[Deletion, ...] = ()
    only_listed: Annotated[bool, doc("Whether a volume that is not listed is a difference.")] = False

    @property
    def lists_nothing(self) -> bool:
        """Whether there is nothing to compare a machine with."""
        return self == Layout()
