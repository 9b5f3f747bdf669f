"""What the tools can read and set on controllers, or why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raidctl.model import Cache, Capability
from raidctl.vendor.unreported import Unreported

if TYPE_CHECKING:  # without any of the tools, no draft is imported
    from raidctl_megaraid.draft import ControllerDraft

FAMILY = "megaraid"
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
"""Facts that the guards need and the family's tools do not report."""

_V8 = {
    "io_policy": Capability(read=False, set=False, why="Controllers of this generation have no such setting."),
    "drive_write_cache": Capability(read=True, set=False, why="No command of storcli2 is documented for it."),
    "flush": Capability(read=False, set=False, why="No command of storcli2 is documented for it."),
    "flush_interval": Capability(read=False, set=False, why="storcli2 neither shows nor sets it."),
}

# Supported VD Operations : IO Policy = No
# Supported Adapter Operations (MegaCli) prints the same names below "Supported VD Operations"
_SWITCHES = {
    "read policy": ("read_policy",),
    "write policy": ("write_policy", "no_battery_write_cache"),
    "io policy": ("io_policy",),
    "disk cache policy": ("drive_write_cache",),
}
_SECTIONS = ("supported vd operations", "vd operations")
_MFI = (
    "raidctl changes nothing through raidctl-mfi, which has been tested on emulated controllers only; install "
    "storcli64, or see the manual of raidctl-mfi."
)
_MFI_FLUSH = "raidctl-mfi flush; the amount of unwritten data is not shown."
_CACHE = ("write_policy", "no_battery_write_cache", "read_policy", "io_policy", "flush", "flush_interval")


def capabilities(controller: ControllerDraft, kind: str, cache: Cache | None) -> dict[str, Capability]:
    """The family's table, less what this controller and its tool lack."""
    found = dict(SUPPORT)
    if kind == "storcli2":
        found |= _V8
    if kind == "mfi":
        settable = [name for name, can in SUPPORT.items() if can.set and name != "flush"]
        found |= {name: Capability(read=SUPPORT[name].read, set=False, why=_MFI) for name in settable}
        found["flush"] = Capability(read=False, set=True, why=_MFI_FLUSH)
    for name in denied(controller):
        found[name] = Capability(
            read=found[name].read, set=False, why="The controller reports that this cannot be changed."
        )
    why = None
    if controller.get("mode") == "hba":
        why = "The controller is in HBA mode: it caches nothing."
    elif cache is not None and cache.present is False:
        why = "The controller has no cache memory."
    if why is not None:
        found |= {name: Capability(read=found[name].read, set=False, why=why) for name in _CACHE}
    return found


def denied(controller: ControllerDraft) -> list[str]:
    """The capabilities that the controller's own list of operations denies."""
    names: list[str] = []
    for label, value in controller.details.items():
        low = label.lower()
        if value.strip().lower() == "no" and low.startswith(_SECTIONS):
            names += next((own for switch, own in _SWITCHES.items() if low.endswith(f" {switch}")), ())
    return names
