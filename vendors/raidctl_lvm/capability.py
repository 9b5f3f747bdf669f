"""What can be read of LVM, and why nothing is set."""

from __future__ import annotations

from raidctl.vendor.software_support import software_support

FAMILY = "lvm"
SUPPORT = software_support("LVM RAID has no controller cache and no battery.", "device")
