"""The firmware's numbers in words.

Sources: FreeBSD's ``mfireg.h`` and ``mfiutil``, the kernel's ``megaraid_sas.h``, SNIA DDF (levels).
"""

from __future__ import annotations

from typing import NamedTuple

VOLUME_STATES = {0: "Offline", 1: "Partially Degraded", 2: "Degraded", 3: "Optimal"}
DRIVE_STATES = {
    0x00: "Unconfigured Good",
    0x01: "Unconfigured Bad",
    0x02: "Hot Spare",
    0x10: "Offline",
    0x11: "Failed",
    0x14: "Rebuild",
    0x18: "Online",
    0x20: "Copyback",
    0x40: "JBOD",
}
INIT_STATES = {0: "not initialised", 1: "quick", 2: "full"}
ACCESS = {0: "read-write", 2: "read-only", 3: "blocked"}
DISK_CACHE = {0: "default", 1: "enabled", 2: "disabled"}
INTERFACES = {1: "SCSI", 2: "SAS", 3: "SATA", 5: "NVMe"}
LEARN_MODES = {0: "enabled", 1: "disabled", 2: "warn"}
BATTERY_TYPES = {0: "none", 1: "iBBU", 2: "BBU"}

WRITE_BACK, WRITE_ADAPTIVE, READ_AHEAD, READ_ADAPTIVE = 0x01, 0x02, 0x04, 0x08
BAD_BBU, ALLOW_WRITE, ALLOW_READ = 0x10, 0x20, 0x40
_KNOWN_BITS = 0x7F


class Policy(NamedTuple):
    """A cache policy byte in words; None for unclear bits."""

    write: str | None
    """``write-back`` or ``write-through``."""
    bad_bbu: bool
    """Write-back stays on without a good battery."""
    read: str | None
    """``none``, ``read-ahead`` or ``adaptive``."""
    io: str | None
    """``cached`` or ``direct``."""


def policy(byte: int) -> Policy:
    """Decode a byte. Read-ahead is off if neither of its bits is set; adaptive is both, or its own alone."""
    if byte & ~_KNOWN_BITS:
        return Policy(None, bool(byte & BAD_BBU), None, None)
    read = "adaptive" if byte & READ_ADAPTIVE else "read-ahead" if byte & READ_AHEAD else "none"
    both = byte & (ALLOW_WRITE | ALLOW_READ)
    io = {0: "direct", ALLOW_WRITE | ALLOW_READ: "cached"}.get(both)
    return Policy("write-back" if byte & WRITE_BACK else "write-through", bool(byte & BAD_BBU), read, io)


_BBU = (
    "pack missing", "voltage low", "temperature high", "charging", "discharging", "learn cycle requested",
    "learn cycle active", "learn cycle failed", "learn cycle timed out", "I2C errors", "replacement required",
    "remaining capacity low", "periodic learn cycle required",
)  # fmt: skip


def battery_words(mask: int) -> list[str]:
    """The battery's status bits in words; ``bit 14`` for an undocumented one."""
    return [_BBU[bit] if bit < len(_BBU) else f"bit {bit}" for bit in range(32) if mask >> bit & 1]


_SINGLE = {0: "RAID0", 1: "RAID1", 4: "RAID4", 5: "RAID5", 6: "RAID6", 0x11: "RAID1E", 0x0F: "JBOD"}
_SPANNED = {0: "RAID0", 1: "RAID10", 5: "RAID50", 6: "RAID60", 0x11: "RAID10"}


def raid_level(primary: int, secondary: int, spans: int) -> str | None:
    """``RAID50``; None for unknown numbers. Several spans are striped, so the level ends with a zero."""
    return (_SPANNED if secondary == 3 or spans > 1 else _SINGLE).get(primary)
