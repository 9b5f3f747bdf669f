"""A connection to an NBD server: fixed newstyle negotiation, simple replies. Pure Python, no threads.

Source of every number: the protocol's own description (doc/proto.md of the NetworkBlockDevice project).
"""

from __future__ import annotations

import contextlib
import errno
import socket
import struct
from dataclasses import dataclass

from raidctl.errors import BenchError

READ, WRITE, DISCONNECT, FLUSH = 0, 1, 2, 3
FUA = 1
"""Request flag: on stable storage before the reply."""
REQUEST = struct.Struct(">IHHQQI")
"""Magic, flags, command, cookie, offset, length."""
REPLY = struct.Struct(">IIQ")
"""Magic, error, cookie."""
REQUEST_MAGIC = 0x25609513
REPLY_MAGIC = 0x67446698
LARGEST = 32 << 20
"""The longest request that every server accepts, bytes."""

_GREETING = struct.Struct(">8s8sH")
_OPTION = struct.Struct(">8sII")
_ANSWER = struct.Struct(">QIII")
_ANSWER_MAGIC = 0x3E889045565A9
_FIXED, _NO_ZEROES = 1, 2
_EXPORT_NAME, _ABORT, _GO = 1, 2, 7
_ACK, _INFO, _ERROR = 1, 3, 1 << 31
_UNSUPPORTED = _ERROR + 1
_INFO_EXPORT, _INFO_BLOCK_SIZE = 0, 3
_REASONS = {
    _ERROR + 2: "its policy forbids it",
    _ERROR + 3: "the request is invalid",
    _ERROR + 4: "its platform cannot do it",
    _ERROR + 5: "it requires TLS",
    _ERROR + 6: "it has no export of that name",
    _ERROR + 7: "it is shutting down",
    _ERROR + 8: "it requires that block sizes are negotiated",
}
_LONGEST_ANSWER = 1 << 16
_PATIENCE = 10.0
"""Seconds in which a server has to answer during negotiation."""


@dataclass(frozen=True)
class Export:
    """The server's description of an export."""

    size: int
    """Bytes."""
    flags: int
    smallest: int = 1
    """Requests are multiples of this, bytes."""
    largest: int = LARGEST
    """The longest request, bytes."""

    @property
    def read_only(self) -> bool:
        """Whether the server refuses writes."""
        return bool(self.flags & 2)

    @property
    def can_flush(self) -> bool:
        """Whether there is a flush command."""
        return bool(self.flags & 4)

    @property
    def can_fua(self) -> bool:
        """Whether a write may be requested as durable."""
        return bool(self.flags & 8)

    @property
    def shared(self) -> bool:
        """Whether a flush on one connection covers writes through the others."""
        return bool(self.flags & 256)


class ServerGone(OSError):
    """The server disconnected in the middle of a request."""

    def __init__(self) -> None:
        super().__init__(errno.ECONNRESET, "the NBD server closed the connection")


class Link:
    """An open connection to one export."""

    def __init__(self, where: socket.socket, export: Export) -> None:
        self.socket = where
        self.export = export
        self._head = memoryview(bytearray(REPLY.size))

    def fileno(self) -> int:
        """The descriptor, for waiting until a reply arrives."""
        return self.socket.fileno()

    def send(self, command: int, cookie: int, offset: int, length: int) -> None:
        """Send a request without data."""
        self.socket.sendall(REQUEST.pack(REQUEST_MAGIC, 0, command, cookie, offset, length))

    def send_data(self, cookie: int, offset: int, data: memoryview, *, flags: int = 0) -> None:
        """Send a write request and its data. One system call is used if the socket takes them."""
        head = REQUEST.pack(REQUEST_MAGIC, flags, WRITE, cookie, offset, len(data))
        sent = self.socket.sendmsg((head, data))
        if sent < len(head):
            self.socket.sendall(head[sent:])
            sent = len(head)
        if sent - len(head) < len(data):
            self.socket.sendall(data[sent - len(head) :])

    def reply(self) -> tuple[int, int]:
        """Receive the head of a reply. Return its cookie, and 0 or an errno. The data of a successful read follow.

        Raises:
            ServerGone: The server went away, or does not speak the protocol.
        """
        self.take(self._head)
        magic, error, cookie = REPLY.unpack(self._head)
        if magic != REPLY_MAGIC:
            raise ServerGone
        return cookie, error if error in errno.errorcode or not error else errno.EINVAL

    def take(self, into: memoryview) -> None:
        """Fill a buffer with the next bytes.

        Raises:
            ServerGone: The server went away.
        """
        _take(self.socket, into)

    def read(self, offset: int, length: int) -> bytes:
        """Read synchronously. Raise OSError with the server's errno."""
        self.send(READ, 0, offset, length)
        self._check_reply()
        data = bytearray(length)
        self.take(memoryview(data))
        return bytes(data)

    def write(self, offset: int, data: bytes, *, durable: bool = False) -> None:
        """Write synchronously. Raise OSError with the server's errno."""
        self.send_data(0, offset, memoryview(data), flags=FUA if durable else 0)
        self._check_reply()

    def flush(self) -> None:
        """Flush synchronously. Raise OSError with the server's errno."""
        self.send(FLUSH, 0, 0, 0)
        self._check_reply()

    def _check_reply(self) -> None:
        _, error = self.reply()
        if error:
            raise OSError(error, "the NBD server refuses")

    def close(self) -> None:
        """Disconnect and close."""
        with contextlib.suppress(OSError):
            self.send(DISCONNECT, 0, 0, 0)
        self.socket.close()


def _take(where: socket.socket, into: memoryview) -> None:
    while into:
        count = where.recv_into(into)
        if not count:
            raise ServerGone
        into = into[count:]


def _some(where: socket.socket, count: int) -> bytes:
    data = bytearray(count)
    _take(where, memoryview(data))
    return bytes(data)


def negotiate(where: socket.socket, name: str) -> Link:
    """Negotiate an export with a server.

    The socket is closed if that fails.

    Raises:
        BenchError: It is not an NBD server, or refuses; with the reason.
    """
    where.settimeout(_PATIENCE)
    try:
        link = Link(where, _agreed(where, name.encode()))
        where.settimeout(None)
    except TimeoutError:
        where.close()
        raise BenchError(f"The NBD server did not answer within {_PATIENCE:g} seconds.") from None
    except OSError as error:
        where.close()
        raise BenchError(f"The connection to the NBD server broke: {error.strerror or error}.") from None
    except BaseException:
        where.close()
        raise
    return link


def _agreed(where: socket.socket, name: bytes) -> Export:
    magic, options, flags = _GREETING.unpack(_some(where, _GREETING.size))
    if magic != b"NBDMAGIC" or options != b"IHAVEOPT" or not flags & _FIXED:
        raise BenchError("The server does not speak NBD (fixed newstyle).")
    where.sendall(struct.pack(">I", flags & (_FIXED | _NO_ZEROES)))
    # the name, and one information request: block sizes
    _option(where, _GO, struct.pack(">I", len(name)) + name + struct.pack(">HH", 1, _INFO_BLOCK_SIZE))
    return _gone_to(where) or _old_way(where, name, zeroes=not flags & _NO_ZEROES)


def _option(where: socket.socket, option: int, data: bytes) -> None:
    where.sendall(_OPTION.pack(b"IHAVEOPT", option, len(data)) + data)


def _gone_to(where: socket.socket) -> Export | None:
    """The answers to GO. None from a server that does not support it."""
    size, flags, smallest, largest = None, 0, 1, LARGEST
    while True:
        magic, option, kind, length = _ANSWER.unpack(_some(where, _ANSWER.size))
        if magic != _ANSWER_MAGIC or option != _GO or length > _LONGEST_ANSWER:
            raise BenchError("The NBD server's reply has an unknown format.")
        data = _some(where, length)
        if kind == _UNSUPPORTED:
            return None
        if kind & _ERROR:
            text = data.decode(errors="replace").strip()
            reason = _REASONS.get(kind, "no reason reported")
            raise BenchError(f"The NBD server refuses the export: {reason}{f' ({text})' if text else ''}.")
        if kind == _ACK and size is not None:
            return Export(size, flags, smallest, largest)
        if kind == _ACK:
            raise BenchError("The NBD server does not report the size of the export.")
        if kind == _INFO and length >= 12 and data[:2] == b"\0\0":
            size, flags = struct.unpack_from(">QH", data, 2)
        elif kind == _INFO and length >= 14 and data[:2] == b"\0\3":
            smallest, _, most = struct.unpack_from(">III", data, 2)
            smallest, largest = max(1, smallest), min(LARGEST, most)


def _old_way(where: socket.socket, name: bytes, *, zeroes: bool) -> Export:
    _option(where, _EXPORT_NAME, name)
    size, flags = struct.unpack(">QH", _some(where, 10))
    if zeroes:
        _some(where, 124)
    return Export(size, flags)
