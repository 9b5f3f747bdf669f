"""What the tool can read, and why raidctl sets nothing with it."""

from __future__ import annotations

from raidctl.model import Capability

_PASSWORD = "raidctl only reads Areca cards: the tool changes nothing without the card's password. "  # noqa: S105 - a sentence

SUPPORT: dict[str, Capability] = {
    "controllers": Capability(read=True, set=False, why="The tool's current card only, where there are several."),
    "arrays": Capability(read=True, set=False),
    "volumes": Capability(read=True, set=False),
    "drives": Capability(read=True, set=False),
    "battery": Capability(read=True, set=False, why="The tool tells its charge, and no learn cycle."),
    "cache_size": Capability(read=True, set=False),
    "cache_split": Capability(read=False, set=False, why="The cards have no such setting."),
    "write_policy": Capability(
        read=True, set=False, why=_PASSWORD + "By hand: `cli64`, then `set password=…` and `vsf modify vol=N cache=…`."
    ),
    "write_active": Capability(
        read=True, set=False, why="The cache mode of the volume: no fall-back without battery is known of these cards."
    ),
    "read_policy": Capability(read=True, set=False, why="One setting of the card; by hand in its web pages."),
    "io_policy": Capability(read=False, set=False, why="The cards have no such setting."),
    "drive_write_cache": Capability(read=True, set=False, why="One setting of the card; by hand in its web pages."),
    "no_battery_write_cache": Capability(read=False, set=False, why="The cards have no such setting."),
    "flush": Capability(read=False, set=False, why="The tool has no command for it."),
    "flush_interval": Capability(read=False, set=False, why="The tool tells a fill level (Buffer Threshold), no time."),
    "cache_statistics": Capability(read=False, set=False, why="The tool has none."),
    "progress": Capability(read=True, set=False),
    "device": Capability(read=True, set=False, why="The tool tells the SCSI address of each volume."),
}
