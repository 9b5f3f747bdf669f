"""What the family can read and set at best."""

from __future__ import annotations

from raidctl.model import Capability
from raidctl.vendor.unreported import Unreported

_SPLIT = "The firmware divides the cache between reads and writes automatically."
_STATISTICS = "The tools show no counters of the cache."
_FLUSH = "storcli /cN flushcache, MegaCli -AdpCacheFlush; the amount of unwritten data is not shown."

SUPPORT: dict[str, Capability] = {
    "controllers": Capability(read=True, set=False),
    "arrays": Capability(read=True, set=False),
    "volumes": Capability(read=True, set=False),
    "drives": Capability(read=True, set=False),
    "battery": Capability(read=True, set=False),
    "cache_size": Capability(read=True, set=False),
    "cache_split": Capability(read=False, set=False, why=_SPLIT),
    "write_policy": Capability(read=True, set=True),
    "write_active": Capability(read=True, set=False, why="Follows from the setting and the state of the battery."),
    "read_policy": Capability(read=True, set=True),
    "io_policy": Capability(read=True, set=True, why="Not on controllers of the 95xx generation and later."),
    "drive_write_cache": Capability(read=True, set=True, why="For each volume; all of its drives together."),
    "no_battery_write_cache": Capability(
        read=True, set=True, why="For each volume: always write-back (AWB), write cache with a bad battery."
    ),
    "flush": Capability(read=False, set=True, why=_FLUSH),
    "flush_interval": Capability(read=True, set=True, why="Seconds; for the whole controller."),
    "cache_statistics": Capability(read=False, set=False, why=_STATISTICS),
    "progress": Capability(read=True, set=False),
    "device": Capability(read=True, set=False),
}

UNREPORTED = (
    Unreported(
        fact="differences",
        why="a consistency check repairs the differences that it finds, and the tools report none that remain",
    ),
)
"""Facts that guards ask for and the family's tools do not report."""
