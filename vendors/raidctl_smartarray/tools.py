"""The tools of the family, and the kernel drivers of its controllers."""

from __future__ import annotations

from raidctl.vendor.protocol import ToolSpec

DRIVERS = ("hpsa", "cciss", "smartpqi")
TOOLS = (
    ToolSpec(
        name="ssacli",
        places=("/opt/smartstorageadmin/ssacli/bin/ssacli", "/opt/hp/ssacli/bld/ssacli"),
        package="ssacli, from HPE's Management Component Pack",
        version_argv=("version",),
    ),
    ToolSpec(
        name="hpssacli",
        places=("/opt/hp/hpssacli/bld/hpssacli", "/opt/hp/hpssacli/bin/hpssacli", "/opt/hp/ssacli/bld/hpssacli"),
        package="hpssacli, from HP's Management Component Pack, for Gen8 and Gen9",
        version_argv=("version",),
    ),
    ToolSpec(
        name="hpacucli",
        places=("/opt/compaq/hpacucli/bld/hpacucli", "/opt/hp/hpacucli/bld/hpacucli"),
        package="hpacucli, from HP's Service Pack for ProLiant, for controllers up to Gen7",
        version_argv=("version",),
    ),
)
KIND = "show"
"""The one form of document. Every output of these tools has the same grammar."""
NAMES = frozenset(spec.name for spec in TOOLS)
STATUS_TOOL = ToolSpec(
    name="cciss_vol_status",
    package="cciss-vol-status, of Debian and Ubuntu; it only reads",
    version_argv=("-v",),
)
"""Run if the others report no controller."""
