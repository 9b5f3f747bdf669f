"""What the tools read, and why raidctl changes no setting with them."""

from __future__ import annotations

from raidctl.model import Capability
from raidctl.vendor.unreported import Unreported

FAMILY = "mpt"
_NONE = "The controllers have no cache memory."
_NOT_REPORTED = "The tools neither report nor set it."

SUPPORT: dict[str, Capability] = {
    "controllers": Capability(read=True, set=False),
    "arrays": Capability(read=True, set=False, why="The members of each volume."),
    "volumes": Capability(read=True, set=False),
    "drives": Capability(read=True, set=False),
    "battery": Capability(read=False, set=False, why=_NONE),
    "cache_size": Capability(read=False, set=False, why=_NONE),
    "cache_split": Capability(read=False, set=False, why=_NONE),
    "write_policy": Capability(read=False, set=False, why=_NONE),
    "write_active": Capability(read=False, set=False, why=_NONE),
    "read_policy": Capability(read=False, set=False, why=_NONE),
    "io_policy": Capability(read=False, set=False, why=_NONE),
    "drive_write_cache": Capability(read=False, set=False, why=_NOT_REPORTED),
    "no_battery_write_cache": Capability(read=False, set=False, why=_NONE),
    "flush": Capability(read=False, set=False, why=_NONE),
    "flush_interval": Capability(read=False, set=False, why=_NONE),
    "cache_statistics": Capability(read=False, set=False, why=_NONE),
    "progress": Capability(read=True, set=False),
    "device": Capability(read=True, set=False, why="By the world wide name that the firmware derives from the wwid."),
}

UNREPORTED = (
    Unreported(fact="preserved_data", why="the controllers have no cache that could hold data of lost volumes"),
    Unreported(fact="differences", why="the tools report no result of a consistency check"),
)
"""Facts that the guards need and the family's tools do not report."""
