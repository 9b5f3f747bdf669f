"""Shared parts of the model. Most are the kernel's view of volumes, drives and controllers.

They are names of :mod:`raidctl.model`, and part of its contract. Sizes are in bytes; ``None`` means "not reported".
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from raidctl.described import doc

LayerKind = Literal["partition", "md", "lvm", "crypt", "multipath", "dm", "other"]
ScrubMode = Literal["automatic", "manual", "disabled"]
ScrubState = Literal["running", "paused", "stopped"]


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the model's classes."""


NO_BARRIER = frozenset({"nobarrier", "barrier=0", "barrier=none", "barrier=off", "fsync_mode=nobarrier"})
"""Mount options that stop a file system from sending flushes.

Linux, Documentation/filesystems and fs/*/super.c: ext3 and ext4, XFS, btrfs and others, reiserfs, old nilfs2, F2FS.
"""


class Mount(Model, frozen=True, kw_only=True):
    """A mounted file system."""

    point: Annotated[str, doc("Mount point.")]
    device: Annotated[str, doc("Mounted device: `/dev/sda1`, `/dev/dm-0`.")]
    filesystem: Annotated[str | None, doc("Type in the kernel's terms: `ext4`, `xfs`.")] = None
    options: Annotated[
        tuple[str, ...],
        doc("Options of the mount, then of the file system, also ext4's own defaults, each once: `rw`, `barrier=0`."),
    ] = ()


class Block(Model, frozen=True, kw_only=True):
    """Block layer settings of a device. Null if the kernel does not report them."""

    read_ahead_bytes: Annotated[int | None, doc("Read-ahead of the block layer, bytes.")] = None
    scheduler: Annotated[str | None, doc("Active I/O scheduler: `mq-deadline`, `none`.")] = None
    write_cache: Annotated[
        Literal["write_back", "write_through"] | None,
        doc("Write cache type in the kernel, which sends flushes only to `write_back`."),
    ] = None
    rotational: Annotated[bool | None, doc("Whether the kernel treats it as a hard drive.")] = None
    minimum_io_bytes: Annotated[int | None, doc("Smallest request without extra cost, bytes.")] = None
    optimal_io_bytes: Annotated[int | None, doc("Optimal request size, bytes; null if the device reports none.")] = None
    command_timeout_seconds: Annotated[
        int | None, doc("Time after which the kernel aborts a command and resets the drive, seconds.")
    ] = None


class BlockLayer(Model, frozen=True, kw_only=True):
    """A layer above a volume or drive. Examples are a partition, a logical volume, an md array."""

    device: Annotated[str, doc("`/dev/sda1`, `/dev/dm-0`.")]
    name: Annotated[str | None, doc("Device mapper name, `vg0-root`; null for others.")] = None
    kind: Annotated[LayerKind, doc("Kind of layer; `dm`: another device mapper target.")] = "other"
    on: Annotated[tuple[str, ...], doc("Devices directly below: `/dev/sda`.")] = ()
    start_bytes: Annotated[
        int | None,
        doc("Start of its data on the device below, bytes; null on several devices."),
    ] = None
    offsets_bytes: Annotated[
        tuple[int, ...],
        doc("Start of its pieces, in bytes from the start of the volume or drive that lists it; empty: not reported."),
    ] = ()
    size_bytes: Annotated[int | None, doc("Size, bytes.")] = None
    filesystem: Annotated[str | None, doc("Contents in udev's terms: `ext4`, `LVM2_member`, `linux_raid_member`.")] = (
        None
    )
    block: Annotated[Block | None, doc("Its own settings; null for partitions, which use those of their drive.")] = None


class PciLink(Model, frozen=True, kw_only=True):
    """The PCI Express link of a controller. Its bandwidth is lanes times speed."""

    width: Annotated[int | None, doc("Lanes in use.")] = None
    max_width: Annotated[int | None, doc("Lanes that the controller supports.")] = None
    speed_gtps: Annotated[float | None, doc("Speed of a lane, GT/s: 2.5, 5, 8, 16, 32.")] = None
    max_speed_gtps: Annotated[float | None, doc("Highest speed of a lane that the controller supports, GT/s.")] = None


class Scrub(Model, frozen=True, kw_only=True):
    """A background check: patrol read, consistency check, or scrub."""

    mode: Annotated[
        ScrubMode | None,
        doc("`automatic`: on a schedule; `manual`: only when started; `disabled`."),
    ] = None
    interval_seconds: Annotated[int | None, doc("Interval between starts, seconds.")] = None
    next_at: Annotated[str | None, doc("Next start, RFC 3339 or as printed.")] = None
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    state: Annotated[ScrubState | None, doc("Whether it is running; null: not reported.")] = None
    last_at: Annotated[str | None, doc("End of the last complete run, RFC 3339; null: unknown.")] = None
    last_result: Annotated[
        Literal["ok", "failed", "unfinished"] | None,
        doc("Result of the last run; `failed`: it found differences or errors; `unfinished`: it was stopped."),
    ] = None
