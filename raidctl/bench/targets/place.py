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
    """The file system below a path; None: not known."""

    filesystem: str | None = None
    point: str | None = None
    source: str | None = None
    options: tuple[str, ...] = ()
    """Of the file system: ``rw``, ``nobarrier``."""

    @property
    def in_memory(self) -> bool:
        """Whether there is no drive below."""
        return self.filesystem in _MEMORY

    @property
    def copies_on_write(self) -> bool:
        """Whether a write never lands where the data was."""
        return self.filesystem in _COPYING


def mount_below(path: str, mounts: tuple[Mount, ...]) -> Mount | None:
    """The mount that an absolute path without links lies on: the longest, and of equals the last (uppermost)."""
    best: Mount | None = None
    for mount in mounts:
        inside = mount.point in ("/", path) or path.startswith(mount.point + "/")
        if inside and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def place_in(path: str, text: str) -> Place:
    """The file system below a path, of a text of ``/proc/self/mountinfo``."""
    mount = mount_below(path, mountinfo(text).mounts)
    return Place() if mount is None else Place(mount.filesystem, mount.point, mount.source, mount.options)


def place_of(path: str) -> Place:
    """The file system below a path of this machine."""
    try:
        text = Path(MOUNTINFO).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return Place()
    return place_in(os.path.realpath(path), text)
