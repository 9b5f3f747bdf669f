"""RAID levels by what they do with data. Pure."""

from __future__ import annotations

from collections.abc import Mapping

WITHOUT_REDUNDANCY = frozenset(("raid0", "jbod", "linear"))
"""Levels of which no drive may fail."""
SINGLE_PARITY = frozenset(("raid4", "raid5", "raid50"))
PARITY = SINGLE_PARITY | {"raid6", "raid60"}
"""Levels of controllers, md and LVM with parity, without ZFS."""
SPANNED = frozenset(("raid50", "raid60"))
"""Levels of several spans, each with its own parity."""
PARITY_DRIVES: Mapping[str, int] = {"raid4": 1, "raid5": 1, "raid6": 2, "raid50": 1, "raid60": 2}
"""Strips of parity in a stripe of the array or span: the number of its drives that may fail."""
MIN_DRIVES: Mapping[str, int] = {
    "linear": 1, "raid0": 1, "raid1": 2, "raid1t": 3, "raid4": 3, "raid5": 3, "raid6": 4, "raid10": 4, "raid10t": 6,
    "raid50": 6, "raid60": 8,
}  # fmt: skip
"""Minimum number of drives of a level. A level that is not listed has none."""
RAIDZ = frozenset(("raidz1", "raidz2", "raidz3", "draid1", "draid2", "draid3"))
"""Levels of ZFS with parity."""
MIRRORED = frozenset(("raid1", "raid1e", "raid1t", "raid10", "raid10t"))
REDUNDANT = MIRRORED | PARITY | RAIDZ
STRIPED = PARITY | {"raid0", "raid10", "raid10t"}
"""Levels whose volumes have a strip size that matters."""
