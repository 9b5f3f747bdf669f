"""The packet of ``MEGASAS_IOC_FIRMWARE``: built and read as pure functions.

Source: ``struct megasas_iocpacket`` and ``struct megasas_dcmd_frame`` of the kernel's ``megaraid_sas.h`` (64 bit).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from raidctl_mfi.commands import Command

IOC_FIRMWARE = 0xC1944D01
"""``_IOWR('M', 1, struct megasas_iocpacket)``; the size, 404, is part of the number."""
PACKET_SIZE = 404
FRAME_AT, SGL_IN_FRAME, IOVEC_AT = 20, 40, 148
STATUS_AT = FRAME_AT + 2
MBOX_SIZE = 12
DCMD = 0x05
_FLAGS = {"none": 0x0000, "write": 0x0008, "read": 0x0010}
_NOT_FILLED = 0xFF


@dataclass(frozen=True)
class Question:
    """A command with its parameters, ready to be sent."""

    command: Command
    mbox: bytes = b""
    """Its parameters: a device id, a target id, a bit mask. At most 12 bytes."""
    size: int | None = None
    """Bytes of the buffer; None for the command's default."""
    data: bytes = b""
    """The data to write, for a command that changes a setting."""

    @property
    def length(self) -> int:
        """Bytes of the buffer."""
        return len(self.data) if self.data else self.command.size if self.size is None else self.size


@dataclass(frozen=True)
class Answer:
    """The firmware's reply."""

    question: Question
    status: int | None = None
    """The firmware's status; None if the command did not reach it."""
    data: bytes = b""
    """The data that was returned. It ends at the last byte that differs from what was sent."""
    fault: str | None = None
    """Why there is no reply: ``ENODEV: No such device``."""

    @property
    def ok(self) -> bool:
        """Whether the firmware reports success."""
        return self.status == 0

    @property
    def has_data(self) -> bool:
        """Whether it reports success and returned data. A status of 0 may leave the buffer untouched."""
        return self.ok and bool(self.data)


def pattern(size: int) -> bytes:
    """Return bytes that fill a buffer before it is sent. None is 0 or 0xff, and they do not repeat early."""
    return bytes(1 + (181 * number + (number >> 8) * 59 + 97) % 254 for number in range(size))


def transferred(buffer: bytes) -> bytes:
    """The part of a buffer that was changed, which :func:`pattern` had filled."""
    sent = pattern(len(buffer))
    end = len(buffer)
    while end and buffer[end - 1] == sent[end - 1]:
        end -= 1
    return buffer[:end]


def packet(host: int, question: Question, address: int) -> bytearray:
    """Build the packet for a SCSI host. ``address`` is that of the buffer of ``question.length`` bytes.

    Raises:
        ValueError: The mailbox is too long, the host number out of range, or a direction that does not fit the data.
    """
    command, length = question.command, question.length
    if len(question.mbox) > MBOX_SIZE:
        raise ValueError(f"the mailbox of {command.name} has {len(question.mbox)} bytes, not {MBOX_SIZE}")
    if command.direction == "write" and len(question.data) != command.size:
        raise ValueError(f"{command.name} writes {command.size} bytes, not {len(question.data)}")
    if command.direction != "write" and question.data:
        raise ValueError(f"{command.name} writes nothing")
    if not 0 <= host <= 0xFFFF:
        raise ValueError(f"SCSI host {host} is out of range")
    count = 1 if length else 0
    made = bytearray(PACKET_SIZE)
    # host_no, pad, sgl_off, sge_count, sense_off, sense_len
    struct.pack_into("<HHIIII", made, 0, host, 0, SGL_IN_FRAME, count, 0, 0)
    # cmd, sense_len, cmd_status, -, -, -, -, sge_count, context, pad, flags, timeout, data_len, opcode, mbox
    struct.pack_into(
        "<8BIIHHII12s", made, FRAME_AT, DCMD, 0, _NOT_FILLED, 0, 0, 0, 0, count, 0, 0, _FLAGS[command.direction], 0,
        length, command.opcode, question.mbox.ljust(MBOX_SIZE, b"\0"),
    )  # fmt: skip
    struct.pack_into("<QQ", made, IOVEC_AT, address if count else 0, length)
    return made


def read_answer(question: Question, sent: bytes | bytearray, buffer: bytes) -> Answer:
    """Read the reply in a returned packet and its buffer."""
    status = sent[STATUS_AT]
    reads = question.command.direction == "read"
    return Answer(question, status, transferred(buffer) if reads and status == 0 else b"")
