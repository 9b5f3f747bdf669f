"""Differences that a scrub has found. Pure."""

from __future__ import annotations

from raidctl.model import Volume
from raidctl.model.raid_levels import PARITY

_FEW = 1024
"""Sectors on a mirror that may differ without harm: swap changes while its copies are written, md(4)."""


def is_harmless(sectors: int, volume: Volume) -> bool:
    """Whether so few differing sectors of a volume are often harmless. On parity levels, none are."""
    return volume.raid_level not in PARITY and sectors <= _FEW
