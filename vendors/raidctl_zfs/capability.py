"""What can be read of ZFS, and why nothing is set."""

from __future__ import annotations

from raidctl.vendor.software_support import software_support
from raidctl.vendor.unreported import Unreported

FAMILY = "zfs"
SUPPORT = software_support("ZFS has no controller cache and no battery.")
UNREPORTED = (
    Unreported(
        fact="differences",
        why="each block has a checksum, so zpool detects the wrong copy, repairs it and counts its errors",
    ),
)
"""Facts that the guards need and zpool does not report."""
