"""What the tools can read, and why raidctl changes no setting."""

from __future__ import annotations

from raidctl.model import Capability
from raidctl.vendor.unreported import Unreported

FAMILY = "marvell"
_NONE = "The controllers have no such setting."

SUPPORT: dict[str, Capability] = {
    "controllers": Capability(read=True, set=False),
    "arrays": Capability(read=True, set=False, why="The members of each volume."),
    "volumes": Capability(
        read=True, set=False, why="Only those of the tool's default controller if there are several."
    ),
    "drives": Capability(read=True, set=False),
    "battery": Capability(read=False, set=False, why="The controllers have none."),
    "cache_size": Capability(read=False, set=False, why="The tools do not report it."),
    "cache_split": Capability(read=False, set=False, why=_NONE),
    "write_policy": Capability(read=False, set=False, why="The cache mode is shown in the tool's words."),
    "write_active": Capability(read=False, set=False, why="The cache mode is shown in the tool's words."),
    "read_policy": Capability(read=False, set=False, why=_NONE),
    "io_policy": Capability(read=False, set=False, why=_NONE),
    "drive_write_cache": Capability(read=False, set=False, why="The tools report only whether it is supported."),
    "no_battery_write_cache": Capability(read=False, set=False, why=_NONE),
    "flush": Capability(read=False, set=False, why="The tools have no command for it."),
    "flush_interval": Capability(read=False, set=False, why=_NONE),
    "cache_statistics": Capability(read=False, set=False, why="The tools have none."),
    "progress": Capability(read=True, set=False),
    "device": Capability(
        read=True, set=False, why="Only if the machine has one such volume, which is found by its model in the kernel."
    ),
}

UNREPORTED = (Unreported(fact="differences", why="the tools report no result of a check of the copies"),)
"""Facts that the guards need and the family's tools do not report."""
