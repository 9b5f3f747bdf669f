"""What can be read of md, and why nothing is set."""

from __future__ import annotations

from raidctl.vendor.software_support import software_support

FAMILY = "md"
SUPPORT = software_support("md has no cache memory and no battery.", "device")
