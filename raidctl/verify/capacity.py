"""RAID level from capacity. N drives of size d give N d, (N-1) d, (N-2) d or N/2 d. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from raidctl.model import Volume
from raidctl.model.raid_levels import PARITY_DRIVES, SPANNED, WITHOUT_REDUNDANCY
from raidctl.text import counted, regex
from raidctl.verify.subjects import CheckedMachine, Subject

NEAR = 0.02
"""Share that metadata and size coercion may take."""
FAR = 0.05
"""Deviation that rounding in the output cannot explain."""
COMMON = ("raid0", "raid1", "raid5", "raid6", "raid10")
_COPIES = regex(r"(?:near|far|offset)=(\d)", re.ASCII)

Finding = Literal["fits", "contradicts", "silent"]


@dataclass(frozen=True)
class SizeCheck:
    """Result of the size calculation for one level."""

    finding: Finding
    statement: str
    ruled_out: tuple[str, ...] = ()


def usable(level: str, sizes: Sequence[int], count: int, copies: int | None = None) -> tuple[float, ...]:
    """Possible volume sizes of a level on ``count`` drives of known sizes. Empty: unknown.

    >>> usable("raid6", [4, 4, 4, 4, 4], 6), usable("raid10", [2, 2, 2, 2], 4)
    ((16.0,), (4.0,))
    """
    least = float(min(sizes))
    mean = sum(sizes) / len(sizes)
    if level in WITHOUT_REDUNDANCY:
        return tuple(dict.fromkeys((mean * count, least * count)))
    if level == "raid1":
        return (least,) if count % 2 or count == 2 else (least, least * count / 2)
    if level in ("raid10", "raid1e"):
        return (least * count / (copies or 2),)
    if level in ("raid1t", "raid10t"):
        return (least * count / 3,)
    parity = PARITY_DRIVES.get(level)
    if parity is None:
        return ()
    if level not in SPANNED:
        return (least * (count - parity),) if count > parity else ()
    spans = [n for n in range(2, count // 3 + 1) if count % n == 0]
    return tuple(least * (count - n * parity) for n in spans)


def check_size(machine: CheckedMachine, subject: Subject, level: str) -> SizeCheck | None:
    """Whether the size of a volume matches a level. None if drives or sizes are unknown."""
    volume = subject.volume
    if volume is None:
        return None
    size, sizes, count = _size(machine, volume), _sizes(machine, subject), _count(subject)
    if size is None or not sizes or count is None or count < len(sizes):
        return None
    match = _COPIES.search(volume.layout or "")
    copies = int(match[1]) if match else None
    expected = usable(level, sizes, count, copies)
    if not expected:
        return None
    whole, alone = _whole(subject)
    shape = f"{counted(count, 'drive')} of {_human(min(sizes))}"
    near = min(expected, key=lambda e: abs(e - size))
    if abs(near - size) <= NEAR * near and alone:
        others = _others(level, size, sizes, count)
        return SizeCheck("fits", f"{shape} give {_human(near)} as {level}; the volume has {_human(size)}", others)
    if size > max(expected) * (1 + FAR) or (whole and alone and size < min(expected) * (1 - FAR)):
        fitting = [other for other in COMMON if _fits(other, size, sizes, count)]
        rather = f", as {' or '.join(fitting)} would" if fitting else ""
        return SizeCheck(
            "contradicts", f"{shape} give {_human(near)} as {level}, but the volume has {_human(size)}{rather}"
        )
    why = "other volumes or free space share the array" if not alone else "it may not use all of the drives"
    return SizeCheck("silent", f"{shape} give up to {_human(near)} as {level}; the volume has {_human(size)}: {why}")


def fitting(machine: CheckedMachine, subject: Subject) -> tuple[str, ...]:
    """The common levels that match the size of a volume. Empty if unknown."""
    volume = subject.volume
    if volume is None:
        return ()
    size, sizes, count = _size(machine, volume), _sizes(machine, subject), _count(subject)
    if size is None or not sizes or count is None or not _whole(subject)[1]:
        return ()
    return tuple(level for level in COMMON if _fits(level, size, sizes, count))


def _fits(level: str, size: int, sizes: Sequence[int], count: int) -> bool:
    return any(abs(e - size) <= NEAR * e for e in usable(level, sizes, count) if e > 0)


def _others(level: str, size: int, sizes: Sequence[int], count: int) -> tuple[str, ...]:
    """The common levels that the size rules out."""
    found = []
    for other in COMMON:
        expected = usable(other, sizes, count)
        if other != level and expected and all(abs(e - size) > FAR * max(e, size) for e in expected):
            found.append(f"{other} would give {' or '.join(_human(e) for e in dict.fromkeys(expected))}")
    return tuple(found)


def _size(machine: CheckedMachine, volume: Volume) -> int | None:
    """The size from the kernel if known: tools round theirs."""
    block = machine.view.block(volume.device)
    return (block.size_bytes if block else None) or volume.size_bytes


def _sizes(machine: CheckedMachine, subject: Subject) -> list[int]:
    """The sizes of the members; empty if one is unknown."""
    found: list[int] = []
    for drive in subject.members:
        block = machine.view.block(drive.device)
        size = drive.size_bytes or (block.size_bytes if block else None)
        if not size:
            return []
        found.append(size)
    return found


def _count(subject: Subject) -> int | None:
    """The number of drives of the volume, lost ones included."""
    volume = subject.volume
    if volume is None:
        return None
    if volume.drives_expected:
        return volume.drives_expected
    # without the expected number, the list of members is complete only while none is lost
    return len(subject.members) or None if volume.status in ("ok", "checking", "initializing", "rebuilding") else None


def _whole(subject: Subject) -> tuple[bool, bool]:
    """Whether the array is full, and whether it has no other volume. Both are given as far as known."""
    array = subject.array
    sharing = [v for v in subject.controller.volumes if v.array == subject.item.array and v.id != subject.id]
    free = array.free_bytes if array else None
    total = array.size_bytes if array else None
    little = free is not None and free <= NEAR * (total or 0)
    return little, not sharing and (free is None or little)


def _human(size: float) -> str:
    for factor, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if size >= factor:
            return f"{size / factor:.4g} {name}"
    return f"{size:.0f} B"
