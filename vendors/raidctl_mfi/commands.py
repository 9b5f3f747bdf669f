"""Direct commands (DCMD) to the firmware, and meanings of its status codes.

Sources: FreeBSD's ``mfireg.h`` (opcodes, status), the kernel's ``megaraid_sas.h``. Commands that stop the controller
(CTRL_SHUTDOWN, opcode 0x01050000), or destroy anything, are not in the table and so cannot be sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["none", "read", "write"]


@dataclass(frozen=True)
class Command:
    """A direct command."""

    name: str
    opcode: int
    direction: Direction
    size: int = 0
    """Default size of its buffer in bytes."""

    @property
    def changes(self) -> bool:
        """Whether it changes a setting."""
        return self.direction == "write"


CTRL_GET_INFO = Command("CTRL_GET_INFO", 0x01010000, "read", 2048)
CTRL_GET_PROPERTIES = Command("CTRL_GET_PROPERTIES", 0x01020100, "read", 64)
CTRL_SET_PROPERTIES = Command("CTRL_SET_PROPERTIES", 0x01020200, "write", 64)
CTRL_CACHE_FLUSH = Command("CTRL_CACHE_FLUSH", 0x01101000, "none")
PD_GET_LIST = Command("PD_GET_LIST", 0x02010000, "read", 8 + 24 * 256)
PD_GET_INFO = Command("PD_GET_INFO", 0x02020000, "read", 512)
PD_LOCATE_START = Command("PD_LOCATE_START", 0x02070100, "none")
PD_LOCATE_STOP = Command("PD_LOCATE_STOP", 0x02070200, "none")
LD_GET_LIST = Command("LD_GET_LIST", 0x03010000, "read", 1032)
LD_GET_INFO = Command("LD_GET_INFO", 0x03020000, "read", 384)
LD_GET_PROP = Command("LD_GET_PROP", 0x03030000, "read", 32)
LD_SET_PROP = Command("LD_SET_PROP", 0x03040000, "write", 32)
CFG_READ = Command("CFG_READ", 0x04010000, "read", 4096)
BBU_GET_STATUS = Command("BBU_STATUS", 0x05010000, "read", 64)
BBU_GET_PROP = Command("BBU_PROP_GET", 0x05050100, "read", 32)

COMMANDS = (
    CTRL_GET_INFO, CTRL_GET_PROPERTIES, CTRL_SET_PROPERTIES, CTRL_CACHE_FLUSH, PD_GET_LIST, PD_GET_INFO,
    PD_LOCATE_START, PD_LOCATE_STOP, LD_GET_LIST, LD_GET_INFO, LD_GET_PROP, LD_SET_PROP, CFG_READ, BBU_GET_STATUS,
    BBU_GET_PROP,
)  # fmt: skip

FLUSH_CONTROLLER, FLUSH_DISKS = 0x01, 0x02
"""Bits of CTRL_CACHE_FLUSH's first byte: the controller's cache, those of its drives."""

NO_HARDWARE = 0x22
STATUS: dict[int, str] = {
    0x00: "ok",
    0x01: "command not known",
    0x02: "direct command not known",
    0x03: "parameter refused (or buffer of the wrong size)",
    0x04: "sequence number is out of date",
    0x08: "application not initialised",
    0x0B: "configuration resources in conflict",
    0x0C: "no such device",
    0x15: "flush failed",
    0x17: "consistency check under way",
    0x18: "initialisation under way",
    0x1B: "volume not optimal",
    0x1C: "rebuild under way",
    0x1D: "reconstruction under way",
    0x20: "no memory",
    0x21: "hardware error",
    0x22: "no such hardware",
    0x23: "not found",
    0x27: "patrol read is disabled",
    0x2D: "SCSI command done with error",
    0x2E: "SCSI command failed",
    0x30: "shutdown failed: one or more flushes failed",
    0x32: "wrong state for this command",
    0x33: "volume offline",
    0x3D: "hardware not supported",
    0x54: "preserved cache: data of an offline volume",
    0x55: "already in progress",
    0x67: "configuration sequence does not match",
    0x73: "a flush is under way",
    0xFF: "no status set",
}


def status_text(status: int) -> str:
    """``0x0c, no such device``."""
    return f"0x{status:02x}, {STATUS.get(status, 'unknown status')}"
