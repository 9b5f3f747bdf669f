"""Parse ``/proc/self/mountinfo`` and ``/proc/swaps``; match mounts to block devices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from raidctl.evidence import Line, Output
from raidctl.text import regex

MOUNTINFO = "/proc/self/mountinfo"
SWAPS = "/proc/swaps"
SWAP = "[swap]"
_OCTAL = regex(r"\\([01][0-7]{2})")
_DEVICE = regex(r"\d+:\d+", re.ASCII)


class Mount(Struct, frozen=True):
    """One line of mountinfo."""

    device: str
    """``8:1``; ``0:…`` are file systems without a block device."""
    root: str
    """The directory of the file system that is mounted."""
    point: str
    filesystem: str
    source: str
    options: tuple[str, ...] = ()
    """Of the file system, not of the mount: ``subvol=/@home``."""
    flags: tuple[str, ...] = ()
    """Of the mount: ``noatime``."""

    @property
    def whole(self) -> bool:
        """Whether the file system (or a subvolume) itself is mounted.

        A bind mount of one of its directories does not count.
        """
        return self.root == "/" or f"subvol={self.root}" in self.options


class Candidate(Struct, frozen=True):
    """A block device that a mount may refer to."""

    name: str
    device: str | None = None
    """``8:1``."""
    nodes: tuple[str, ...] = ()
    """Its node and its links."""
    filesystem: str | None = None
    uuid: str | None = None
    label: str | None = None


class Table(Struct, frozen=True):
    """Rows of a kernel table, and its lines of unknown format."""

    mounts: tuple[Mount, ...] = ()
    swaps: tuple[str, ...] = ()
    """Nodes of swap partitions."""
    unknown_lines: tuple[Line, ...] = ()


def unescape(text: str) -> str:
    r"""Decode octal escapes of blanks, tabs, newlines and backslashes: ``/srv/my\040files``."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text)


def mountinfo(text: str) -> Table:
    """Parse ``/proc/self/mountinfo``."""
    mounts: list[Mount] = []
    unknown = Output(MOUNTINFO)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        mount = _mount(line.rstrip("\r").split(" "))
        if mount is None:
            unknown.add(line, number)
        else:
            mounts.append(mount)
    return Table(mounts=tuple(mounts), unknown_lines=tuple(unknown.lines))


def _mount(words: Sequence[str]) -> Mount | None:
    # 29 1 253:0 / / rw,relatime shared:1 - ext4 /dev/mapper/vg0-root rw,errors=remount-ro
    try:
        dash = words.index("-", 6)
    except ValueError:
        return None
    if len(words) < dash + 3 or not _DEVICE.fullmatch(words[2]):
        return None
    options = tuple(unescape(option) for option in words[dash + 3].split(",")) if len(words) > dash + 3 else ()
    return Mount(
        device=words[2],
        root=unescape(words[3]),
        point=unescape(words[4]),
        filesystem=words[dash + 1],
        source=unescape(words[dash + 2]),
        options=options,
        flags=tuple(unescape(option) for option in words[5].split(",")),
    )


def swaps(text: str) -> Table:
    """Parse ``/proc/swaps``. Swap files are left out, as their file system is mounted anyway."""
    nodes: list[str] = []
    unknown = Output(SWAPS)
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        # Filename        Type            Size            Used            Priority
        if not words or words[0] == "Filename":
            continue
        # /dev/dm-1       partition       8388604         0               -2
        if len(words) >= 3 and words[1] == "partition":
            nodes.append(unescape(words[0]))
        elif len(words) < 3 or words[1] != "file":
            unknown.add(line, number)
    return Table(swaps=tuple(nodes), unknown_lines=tuple(unknown.lines))


class _Index(Struct):
    """The candidates by each name that a table may use."""

    by_device: dict[str, str] = field(default_factory=dict)
    by_node: dict[str, str] = field(default_factory=dict)
    btrfs: dict[str, list[str]] = field(default_factory=dict)
    """Names of all members of a btrfs, by each member."""
    pools: dict[str, list[str]] = field(default_factory=dict)
    """Names of all members of a ZFS pool, by its name."""

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> _Index:
        index = cls()
        members: dict[str, list[str]] = {}
        for item in candidates:
            if item.device:
                index.by_device.setdefault(item.device, item.name)
            for node in item.nodes:
                index.by_node.setdefault(node, item.name)
            if item.filesystem == "btrfs" and item.uuid:
                members.setdefault(item.uuid, []).append(item.name)
                index.btrfs[item.name] = members[item.uuid]
            if item.filesystem == "zfs_member" and item.label:
                index.pools.setdefault(item.label, []).append(item.name)
        return index

    def names(self, mount: Mount) -> Sequence[str]:
        """Return a mount's block devices: one, or all its file system's members."""
        name = None if mount.device.startswith("0:") else self.by_device.get(mount.device)
        name = name or self.by_node.get(mount.source)
        if name is not None:
            return self.btrfs.get(name, [name])
        if mount.filesystem == "zfs":
            return self.pools.get(mount.source.split("/", 1)[0], ())
        return ()


def placed(mounts: Iterable[Mount], swapped: Iterable[str], candidates: Iterable[Candidate]) -> Mapping[str, list[str]]:
    """Return the sorted mount points of block devices by kernel name. See :func:`located`."""
    return points(*located(mounts, swapped, candidates))


def points(found: Mapping[str, Mapping[str, Mount]], swapped: Iterable[str]) -> dict[str, list[str]]:
    """Return the mount points that :func:`located` found, by kernel name."""
    places = {name: set(mounted) for name, mounted in found.items()}
    for name in swapped:
        places.setdefault(name, set()).add(SWAP)
    return {name: sorted(mountpoints) for name, mountpoints in places.items()}


def located(
    mounts: Iterable[Mount], swapped: Iterable[str], candidates: Iterable[Candidate]
) -> tuple[dict[str, dict[str, Mount]], list[str]]:
    """Return the mounts of block devices, and the names of swap devices. The mounts are by kernel name and mount point.

    File systems with anonymous device numbers (btrfs, ZFS) are found by their source. Bind mounts (containers have
    hundreds) add nothing about a device: they count only if the file system itself is not mounted, as in a container.
    """
    index = _Index.of(candidates)
    whole: dict[str, dict[str, Mount]] = {}
    bound: dict[str, dict[str, Mount]] = {}
    for mount in mounts:
        for name in index.names(mount):
            (whole if mount.whole else bound).setdefault(name, {})[mount.point] = mount
    swaps = [index.by_node[node] for node in swapped if node in index.by_node]
    return {**bound, **whole}, swaps
