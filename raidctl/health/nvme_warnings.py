"""Bits of NVMe's critical warning (SMART / Health Information log, byte 0)."""

from __future__ import annotations

HOT, READ_ONLY, BACKUP_FAILED = 0x02, 0x08, 0x10
WORDS = (
    "spare blocks below the threshold", "temperature out of range", "reliability degraded",
    "read-only", "backup of the volatile memory failed", "persistent memory unreliable",
)  # fmt: skip
"""What each bit means, from the lowest."""
