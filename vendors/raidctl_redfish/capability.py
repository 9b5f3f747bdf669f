"""What can be read of a service processor, and why nothing is set."""

from __future__ import annotations

from raidctl.model import Capability
from raidctl.vendor.unreported import Unreported

FAMILY = "redfish"
_READ = Capability(read=True, set=False, why="Redfish is only read.")
_NONE = Capability(read=False, set=False, why="Redfish has no property for it.")
SUPPORT: dict[str, Capability] = {
    "controllers": _READ,
    "arrays": _READ,
    "volumes": _READ,
    "drives": _READ,
    "battery": _READ,
    "cache_size": _READ,
    "cache_split": _NONE,
    "write_policy": _READ,
    "write_active": _READ,
    "read_policy": _READ,
    "drive_write_cache": _READ,
    "progress": _READ,
    "flush": _NONE,
    "cache_statistics": _NONE,
    "device": _NONE,
}
UNREPORTED: tuple[Unreported, ...] = ()
"""No fact, as a controller behind a BMC may hold preserved data. Its own tool may report them, so they are unknown."""
