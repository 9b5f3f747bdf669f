"""Whether a volume is possible on some drives, and its size. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from raidctl.layout.choose import Chosen
from raidctl.layout.specification import VolumeLayout
from raidctl.model.inventory import RaidLevel
from raidctl.model.raid_levels import MIN_DRIVES
from raidctl.units import format_decimal

_USABLE: Mapping[RaidLevel, Callable[[int], float]] = {
    "raid0": float, "linear": float, "raid1": lambda _: 1.0, "raid4": lambda n: n - 1.0, "raid5": lambda n: n - 1.0,
    "raid6": lambda n: n - 2.0, "raid10": lambda n: n / 2,
}  # fmt: skip
"""Usable drives by their number."""


OVERHEAD = 0.03
"""Maximum share of a drive for metadata and rounding. A smaller volume uses only a part of its drives."""


def impossible(wanted: VolumeLayout, chosen: Chosen) -> Iterator[str]:
    """Why such a volume is impossible on these drives."""
    level, number = wanted.raid_level, len(chosen.places)
    if level is None:
        return
    if number < MIN_DRIVES.get(level, 1):
        yield f"A {level} needs at least {MIN_DRIVES[level]} drives, not {number}."
    if level in ("raid10", "raid1e") and number % 2:
        yield f"A {level} is made of an even number of drives, not {number}."
    most = capacity(wanted, chosen)
    if isinstance(wanted.size, int) and most is not None and wanted.size > most * 1.01:
        yield f"{format_decimal(wanted.size)} do not fit: the drives give {format_decimal(int(most))}."


def whole(level: RaidLevel | None, sizes: Sequence[int | None], size: int | None, number: int | None) -> bool | None:
    """Whether a software array uses its members completely. Metadata and rounding do not count. None: unknown.

    ``number``: its members when complete, if some of them are missing.
    """
    usable = _USABLE.get(level) if level is not None else None
    known = [one for one in sizes if one]
    if usable is None or not known or len(known) < len(sizes) or not size:
        return None
    return size >= usable(max(len(known), number or 0)) * min(known) * (1 - OVERHEAD)


def capacity(wanted: VolumeLayout, chosen: Chosen) -> float | None:
    """The usable size of a volume on these drives, bytes; None: unknown."""
    part = wanted.partition.size_bytes if wanted.partition is not None else None
    smallest = part or min((place.drive.size_bytes or 0 for place in chosen.places), default=0)
    usable = _USABLE.get(wanted.raid_level) if wanted.raid_level is not None else None
    return usable(len(chosen.places)) * smallest if usable is not None and smallest else None
