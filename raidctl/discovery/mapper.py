"""Parse ``dmsetup table``: the offsets of device-mapper devices on the devices below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from raidctl.host import Piece
from raidctl.request import Run
from raidctl.text import regex

TABLE = Run(("dmsetup", "table"), timeout=10)
"""Needs root; run only if there are such devices."""
_SECTOR = 512
# vg0-root: 0 41943040 linear 8:2 2048
_LINE = regex(r"(\S+): +\d{1,20} \d{1,20} (\S+)(?: (.*))?", re.ASCII)
_DEVICE = regex(r"\d{1,9}:\d{1,9}", re.ASCII)
_SECTORS = regex(r"\d{1,18}", re.ASCII)


def pieces(text: str, names: Mapping[str, str]) -> dict[str, tuple[Piece, ...]]:
    """Return the offsets of each device on the devices below. Keys are names in the device mapper.

    A device with a target that has no such offset (a thin pool's volumes, snapshots) is left out.

    Args:
        text: What ``dmsetup table`` prints.
        names: Kernel names by device number, ``{"8:2": "sda2"}``.
    """
    found: dict[str, list[Piece] | None] = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line.rstrip())
        if match is None:
            continue
        target_pieces = _target(match[2], (match[3] or "").split(), names)
        known = found.setdefault(match[1], [])
        if known is not None:
            found[match[1]] = None if target_pieces is None else [*known, *target_pieces]
    return {name: tuple(dict.fromkeys(target_pieces)) for name, target_pieces in found.items() if target_pieces}


def _target(target: str, words: Sequence[str], names: Mapping[str, str]) -> list[Piece] | None:
    """Return the pieces of one target. None if it does not list all of them."""
    if target == "multipath":
        # 0 0 1 1 service-time 0 2 2 8:16 1 1 8:32 1 1: each path is the whole device
        paths = [names.get(word) for word in words if _DEVICE.fullmatch(word)]
        return [Piece(name, 0) for name in paths if name]
    pairs = list(_pairs(target, words))
    if not pairs or not all(device in names and _SECTORS.fullmatch(start) for device, start in pairs):
        return None
    return [Piece(names[device], int(start) * _SECTOR) for device, start in pairs]


def _pairs(target: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield device and first sector."""
    if target == "linear" and len(words) == 2:
        # 8:2 2048
        yield words[0], words[1]
    elif target == "striped" and len(words) >= 4:
        # 2 128 8:2 2048 8:18 2048
        yield from zip(words[2::2], words[3::2], strict=False)
    elif target == "crypt" and len(words) >= 5:
        # aes-xts-plain64 :64:logon:cryptsetup:… 0 8:2 32768 1 allow_discards
        yield words[3], words[4]
