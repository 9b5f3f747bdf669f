"""What can be read of ZFS, and why nothing is set."""

from __future__ import annotations

from raidctl.model import Capability
from raidctl.vendor.unreported import Unreported

_READ = Capability(read=True, set=False)
_NONE = Capability(read=False, set=False, why="ZFS has no controller cache and no battery.")
SUPPORT: dict[str, Capability] = {
    "controllers": _READ,
    "arrays": _READ,
    "volumes": _READ,
    "drives": _READ,
    "progress": _READ,
    "battery": _NONE,
    "cache_size": _NONE,
    "cache_split": _NONE,
    "write_policy": _NONE,
}
UNREPORTED = (
    Unreported(
        fact="differences",
        why="each block has a checksum, so zpool knows which copy is right, repairs the other and counts its errors",
    ),
)
"""Facts that the guards ask for, and zpool has no word for."""
