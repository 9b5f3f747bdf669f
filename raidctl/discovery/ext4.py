"""Mount options of ext4 that mountinfo leaves out: the defaults in the superblock. Pure.

``tune2fs -o nobarrier`` makes an option the default of one file system, and the kernel lists only what differs from the
defaults. ``/proc/fs/ext4/sda1/options`` lists all options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from raidctl.discovery.mounts import Mount
from raidctl.model.block_layer import NO_BARRIER

PATTERN = "/proc/fs/ext4/*/options"
JOURNALED = "data=journal"
"""An option of ext3 and ext4: data goes through page cache and journal, also with O_DIRECT."""
_WANTED = NO_BARRIER | {JOURNALED}


def path_of(name: str) -> str:
    """The file with the options of the file system on a device. ``name`` is its kernel name."""
    return PATTERN.replace("*", name.replace("/", "!"))


def options_by_name(texts: Iterable[tuple[str, str | None]]) -> dict[str, tuple[str, ...]]:
    """The options that matter, by kernel name of the device, from the texts of the files of these paths."""
    first, last = (len(part) for part in PATTERN.split("*"))
    found = {path[first:-last].replace("!", "/"): (text or "").split("\n") for path, text in texts}
    return {name: tuple(line for line in lines if line in _WANTED) for name, lines in found.items()}


def with_defaults(
    mounts: Mapping[str, Mapping[str, Mount]], options: Mapping[str, tuple[str, ...]]
) -> dict[str, dict[str, Mount]]:
    """Mounts by kernel name and mount point, with the options that mountinfo leaves out."""
    return {
        name: {
            point: replace(mount, options=tuple(dict.fromkeys((*mount.options, *options.get(name, ())))))
            for point, mount in mounted.items()
        }
        for name, mounted in mounts.items()
    }
