"""A connection between writer and witness, authenticated by a shared token.

Both sides send ``MAGIC`` and 32 random bytes, from which each connection gets its own key; so nothing recorded can be
sent again. Then come frames: 4 bytes length, 32 bytes HMAC-SHA256 over direction, number of the frame and content, and
the content, JSON. Frames are not encrypted: they contain block numbers, no data.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import threading
from typing import Any

import msgspec

from raidctl import json_decode
from raidctl.errors import CannotTell

MAGIC = b"raidctl-powercut1"
_NONCE = 32
_CODE = 32
LARGEST = 1 << 20
"""Bytes of the largest message."""


class ProtocolError(CannotTell):
    """The received bytes are not from a raidctl with the same token."""


class ConnectionLost(CannotTell):
    """The other side has closed the connection, or is silent."""


class Wire:
    """One end of a connection.

    Args:
        connection: A connected socket, with its time limit.
        token: The secret that both sides have.
        witness: Whether this is the witness's end.

    Raises:
        ProtocolError: The other side does not speak this protocol.
        ConnectionLost: It has closed the connection.
    """

    def __init__(self, connection: socket.socket, token: bytes, *, witness: bool) -> None:
        self._socket = connection
        self._mine, self._theirs = (b"w", b"c") if witness else (b"c", b"w")
        self._sent = self._received = 0
        self._lock = threading.Lock()
        own = secrets.token_bytes(_NONCE)
        self._send_bytes(MAGIC + own)
        if self._receive_bytes(len(MAGIC)) != MAGIC:
            raise ProtocolError("the other side is not a raidctl of this version")
        other = self._receive_bytes(_NONCE)
        both = own + other if witness else other + own
        self._key = hmac.digest(token, both, "sha256")

    def send(self, message: msgspec.Struct) -> None:
        """Send a message. Raise ConnectionLost."""
        content = msgspec.json.encode(message)
        # another thread sends heartbeats
        with self._lock:
            code = self._authentication_code(self._mine, self._sent, content)
            self._sent += 1
            self._send_bytes(len(content).to_bytes(4, "big") + code + content)

    def receive(self, kind: Any) -> Any:
        """Receive a message of one of these types.

        Raises:
            ProtocolError: It is another message, or its code is wrong.
            ConnectionLost: The other side is gone or silent.
        """
        size = int.from_bytes(self._receive_bytes(4), "big")
        if size > LARGEST:
            raise ProtocolError(f"a message of {size} bytes is announced")
        code, content = self._receive_bytes(_CODE), self._receive_bytes(size)
        if not hmac.compare_digest(code, self._authentication_code(self._theirs, self._received, content)):
            raise ProtocolError("its token is different")
        self._received += 1
        try:
            return json_decode.decode(content, kind)
        except msgspec.MsgspecError as error:
            raise ProtocolError(f"a message cannot be understood: {error}") from None

    def close(self) -> None:
        """Close the connection; a thread that waits for a message ends."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        finally:
            self._socket.close()

    def _authentication_code(self, direction: bytes, number: int, content: bytes) -> bytes:
        return hmac.digest(self._key, direction + number.to_bytes(8, "big") + content, "sha256")

    def _send_bytes(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise ConnectionLost(f"the connection is broken: {error.strerror or error}") from None

    def _receive_bytes(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            try:
                piece = self._socket.recv(count - len(parts))
            except OSError as error:
                why = "it does not answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
                raise ConnectionLost(why) from None
            if not piece:
                raise ConnectionLost("the connection was closed")
            parts += piece
        return bytes(parts)
