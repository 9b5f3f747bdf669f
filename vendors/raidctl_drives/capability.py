"""What can be read and set of plain drives."""

from __future__ import annotations

from raidctl.model import Capability

FAMILY = "drives"
SUPPORT: dict[str, Capability] = {
    "drives": Capability(read=True, set=False),
    "drive_write_cache": Capability(read=True, set=True, why="hdparm -W, cache_type, nvme set-feature 6."),
    "device": Capability(read=True, set=False),
}
