"""What the tools can read and set on a controller. For the rest, the reason why not."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Battery, Cache, Capability, Mode
from raidctl.vendor.unreported import Unreported

FAMILY = "smartarray"
_NO_FLUSH = "The tool has no command for it; disabling a volume's caching writes its data back."
_NO_INTERVAL = "The tool neither shows nor sets a flush interval."
_NO_STATISTICS = "The tool shows sizes and the split of the cache, but no counters."
_NO_READ_POLICY = "The tool has no read-ahead setting; the cache split sets the read share of the cache."

SUPPORT: dict[str, Capability] = {
    "controllers": Capability(read=True, set=False),
    "arrays": Capability(read=True, set=False),
    "volumes": Capability(read=True, set=False),
    "drives": Capability(read=True, set=False),
    "battery": Capability(read=True, set=False),
    "cache_size": Capability(read=True, set=False),
    "cache_split": Capability(read=True, set=True),
    "write_policy": Capability(
        read=True, set=True,
        why="Caching covers reads and writes together; unprotected write-back is one setting of the whole controller.",
    ),
    "write_active": Capability(read=True, set=False, why="Derived from the state of the cache and its battery."),
    "read_policy": Capability(read=False, set=False, why=_NO_READ_POLICY),
    "io_policy": Capability(read=False, set=False, why="The controllers have no such setting."),
    "drive_write_cache": Capability(read=True, set=True, why="One setting for all drives of the controller."),
    "no_battery_write_cache": Capability(read=True, set=True),
    "flush": Capability(read=False, set=False, why=_NO_FLUSH),
    "flush_interval": Capability(read=False, set=False, why=_NO_INTERVAL),
    "cache_statistics": Capability(read=False, set=False, why=_NO_STATISTICS),
    "progress": Capability(read=True, set=False),
    "device": Capability(read=True, set=False),
}  # fmt: skip

_CACHE = ("cache_split", "write_policy", "no_battery_write_cache")


def capabilities(mode: Mode | None, cache: Cache | None, batteries: Sequence[Battery]) -> dict[str, Capability]:
    """The family's table, adjusted for what this controller lacks."""
    found = dict(SUPPORT)
    why = None
    if mode == "hba":
        why = "The controller is in HBA mode: it caches nothing."
    elif cache is not None and cache.present is False:
        why = "The controller has no cache board."
    elif cache is not None and cache.status == "critical":
        why = f"The controller's cache is not in use: {cache.status_text}."
    if why is not None:
        found |= {name: Capability(read=True, set=False, why=why) for name in _CACHE}
    elif cache is not None and not batteries and cache.read_percent is None:
        found["cache_split"] = Capability(
            read=True, set=True, why="The tool shows no split until a volume uses the cache."
        )
    return found


UNREPORTED = (
    Unreported(
        fact="preserved_data",
        why="the cache status would name data of lost volumes, and names none",
        in_status=True,
    ),
    Unreported(
        fact="differences",
        why="the surface scan repairs what it finds, and the tools report no differences that remain",
    ),
)
"""Facts that the guards need and the family's tools do not report."""
