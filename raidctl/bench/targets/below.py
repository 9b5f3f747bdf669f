"""The bytes of drives and files below a block device.

The search follows loop devices, partitions and linear mappings.

Writing through one loop device changes the content of another one on the same file, without any notice by the kernel.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from raidctl.text import regex

_SECTOR = 512
# vg0-root: 0 41943040 linear 8:2 2048
# vault: 0 41943040 crypt aes-xts-plain64 … 0 7:1 4096
_TARGET = regex(r"^(\S+): +\d{1,18} \d{1,18} ([\w-]+)", re.ASCII | re.MULTILINE)
_OWN = frozenset({"linear", "thin"})
"""Targets that own only a part of the device below."""
_LINEAR = regex(r"^(\S+): +(\d{1,18}) (\d{1,18}) linear (\d+:\d+) (\d{1,18})$", re.ASCII | re.MULTILINE)


class Extent(NamedTuple):
    """A range of bytes of something with nothing known below it."""

    what: str
    """Number of a device, or of a file's file system and inode."""
    first: int
    end: int


class Stack:
    """All block devices of the kernel, read below ``sys``.

    ``table`` is what ``dmsetup table`` prints: without it, each mapping counts as a separate device.
    """

    def __init__(self, sys: Path, table: str) -> None:
        self._places = {link.name: link.resolve() for link in (sys / "dev/block").iterdir()}
        self._numbers = {place: number for number, place in self._places.items()}
        self._named = {place.name: number for number, place in self._places.items()}
        self._linear: dict[str, list[tuple[int, int, str, int]]] = {}
        for name, at, length, below, start in _LINEAR.findall(table):
            piece = (int(at) * _SECTOR, (int(at) + int(length)) * _SECTOR, below, int(start) * _SECTOR)
            self._linear.setdefault(name, []).append(piece)
        self._whole = {name for name, target in _TARGET.findall(table) if target not in _OWN}
        """Mappings that may use every byte of the devices below. They include crypt, striped, raid and snapshot."""

    def name(self, number: str) -> str:
        """The kernel's name of a device."""
        return self._places[number].name

    def extents(self, number: str, first: int = 0, end: int | None = None, kept: Collection[str] = ()) -> list[Extent]:
        """The extents of a range of a device. Raise OSError, ValueError or LookupError if unknown.

        ``kept``: mappings that are not resolved further, to compare two devices on them.
        """
        place = self._places[number]
        end = _figure(place / "size") * _SECTOR if end is None else end
        if (place / "partition").exists():
            start = _figure(place / "start") * _SECTOR
            return self.extents(self._numbers[place.parent], start + first, start + end, kept)
        backing = self.backing(number)
        if backing is not None:
            offset, about = _figure(place / "loop/offset"), Path(backing).stat()
            if stat.S_ISBLK(about.st_mode):
                return self.extents(_number(about.st_rdev), offset + first, offset + end, kept)
            return [Extent(f"{about.st_dev} {about.st_ino}", offset + first, offset + end)]
        slaves = self._slaves(place)
        if slaves and number not in kept and ((place / "md").is_dir() or _text(place / "dm/name") in self._whole):
            return [extent for one in slaves for extent in self.extents(one, kept=kept)]
        pieces = self._pieces(place)
        if not pieces:
            return [Extent(number, first, end)]
        cuts = [(max(at, first), min(stop, end), at, below, start) for at, stop, below, start in pieces]
        return [
            extent
            for low, high, at, below, start in cuts
            if low < high
            for extent in self.extents(below, start + low - at, start + high - at, kept)
        ]

    def chain(self, number: str) -> set[str]:
        """A device and everything below it. Raise as `extents`."""
        place = self._places[number]
        below = [self._numbers[place.parent]] if (place / "partition").exists() else []
        backing = self.backing(number)
        if backing is not None and stat.S_ISBLK((about := Path(backing).stat()).st_mode):
            below.append(_number(about.st_rdev))
        below += self._slaves(place)
        return {number}.union(*map(self.chain, below))

    def sharing(self, number: str) -> list[str]:
        """Other devices, not below it, that share bytes with it. Those for which this is unknown are included."""
        self.extents(number)
        below = self.chain(number)
        return [other for other in self._places if other not in below and self._overlap(other, number, below)]

    def hidden(self, number: str) -> Iterator[str]:
        """Files and devices below that are only partly visible through a layer."""
        for one in sorted(self.chain(number)):
            place, backing = self._places[one], self.backing(one)
            if backing is not None:
                with Path(backing).open("rb") as opened:
                    size = opened.seek(0, os.SEEK_END)
                if _figure(place / "loop/offset") or _figure(place / "size") * _SECTOR // 4096 != size // 4096:
                    yield backing
            elif not _text(place / "dm/uuid").startswith("LVM-"):
                yield from (f"/dev/{self.name(below)}" for _, _, below, _ in self._pieces(place))

    def backing(self, number: str) -> str | None:
        """The file or device behind a loop device; None for other devices."""
        return _text(self._places[number] / "loop/backing_file") or None

    def _pieces(self, place: Path) -> list[tuple[int, int, str, int]]:
        return self._linear.get(_text(place / "dm/name"), [])

    def _slaves(self, place: Path) -> list[str]:
        return (
            [self._named[entry.name] for entry in (place / "slaves").iterdir()] if (place / "slaves").is_dir() else []
        )

    def _overlap(self, other: str, number: str, below: Collection[str]) -> bool:
        try:
            common = self.chain(other) & set(below)  # two volumes on one array share bytes only if their ranges overlap
            mine, theirs = (self.extents(one, kept=common) for one in (number, other))
        except (OSError, ValueError, LookupError):
            return self.backing(other) is not None  # its file was removed, or is inaccessible
        return any(a.what == b.what and a.first < b.end and b.first < a.end for a in mine for b in theirs)


def _figure(path: Path) -> int:
    return int(path.read_text(encoding="ascii"))


def _text(path: Path) -> str:
    """The line of a file; empty if there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").removesuffix("\n")
    except OSError:
        return ""


def _number(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"
