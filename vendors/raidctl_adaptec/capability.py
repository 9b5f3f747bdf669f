"""What the tool can read and set on controllers, or why not."""

from __future__ import annotations

from raidctl.model import Cache, Capability, Mode
from raidctl.vendor.unreported import Unreported

FAMILY = "adaptec"
_SMARTPQI_ONLY = "Only controllers with the smartpqi driver (SmartRAID, SmartIOC) have it."
_NO_FLUSH = "The tool has no command for it; setting a volume to write-through flushes it."
_NO_INTERVAL = "The tool neither shows nor sets the flush interval."
_STATISTICS = (
    "The controller counts once `arcconf setstatsdatacollection` is on; raidctl does not read `getlogs N STATS` yet."
)
_NO_IO_POLICY = "The controllers have no such setting."

SUPPORT: dict[str, Capability] = {
    "controllers": Capability(read=True, set=False),
    "arrays": Capability(read=True, set=False, why="aacraid: volumes on the same drives are shown as one array."),
    "volumes": Capability(read=True, set=False),
    "drives": Capability(read=True, set=False),
    "battery": Capability(read=True, set=False),
    "cache_size": Capability(read=True, set=False),
    "cache_split": Capability(read=True, set=True, why=_SMARTPQI_ONLY),
    "write_policy": Capability(read=True, set=True),
    "write_active": Capability(read=True, set=False, why="Follows from the setting and the state of the battery."),
    "read_policy": Capability(read=True, set=True),
    "io_policy": Capability(read=False, set=False, why=_NO_IO_POLICY),
    "drive_write_cache": Capability(read=True, set=True),
    "no_battery_write_cache": Capability(read=True, set=True, why=_SMARTPQI_ONLY),
    "flush": Capability(read=False, set=False, why=_NO_FLUSH),
    "flush_interval": Capability(read=False, set=False, why=_NO_INTERVAL),
    "cache_statistics": Capability(read=False, set=False, why=_STATISTICS),
    "progress": Capability(read=True, set=False),
    "device": Capability(read=True, set=False, why="aacraid: it follows from the volume's number."),
}  # fmt: skip

_CACHE = ("cache_split", "write_policy", "read_policy", "no_battery_write_cache")
_SPLIT = ("cache_split", "no_battery_write_cache")


def capabilities(mode: Mode | None, cache: Cache | None, *, smartpqi: bool | None) -> dict[str, Capability]:
    """The family's table, less what this controller lacks. ``smartpqi``: None if the generation is unknown."""
    found = dict(SUPPORT)
    if smartpqi is False:
        why = "Controllers with the aacraid driver have no such setting."
        found |= {name: Capability(read=False, set=False, why=why) for name in _SPLIT}
        found["write_policy"] = Capability(read=True, set=True, why="Each volume: wt, wb (always) or wbb (protected).")
        found["read_policy"] = Capability(
            read=True, set=True, why="The read cache of a volume is either on, with read-ahead, or off."
        )
    elif smartpqi:
        found["write_policy"] = Capability(
            read=True, set=True,
            why="Caching is set for reads and writes together; unprotected write-back for the whole controller.",
        )  # fmt: skip
        found["read_policy"] = Capability(
            read=False,
            set=False,
            why="There is no read-ahead setting; the share of the cache for reads is the cache split.",
        )
        found["drive_write_cache"] = Capability(
            read=True, set=False, why="The numbers of the tool's drivewritecachepolicy are undocumented."
        )
        found["arrays"] = Capability(read=True, set=False)
        found["device"] = Capability(read=True, set=False)
        found["cache_split"] = Capability(read=True, set=True)
        found["no_battery_write_cache"] = Capability(read=True, set=True)
    lacks: str | None = None
    if mode == "hba":
        lacks = "The controller is in HBA mode: it caches nothing."
    elif cache is not None and cache.status == "critical":
        lacks = f"The controller's cache is not in use: {cache.status_text}."
    if lacks is not None:
        found |= {name: Capability(read=found[name].read, set=False, why=lacks) for name in _CACHE if found[name].set}
    return found


UNREPORTED = (
    Unreported(
        fact="preserved_data",
        why="arcconf has no list of preserved data; a volume that lost its drives is listed as failed or offline",
    ),
    Unreported(
        fact="differences",
        why="arcconf marks a volume whose check has found differences as impacted, in its state",
    ),
)
"""Facts that the guards need and the family's tools do not report."""
