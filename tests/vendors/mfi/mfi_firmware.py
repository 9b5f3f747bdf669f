"""A firmware for tests. It replies to the driver's packets with buffers put together by offset.

The offsets are the numbers of the headers (the kernel's megaraid_sas.h, FreeBSD's mfireg.h), not those that the program
computes: a field declared at a wrong offset fails the tests.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, TypeVar

from raidctl_mfi.controller import describe
from raidctl_mfi.dialogue import Dialogue, read_controller, run_dialogue
from raidctl_mfi.frame import Answer, Question, packet, pattern, read_answer
from raidctl_mfi.problems import Problems

T = TypeVar("T")

CTRL_GET_INFO, GET_PROPERTIES, SET_PROPERTIES, FLUSH = 0x01010000, 0x01020100, 0x01020200, 0x01101000
PD_LIST, PD_INFO, LD_LIST, LD_INFO = 0x02010000, 0x02020000, 0x03010000, 0x03020000
LOCATE_START, LOCATE_STOP = 0x02070100, 0x02070200
GET_PROP, SET_PROP, CFG_READ, BBU, BBU_PROP = 0x03030000, 0x03040000, 0x04010000, 0x05010000, 0x05050100
NONE = b"\0" * 12
SECTORS = 2 * 1024 * 1024 * 1024
"""1 TiB in blocks of 512 bytes."""


def put(size: int, *values: tuple[int, str, Any]) -> bytearray:
    """A buffer of zeros with values at offsets: ``(1344, "80s", b"name")``."""
    made = bytearray(size)
    for offset, form, value in values:
        struct.pack_into(f"<{form}", made, offset, value)
    return made


def mbox(*values: int) -> bytes:
    """A mailbox that begins with these bytes."""
    return bytes(values).ljust(12, b"\0")


def controller(**more: Any) -> bytearray:
    """CTRL_GET_INFO of a controller with a BBU, two volumes and three drives."""
    return put(
        2048,
        (180, "I", 1), (184, "8s", b"APP"), (192, "32s", b"3.140.35-1998"),
        (1344, "80s", b"RCTL MegaRAID 9999-8i"), (1424, "32s", b"RC00000001"), (1456, "I", more.get("hardware", 0x35)),
        (1472, "H", more.get("lds", 2)), (1480, "H", more.get("disks", 3)), (1488, "H", 1024), (1508, "I", 0x1F),
        (1536 + 8, "B", 30), (1536 + 13, "B", 5), (1600, "96s", b"24.9.0-0022"),
    )  # fmt: skip


def properties(interval: int = 5) -> bytearray:
    """CTRL_GET_PROPERTIES."""
    return put(64, (0, "H", 7), (8, "B", 30), (13, "B", interval))


def volume_list(*targets: int, count: int | None = None) -> bytearray:
    """LD_GET_LIST with volumes of 1 TiB, all optimal."""
    made = put(1032, (0, "I", len(targets) if count is None else count))
    for number, target in enumerate(targets):
        struct.pack_into("<BBHB3xQ", made, 8 + 16 * number, target, 0, 1, 3, SECTORS)
    return made


def policies(target: int, default: int, current: int, disk: int = 2, name: bytes = b"data") -> bytearray:
    """``mfi_ld_props``."""
    return put(
        32, (0, "B", target), (2, "H", 1), (4, "16s", name), (20, "B", default), (22, "B", disk), (23, "B", current)
    )


def configured(target: int, *, level: int = 5, drives: int = 3, default: int = 0x05, current: int = 0x05) -> bytearray:
    """``mfi_ld_config``: one span over array 0, strips of 64 KiB."""
    made = put(
        256, (32, "B", level), (35, "B", 7), (36, "B", drives), (37, "B", 1), (38, "B", 3), (40, "B", 1),
        (64 + 8, "Q", SECTORS), (64 + 16, "H", 0),
    )  # fmt: skip
    made[:32] = policies(target, default, current)
    return made


def volume_info(target: int, **more: Any) -> bytearray:
    """LD_GET_INFO with a consistency check at 50% and a NAA name. The name is in page 83."""
    made = put(384, (256, "Q", SECTORS), (264, "I", 1), (268, "H", 0x8000))
    made[:256] = configured(target, **more)
    page = bytes.fromhex("0083001401030010600605b00a1b2c3d") + bytes.fromhex("20112233445566aa")
    made[304 : 304 + len(page)] = page
    return made


def drive_list(*devices: int) -> bytes:
    """PD_GET_LIST: an enclosure, then drives in its slots."""
    made = put(8 + 24 * (len(devices) + 1), (0, "I", 8 + 24 * (len(devices) + 1)), (4, "I", len(devices) + 1))
    struct.pack_into("<HHBBBBQQ", made, 8, 252, 252, 0, 255, 0x0D, 0, 0, 0)
    for number, device in enumerate(devices):
        struct.pack_into(
            "<HHBBBBQQ", made, 32 + 24 * number, device, 252, 1, number, 0, 1, 0x5000C500AB000000 + device, 0
        )
    return bytes(made)


def drive_info(device: int, *, state: int = 0x18, block: int = 512) -> bytearray:
    """PD_GET_INFO of a SAS drive."""
    inquiry = (
        b"\0\0\x06\x12\0\0\0\0" + b"RCTL    " + b"DISK 1000       " + b"A001" + f"SER{device:05d}".encode().ljust(20)
    )
    return put(
        512, (0, "H", device), (4, "96s", inquiry), (168, "I", 2), (172, "I", 3), (176, "I", 1), (184, "H", state),
        (188, "H", 0x2002), (232, "Q", SECTORS), (248, "Q", SECTORS - 2048), (256, "H", 252), (259, "B", device),
        (401, "B", 2), (402, "B", 31), (404, "H", block), (408, "I", 1 << 6),
    )  # fmt: skip


def configuration(*volumes: bytearray, totals: bool = False) -> bytes:
    """CFG_READ: one array of three drives, volumes, a dedicated spare. One of the drives is missing.

    ``totals``: the header contains the size of all arrays and of all volumes, as QEMU's does, instead of that of one.
    """
    array = put(32 + 8 * 32, (0, "Q", SECTORS), (8, "B", 3), (10, "H", 0))
    for row, (device, state) in enumerate(((8, 0x18), (9, 0x18), (0xFFFF, 0))):
        struct.pack_into("<HHHBB", array, 32 + 8 * row, device, 0, state, 0, row)
    spare = put(40, (0, "H", 10), (4, "B", 1), (7, "B", 1), (8, "H", 0))
    body = bytes(array) + b"".join(volumes) + bytes(spare)
    sizes = (len(array), 256 * (len(volumes) if totals else 1), 40)
    head = struct.pack("<IHHHHHH16x", 32 + len(body), 1, sizes[0], len(volumes), sizes[1], 1, sizes[2])
    return head + body


def battery(bits: int = 0, *, kind: int = 1) -> bytearray:
    """BBU_STATUS: 4.1 V, 28 degrees, 97 percent."""
    return put(64, (0, "B", kind), (2, "H", 4100), (6, "H", 28), (8, "I", bits), (34, "H", 97))


@dataclass
class Firmware:
    """Replies by opcode and mailbox: a buffer or a status. For any other: status ok without data."""

    answers: dict[tuple[int, bytes], bytes | bytearray | int] = field(default_factory=dict)
    sent: list[tuple[int, bytes, bytes]] = field(default_factory=list)
    """Opcode, mailbox and buffer of every packet."""
    stores: bool = True
    fault_after: int | None = None
    """Number of questions after which the driver refuses every other; None: never."""

    def take(self, question: Question) -> Answer:
        """Handle a packet as the driver does. Read the frame and write the buffer."""
        if self.fault_after is not None and len(self.sent) >= self.fault_after:
            return Answer(question, fault="ENODEV: No such device")
        buffer = bytearray(question.data or pattern(question.length))
        made = packet(3, question, 0x7F0000000000)
        opcode, mail = struct.unpack_from("<I12s", made, 20 + 24)
        self.sent.append((opcode, mail, bytes(buffer)))
        given = self._given(opcode, mail, bytes(buffer))
        if isinstance(given, int):
            made[22] = given
        else:
            made[22] = 0
            buffer[: len(given)] = given[: len(buffer)]
        return read_answer(question, made, bytes(buffer))

    def _given(self, opcode: int, mail: bytes, buffer: bytes) -> bytes | bytearray | int:
        given = self.answers.get((opcode, mail), b"")
        if opcode == SET_PROP and not isinstance(given, int) and self.stores:
            stored = bytearray(buffer)
            stored[23] = stored[20]  # the active policy follows
            struct.pack_into("<H", stored, 2, 2)  # the sequence number is incremented
            self.answers[GET_PROP, mbox(buffer[0])] = stored
        if opcode == SET_PROPERTIES and not isinstance(given, int) and self.stores:
            self.answers[GET_PROPERTIES, NONE] = bytearray(buffer)
        return given


def converse(dialogue: Dialogue[T], firmware: Firmware) -> T:
    """Run a dialogue with the firmware."""
    return run_dialogue(dialogue, firmware.take)


def healthy() -> Firmware:
    """A healthy controller: two volumes, three drives, a spare and a battery. One of the drives is missing."""
    return Firmware(
        {
            (CTRL_GET_INFO, NONE): controller(),
            (GET_PROPERTIES, NONE): properties(),
            (LD_LIST, NONE): volume_list(0, 3),
            (PD_LIST, NONE): drive_list(8, 9, 10),
            (CFG_READ, NONE): configuration(configured(0), configured(3, default=0x11, current=0x11)),
            (LD_INFO, mbox(0)): volume_info(0),
            (LD_INFO, mbox(3)): volume_info(3, default=0x11, current=0x11),
            (GET_PROP, mbox(0)): policies(0, 0x05, 0x05),
            (GET_PROP, mbox(3)): policies(3, 0x11, 0x11),
            (PD_INFO, mbox(8)): drive_info(8),
            (PD_INFO, mbox(9)): drive_info(9),
            (PD_INFO, mbox(10)): drive_info(10, state=0x02),
            (BBU, NONE): battery(),
            (BBU_PROP, NONE): put(32, (0, "I", 2592000), (4, "I", 86400), (9, "B", 0)),
        }
    )


def shown(firmware: Firmware) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The controller as the program prints it, and the problems."""
    problems = Problems()
    return describe(converse(read_controller(), firmware), 0, problems, raw=True), problems.items


def messages(problems: list[dict[str, Any]]) -> str:
    """The messages of all problems, one a line."""
    return "\n".join(problem["message"] for problem in problems)
