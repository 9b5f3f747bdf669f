"""The identity of a target across a power cut. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Literal

import msgspec

from raidctl.bench.powercut.report import Target
from raidctl.host import BlockDevice, HostView
from raidctl.model import Drive, Volume

_STABLE = ("md-uuid-", "dm-uuid-", "wwn-", "nvme-eui.", "scsi-")


def target_of(kind: Literal["file", "device"], name: str, view: HostView, block: BlockDevice | None) -> Target:
    """The target on a block device. For a partition, the identity is that of its drive."""
    whole = block
    if block is not None and block.parent is not None:
        whole = view.block(block.parent) or block
    if block is None or whole is None:
        return Target(kind=kind, name=name)
    return Target(
        kind=kind,
        name=name,
        device=block.node,
        size_bytes=block.size_bytes,
        serial=whole.serial,
        wwn=whole.wwn or (None if whole.serial else _link(whole.links)),
        model=whole.model,
    )


def _link(links: Iterable[str]) -> str | None:
    """The first link of ``/dev/disk/by-id`` that names the content or the device, not a place."""
    names = sorted(PurePath(link).name for link in links if link.startswith("/dev/disk/by-id/"))
    return next((name for begin in _STABLE for name in names if name.startswith(begin)), None)


def with_caches(target: Target, item: Volume | Drive, drives: Iterable[Drive]) -> Target:
    """The target with the cache settings that are reported. Unknown ones are left out."""
    found: dict[str, str] = {}
    if isinstance(item, Volume) and item.cache is not None and item.cache.write_active is not None:
        found["write policy"] = item.cache.write_active
    for drive in drives:
        if drive.write_cache not in (None, "unknown"):
            found[f"write cache of {drive.serial or drive.id}"] = drive.write_cache
    return msgspec.structs.replace(target, caches=found)


def same_hardware(mine: Target, other: Target) -> bool:
    """Whether both have the same serial number or world wide name. Values that neither reports prove nothing."""
    if mine.wwn and other.wwn:
        return mine.wwn == other.wwn
    return mine.serial is not None and mine.serial == other.serial
