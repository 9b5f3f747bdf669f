"""The programs of the family, and the kernel drivers of its controllers."""

from __future__ import annotations

from raidctl.vendor.protocol import ToolSpec

DRIVERS = ("aacraid", "smartpqi")
"""The family's drivers. HPE's own tool lists smartpqi controllers as well; a controller belongs to the family whose
tool lists it."""
TOOLS = (
    ToolSpec(
        name="arcconf",
        places=(
            "/usr/Arcconf/arcconf",
            "/usr/StorMan/arcconf",
            "/usr/Adaptec_Event_Monitor/arcconf",
            "/opt/StorMan/arcconf",
        ),
        package="arcconf, from Microchip's or Adaptec's download page for the controller",
        version_argv=(),
    ),
)
