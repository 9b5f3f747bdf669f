"""HP and HPE Smart Array: hpacucli, hpssacli and ssacli, which are one tool under three names."""

from __future__ import annotations

from raidctl_smartarray.build import FAMILY
from raidctl_smartarray.capability import SUPPORT
from raidctl_smartarray.observe import DRIVERS, TOOLS, observe
from raidctl_smartarray.read import read
from raidctl_smartarray.sniff import sniff

TITLE = "HP and HPE Smart Array"
LAST = False

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "observe", "read", "sniff"]
