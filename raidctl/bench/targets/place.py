"""Find the mount of a path in the kernel's table. Pure except `place_of`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from raidctl.discovery.mounts import Mount, mountinfo

MOUNTINFO = "/proc/self/mountinfo"
_MEMORY = frozenset({"tmpfs", "ramfs", "hugetlbfs", "rootfs"})
_COPYING = frozenset({"btrfs", "zfs", "bcachefs", "nilfs2"})


@dataclass(frozen=True)
class Place:
    """The file system below a path; fields are None if unknown."""

    filesystem: str | None = None
    point: str | None = None
    source: str | None = None
    options: tuple[str, ...] = ()
    """Mount options: ``rw``, ``nobarrier``."""

    @property
    def in_memory(self) -> bool:
        """Whether the file system is in memory, without a drive below."""
        return self.filesystem in _MEMORY

    @property
    def copies_on_write(self) -> bool:
        """Whether a write never overwrites data in place."""
        return self.filesystem in _COPYING


def mount_below(path: str, mounts: tuple[Mount, ...]) -> Mount | None:
    """The mount of an absolute path without links. The longest counts, and of equal ones the last (uppermost)."""
    best: Mount | None = None
    for mount in mounts:
        inside = mount.point in ("/", path) or path.startswith(mount.point + "/")
        if inside and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def place_in(path: str, text: str) -> Place:
    """The file system of a path, from the text of ``/proc/self/mountinfo``."""
    mount = mount_below(path, mountinfo(text).mounts)
    return Place() if mount is None else Place(mount.filesystem, mount.point, mount.source, mount.options)


def place_of(path: str) -> Place:
    """The file system of a path of this machine."""
    try:
        text = Path(MOUNTINFO).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return Place()
    return place_in(os.path.realpath(path), text)
