"""What the tool can read, and why raidctl sets nothing with it."""

from __future__ import annotations

from raidctl.model import Capability
from raidctl.vendor.unreported import Unreported

FAMILY = "areca"
_PASSWORD = "This needs the controller's password. "  # noqa: S105 - a sentence

SUPPORT: dict[str, Capability] = {
    "controllers": Capability(read=True, set=False, why="Only the tool's current controller if there are several."),
    "arrays": Capability(read=True, set=False),
    "volumes": Capability(read=True, set=False),
    "drives": Capability(read=True, set=False),
    "battery": Capability(read=True, set=False, why="The tool reports the charge, but no learn cycle."),
    "cache_size": Capability(read=True, set=False),
    "cache_split": Capability(read=False, set=False, why="The controllers have no such setting."),
    "write_policy": Capability(
        read=True, set=False, why=_PASSWORD + "By hand: `cli64`, then `set password=…` and `vsf modify vol=N cache=…`."
    ),
    "write_active": Capability(
        read=True,
        set=False,
        why="Cache mode of the volume; no fall-back to write-through without a battery is documented.",
    ),
    "read_policy": Capability(read=True, set=False, why="It is one setting of the controller; use its web interface."),
    "io_policy": Capability(read=False, set=False, why="The controllers have no such setting."),
    "drive_write_cache": Capability(
        read=True, set=False, why="It is one setting of the controller; use its web interface."
    ),
    "no_battery_write_cache": Capability(read=False, set=False, why="The controllers have no such setting."),
    "flush": Capability(read=False, set=False, why="The tool has no command for it."),
    "flush_interval": Capability(
        read=False, set=False, why="The tool reports a fill level (Buffer Threshold), not a time."
    ),
    "cache_statistics": Capability(read=False, set=False, why="The tool has none."),
    "progress": Capability(read=True, set=False),
    "device": Capability(read=True, set=False, why="The tool reports the SCSI address of each volume."),
}

UNREPORTED = (
    Unreported(
        fact="preserved_data",
        why="the tool has no word for data of lost volumes; a volume that lost its drives is listed by its state",
    ),
    Unreported(
        fact="differences",
        why="the tool reports what a check has found in its events only, and no state of it remains",
    ),
)
"""Facts that the guards need and the family's tools do not report."""
