"""The programs of the family and where they come from."""

from __future__ import annotations

from raidctl.vendor import ToolSpec

PACKAGES = {"smartctl": "smartmontools", "hdparm": "hdparm", "sdparm": "sdparm", "nvme": "nvme-cli"}
TOOLS = (
    ToolSpec("smartctl", package=PACKAGES["smartctl"]),
    ToolSpec("hdparm", package=PACKAGES["hdparm"], version_argv=("-V",)),
    ToolSpec("sdparm", package=PACKAGES["sdparm"], version_argv=("-V",)),
    ToolSpec("nvme", package=PACKAGES["nvme"], version_argv=("version",)),
)
