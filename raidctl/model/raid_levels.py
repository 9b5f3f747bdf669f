"""RAID levels by what they do with data. Pure."""

from __future__ import annotations

WITHOUT_REDUNDANCY = frozenset(("raid0", "jbod", "linear"))
"""Levels of which no drive may fail."""
SINGLE_PARITY = frozenset(("raid4", "raid5", "raid50"))
PARITY = SINGLE_PARITY | {"raid6", "raid60"}
"""Levels of controllers, md and LVM with parity, without ZFS."""
RAIDZ = frozenset(("raidz1", "raidz2", "raidz3", "draid1", "draid2", "draid3"))
"""Levels of ZFS with parity."""
MIRRORED = frozenset(("raid1", "raid1e", "raid1t", "raid10", "raid10t"))
REDUNDANT = MIRRORED | PARITY | RAIDZ
STRIPED = PARITY | {"raid0", "raid10", "raid10t"}
"""Levels whose volumes have a strip size that matters."""
