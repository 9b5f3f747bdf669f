"""What tw_cli can read, and why raidctl sets only rates with it."""

from __future__ import annotations

from raidctl.model import Capability
from raidctl.vendor.unreported import Unreported

FAMILY = "threeware"
_ONLY_READ = "raidctl sets only the rates of 3ware controllers; "

# The commands named here are those of tw_cli(8), version 3.1, "Logical Disk Object Messages" and "/cx flush".
SUPPORT: dict[str, Capability] = {
    "controllers": Capability(read=True, set=False),
    "arrays": Capability(read=True, set=False),
    "volumes": Capability(read=True, set=False),
    "drives": Capability(read=True, set=False),
    "battery": Capability(
        read=True,
        set=False,
        why="`raidctl battery learn` starts the capacity test of up to 24 hours; the tool has no schedule to set.",
    ),
    "cache_size": Capability(read=True, set=False, why="The tool reports the memory available for data."),
    "cache_split": Capability(read=False, set=False, why="The controllers have no such setting."),
    "write_policy": Capability(
        read=True, set=False, why=_ONLY_READ + "by hand: `tw_cli /cX/uX set wrcache=…` and `set storsave=…`."
    ),
    "write_active": Capability(
        read=True, set=False, why="Derived from the unit's cache setting, its StorSave policy and the battery's state."
    ),
    "read_policy": Capability(read=True, set=False, why=_ONLY_READ + "by hand: `tw_cli /cX/uX set rdcache=…`."),
    "io_policy": Capability(read=False, set=False, why="The controllers have no such setting."),
    "drive_write_cache": Capability(
        read=False,
        set=False,
        why="The tool neither reports nor sets them: they follow the StorSave policy of the unit.",
    ),
    "no_battery_write_cache": Capability(read=True, set=False, why="StorSave policy `perform`, set per unit."),
    "flush": Capability(read=False, set=False, why=_ONLY_READ + "by hand: `tw_cli /cX flush`."),
    "flush_interval": Capability(read=False, set=False, why="The tool neither shows nor sets it."),
    "cache_statistics": Capability(
        read=False, set=False, why="The tool has statistics for drives only, not for caches."
    ),
    "progress": Capability(read=True, set=False),
    "device": Capability(read=True, set=False, why="The driver uses the unit number as SCSI target."),
}

UNREPORTED = (
    Unreported(
        fact="preserved_data",
        why="tw_cli has no word for data of lost units; a unit that lost its drives is listed by its state",
    ),
    Unreported(
        fact="differences",
        why="a verify repairs the differences that it finds, and tw_cli reports none that remain",
    ),
)
"""Facts that the guards need and the family's tools do not report."""
