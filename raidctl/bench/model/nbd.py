"""The server side of the NBD protocol without I/O. Bytes come in, requests and bytes go out.

Fixed newstyle negotiation and simple replies, after doc/proto.md of the NBD project: read, write, force unit access,
flush, disconnect. One export, for any requested name.
"""

from __future__ import annotations

import struct
from collections.abc import Generator
from dataclasses import dataclass
from enum import IntEnum

GREETING = b"NBDMAGIC" + b"IHAVEOPT"
REPLY_MAGIC = 0x3E889045565A9
REQUEST_MAGIC = 0x25609513
SIMPLE_MAGIC = 0x67446698
FIXED_NEWSTYLE, NO_ZEROES = 1, 2
HAS_FLAGS, READ_ONLY, SEND_FLUSH, SEND_FUA, MULTI_CONN = 1, 2, 4, 8, 256
TRANSMISSION = HAS_FLAGS | SEND_FLUSH | SEND_FUA | MULTI_CONN
OPT_EXPORT_NAME, OPT_ABORT, OPT_LIST, OPT_INFO, OPT_GO = 1, 2, 3, 6, 7
REP_ACK, REP_SERVER, REP_INFO = 1, 2, 3
REP_UNSUPPORTED, REP_INVALID = (1 << 31) + 1, (1 << 31) + 3
INFO_EXPORT, INFO_BLOCK_SIZE = 0, 3
FUA = 1
EINVAL, ENOSPC = 22, 28
LARGEST = 32 << 20
"""Maximum bytes of one request for servers that announce no other limit."""
LONGEST_OPTION = 64 << 10
_REQUEST = struct.Struct(">IHHQQI")


class Command(IntEnum):
    """A client's request."""

    READ = 0
    WRITE = 1
    DISCONNECT = 2
    FLUSH = 3


@dataclass(frozen=True)
class Request:
    """One valid request."""

    command: Command
    handle: int
    offset: int
    size: int
    durable: bool
    data: bytes = b""


Dialogue = Generator[int | bytes | Request, bytes | None, None]
"""Generator for one connection. It yields the number of bytes needed and is sent them, or yields bytes for the client,
or a request. It ends with the connection."""


def dialogue(size: int) -> Dialogue:
    """Handle one connection to an export of ``size`` bytes. A client that breaks the protocol is disconnected."""
    yield GREETING + struct.pack(">H", FIXED_NEWSTYLE | NO_ZEROES)
    (flags,) = struct.unpack(">I", (yield 4) or bytes(4))
    going = yield from _options(size, no_zeroes=bool(flags & NO_ZEROES))
    if going:
        yield from _transmission(size)


def _options(size: int, *, no_zeroes: bool) -> Generator[int | bytes | Request, bytes | None, bool]:
    while True:
        magic, option, length = struct.unpack(">8sII", (yield 16) or bytes(16))
        if magic != b"IHAVEOPT" or length > LONGEST_OPTION:
            return False
        payload = ((yield length) or b"") if length else b""
        if option == OPT_EXPORT_NAME:
            yield struct.pack(">QH", size, TRANSMISSION) + (b"" if no_zeroes else bytes(124))
            return True
        if option == OPT_ABORT:
            yield _option_reply(option, REP_ACK)
            return False
        yield _answer(option, payload, size)
        if option == OPT_GO and _named(payload):
            return True


def _answer(option: int, payload: bytes, size: int) -> bytes:
    if option == OPT_LIST and not payload:
        return _option_reply(option, REP_SERVER, struct.pack(">I", 0)) + _option_reply(option, REP_ACK)
    if option not in {OPT_INFO, OPT_GO}:
        return _option_reply(option, REP_INVALID if option == OPT_LIST else REP_UNSUPPORTED)
    if not _named(payload):
        return _option_reply(option, REP_INVALID)
    return (
        _option_reply(option, REP_INFO, struct.pack(">HQH", INFO_EXPORT, size, TRANSMISSION))
        + _option_reply(option, REP_INFO, struct.pack(">HIII", INFO_BLOCK_SIZE, 1, 4096, LARGEST))
        + _option_reply(option, REP_ACK)
    )


def _named(payload: bytes) -> bool:
    """Whether the payload of INFO or GO is complete.

    It consists of length of the name, name, number of items, items.
    """
    if len(payload) < 6:
        return False
    length = int.from_bytes(payload[:4], "big")
    if len(payload) < 6 + length:
        return False
    count = int.from_bytes(payload[4 + length : 6 + length], "big")
    return len(payload) == 6 + length + 2 * count


def _option_reply(option: int, kind: int, payload: bytes = b"") -> bytes:
    return struct.pack(">QIII", REPLY_MAGIC, option, kind, len(payload)) + payload


def _transmission(size: int) -> Dialogue:
    while True:
        head = (yield _REQUEST.size) or bytes(_REQUEST.size)
        magic, flags, kind, handle, offset, length = _REQUEST.unpack(head)
        if magic != REQUEST_MAGIC or (kind == Command.WRITE and length > LARGEST):
            return
        data = ((yield length) or b"") if kind == Command.WRITE and length else b""
        if kind == Command.DISCONNECT:
            return
        error = _refusal(kind, flags, offset, length, size)
        if error:
            yield reply(handle, error)
        else:
            yield Request(Command(kind), handle, offset, length, bool(flags & FUA), data)


def _refusal(kind: int, flags: int, offset: int, length: int, size: int) -> int:
    """The error for an invalid request; 0 if it is valid."""
    if kind not in {Command.READ, Command.WRITE, Command.FLUSH} or flags & ~FUA:
        return EINVAL
    if kind == Command.FLUSH:
        return EINVAL if offset or length else 0
    if length == 0 or length > LARGEST:
        return EINVAL
    if offset + length > size:
        return ENOSPC if kind == Command.WRITE else EINVAL
    return 0


def reply(handle: int, error: int = 0, data: bytes = b"") -> bytes:
    """The reply to a request."""
    return struct.pack(">IIQ", SIMPLE_MAGIC, error, handle) + data
