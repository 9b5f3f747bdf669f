"""Parts of the model that volumes, drives and controllers share, most of them the kernel's side of these.

They are names of :mod:`raidctl.model`, and the same contract. Sizes are in bytes; ``None`` means "not told".
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from raidctl.described import doc

LayerKind = Literal["partition", "md", "lvm", "crypt", "multipath", "dm", "other"]
ScrubMode = Literal["automatic", "manual", "disabled"]


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the model's classes."""


NO_BARRIER = frozenset({"nobarrier", "barrier=0", "barrier=none", "barrier=off", "fsync_mode=nobarrier"})
"""Mount options with which a file system sends no flush to the device.

Linux, Documentation/filesystems and fs/*/super.c: ext3 and ext4, XFS, btrfs and others, reiserfs, old nilfs2, F2FS.
"""


class Mount(Model, frozen=True, kw_only=True):
    """A file system that is mounted."""

    point: Annotated[str, doc("The directory that it is mounted on.")]
    device: Annotated[str, doc("What is mounted: `/dev/sda1`, `/dev/dm-0`.")]
    filesystem: Annotated[str | None, doc("Its type as the kernel names it: `ext4`, `xfs`.")] = None
    options: Annotated[
        tuple[str, ...],
        doc("The options of the mount, then those of the file system, each once: `rw`, `barrier=0`."),
    ] = ()


class Block(Model, frozen=True, kw_only=True):
    """What the kernel's block layer knows of a device; null where the kernel does not tell."""

    read_ahead_bytes: Annotated[int | None, doc("Read ahead of the block layer, bytes.")] = None
    scheduler: Annotated[str | None, doc("The I/O scheduler in use: `mq-deadline`, `none`.")] = None
    write_cache: Annotated[
        Literal["write_back", "write_through"] | None,
        doc("What the kernel takes its write cache for: it sends flushes to `write_back` only."),
    ] = None
    rotational: Annotated[bool | None, doc("Whether the kernel takes it for spinning.")] = None
    minimum_io_bytes: Annotated[int | None, doc("Smallest request without extra cost, bytes.")] = None
    optimal_io_bytes: Annotated[
        int | None, doc("Size of request that it likes best, bytes; null where the device tells none.")
    ] = None
    command_timeout_seconds: Annotated[
        int | None, doc("After this time the kernel gives up a command and resets the drive, seconds.")
    ] = None


class BlockLayer(Model, frozen=True, kw_only=True):
    """Something that lies above a volume or a drive: a partition, a logical volume, an md array."""

    device: Annotated[str, doc("`/dev/sda1`, `/dev/dm-0`.")]
    name: Annotated[str | None, doc("Name of the device mapper, `vg0-root`; null of others.")] = None
    kind: Annotated[LayerKind, doc("What it is; `dm`: another one of the device mapper.")] = "other"
    on: Annotated[tuple[str, ...], doc("What it lies directly on: `/dev/sda`.")] = ()
    start_bytes: Annotated[
        int | None,
        doc("Where its data begin on the one device that it lies on, bytes; null on several devices."),
    ] = None
    offsets_bytes: Annotated[
        tuple[int, ...],
        doc(
            "Where its pieces begin, in bytes from the beginning of the volume or drive that lists it; "
            "empty when not told."
        ),
    ] = ()
    size_bytes: Annotated[int | None, doc("Size, bytes.")] = None
    filesystem: Annotated[
        str | None, doc("What it holds, in udev's words: `ext4`, `LVM2_member`, `linux_raid_member`.")
    ] = None
    block: Annotated[Block | None, doc("Its own settings; null of partitions: their disk's count.")] = None


class PciLink(Model, frozen=True, kw_only=True):
    """The PCI Express link of a card; its bandwidth is the number of lanes times the speed of one."""

    width: Annotated[int | None, doc("Lanes in use.")] = None
    max_width: Annotated[int | None, doc("Lanes that the card has.")] = None
    speed_gtps: Annotated[float | None, doc("Speed of a lane, GT/s: 2.5, 5, 8, 16, 32.")] = None
    max_speed_gtps: Annotated[float | None, doc("Speed of a lane that the card can, GT/s.")] = None


class Scrub(Model, frozen=True, kw_only=True):
    """A search for bad sectors or for copies that differ, which runs in the background."""

    mode: Annotated[
        ScrubMode | None,
        doc("`automatic`: by itself, now and then; `manual`: when somebody starts it; `disabled`."),
    ] = None
    interval_seconds: Annotated[int | None, doc("From one start to the next, seconds.")] = None
    next_at: Annotated[str | None, doc("Next start, as printed.")] = None
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    last_at: Annotated[str | None, doc("End of the last complete run, RFC 3339; null: unknown.")] = None
    last_result: Annotated[
        Literal["ok", "failed", "unfinished"] | None,
        doc("Of the last run; `failed`: it found differences or errors; `unfinished`: it was stopped."),
    ] = None
