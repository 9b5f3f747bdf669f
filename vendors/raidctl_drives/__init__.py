"""Plain drives: every disk that no array hides, read with hdparm, sdparm, nvme and smartctl, and by the kernel alone.

Outputs of these tools are read from loose files as well. Everything is put together drive by drive: see
:mod:`raidctl_drives.build`.
"""

from __future__ import annotations

from raidctl_drives.controllers import CAPABILITIES as SUPPORT
from raidctl_drives.observe import observe
from raidctl_drives.plain import DRIVERS
from raidctl_drives.read import read
from raidctl_drives.sniff import sniff
from raidctl_drives.tools import TOOLS

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "observe", "read", "sniff"]

FAMILY = "drives"
TITLE = "Plain drives and host bus adapters"
LAST = True
