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


class Rubbish(CannotTell):
    """The received bytes are not from a raidctl with the same token."""


class Gone(CannotTell):
    """The other side has closed the connection, or is silent."""


class Wire:
    """One end of a connection.

    Args:
        plug: A connected socket, with its time limit.
        token: The secret that both sides have.
        witness: Whether this is the witness's end.

    Raises:
        Rubbish: The other side does not speak this protocol.
        Gone: It has closed the connection.
    """

    def __init__(self, plug: socket.socket, token: bytes, *, witness: bool) -> None:
        self._plug = plug
        self._mine, self._theirs = (b"w", b"c") if witness else (b"c", b"w")
        self._sent = self._received = 0
        self._lock = threading.Lock()
        own = secrets.token_bytes(_NONCE)
        self._put(MAGIC + own)
        if self._some(len(MAGIC)) != MAGIC:
            raise Rubbish("the other side is not a raidctl of this version")
        other = self._some(_NONCE)
        both = own + other if witness else other + own
        self._key = hmac.digest(token, both, "sha256")

    def send(self, message: msgspec.Struct) -> None:
        """Send a message. Raise Gone."""
        content = msgspec.json.encode(message)
        # another thread sends signs of life
        with self._lock:
            code = self._code(self._mine, self._sent, content)
            self._sent += 1
            self._put(len(content).to_bytes(4, "big") + code + content)

    def receive(self, kind: Any) -> Any:
        """Receive a message of one of these types.

        Raises:
            Rubbish: It is none, or its code is wrong.
            Gone: There is none.
        """
        size = int.from_bytes(self._some(4), "big")
        if size > LARGEST:
            raise Rubbish(f"a message of {size} bytes is announced")
        code, content = self._some(_CODE), self._some(size)
        if not hmac.compare_digest(code, self._code(self._theirs, self._received, content)):
            raise Rubbish("its token is different")
        self._received += 1
        try:
            return json_decode.decode(content, kind)
        except msgspec.MsgspecError as error:
            raise Rubbish(f"a message cannot be understood: {error}") from None

    def close(self) -> None:
        """Close the connection; a thread that waits for a message ends."""
        try:
            self._plug.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        finally:
            self._plug.close()

    def _code(self, direction: bytes, number: int, content: bytes) -> bytes:
        return hmac.digest(self._key, direction + number.to_bytes(8, "big") + content, "sha256")

    def _put(self, data: bytes) -> None:
        try:
            self._plug.sendall(data)
        except OSError as error:
            raise Gone(f"the connection is broken: {error.strerror or error}") from None

    def _some(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            try:
                piece = self._plug.recv(count - len(parts))
            except OSError as error:
                why = "it does not answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
                raise Gone(why) from None
            if not piece:
                raise Gone("the connection was closed")
            parts += piece
        return bytes(parts)
