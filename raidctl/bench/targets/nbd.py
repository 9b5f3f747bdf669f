"""An NBD export as a target: ``nbd+unix:///NAME?socket=PATH`` or ``nbd://127.0.0.1:PORT/NAME``.

Exports can be measured without permissions on the machine, for example a model of an array with known properties. Only
servers on this machine are accepted: through a network, the benchmark would measure the network.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import parse_qs, unquote, urlsplit

from raidctl.bench.targets.nbd_link import Export, Link, negotiate
from raidctl.bench.targets.signatures import EDGE, foreign
from raidctl.errors import BenchError, UsageError
from raidctl.text import printable

SCHEMES = ("nbd", "nbd+unix")
PORT = 10809


@dataclass(frozen=True)
class Address:
    """Address of an export."""

    export: str
    path: str | None = None
    """A unix socket."""
    host: str = "127.0.0.1"
    port: int = PORT


def address_of(uri: str) -> Address:
    """The address in a URI.

    Raises:
        UsageError: It names none, or one on another machine.
    """
    shown = printable(uri)
    try:
        parts = urlsplit(uri)
        port = parts.port or PORT
    except ValueError:
        raise UsageError(
            f'"{shown}" is not an NBD URI: nbd://127.0.0.1:PORT/NAME or nbd+unix:///NAME?socket=PATH.'
        ) from None
    export = unquote(parts.path.removeprefix("/"))
    if parts.scheme == "nbd+unix":
        paths = parse_qs(parts.query).get("socket", [])
        if len(paths) != 1:
            raise UsageError(f'"{shown}" names no socket: nbd+unix:///NAME?socket=PATH.')
        return Address(export, paths[0])
    if parts.scheme != "nbd" or not parts.hostname:
        raise UsageError(f'"{shown}" is not an NBD URI: nbd://127.0.0.1:PORT/NAME or nbd+unix:///NAME?socket=PATH.')
    host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname
    if not _loopback(host):
        raise UsageError(f'"{shown}" is not on this machine: only loopback addresses are measured.')
    return Address(export, None, host, port)


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read(link: Link, first: int, length: int) -> bytes:
    """Read in blocks that the server accepts."""
    most, end = link.export.largest, first + length
    return b"".join(link.read(at, min(most, end - at)) for at in range(first, end, most))


class NbdTarget:
    """An export of an NBD server on this machine.

    Args:
        uri: Its address.
        write: Whether the user allows writing; otherwise it is only read.

    Raises:
        UsageError: The URI names nothing on this machine.
    """

    kind = "nbd"
    base = 0
    direct = True
    """No page cache of this machine is involved. That of the server is unknown."""

    def __init__(self, uri: str, *, write: bool = False) -> None:
        self.name = uri
        self._address = address_of(uri)
        self._write = write
        self._export: Export | None = None

    def __enter__(self) -> NbdTarget:  # noqa: PYI034 - Self is not in the typing of Python 3.10
        """Query the export, and before writing check whether it holds data.

        Raises:
            BenchError: It cannot be reached, or holds data that raidctl did not write.
        """
        link = self.connect()
        try:
            self._export = link.export
            if self._write:
                self._refuse_data(link)
        finally:
            link.close()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: each worker has a separate connection."""

    def _refuse_data(self, link: Link) -> None:
        shown, size = printable(self.name), link.export.size
        if link.export.read_only:
            raise BenchError(f"{shown} is exported read-only: it can only be read.")
        try:
            edge = min(EDGE, size)
            found = foreign(_read(link, 0, edge), _read(link, size - edge, edge))
        except OSError as error:
            raise BenchError(f"{shown} could not be checked before writing: {error.strerror}.") from None
        if found:
            raise BenchError(f"{shown} is not written to: {found}.")

    def connect(self) -> Link:
        """Open a connection; each process needs one.

        Raises:
            BenchError: It cannot be reached, or the server refuses.
        """
        where = self._address
        connection = socket.socket(
            socket.AF_UNIX if where.path else socket.AF_INET6 if ":" in where.host else socket.AF_INET
        )
        try:
            if where.path:
                connection.connect(where.path)
            else:
                connection.connect((where.host, where.port))
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            connection.close()
            reason = error.strerror or error
            raise BenchError(f"No NBD server can be reached at {printable(self.name)}: {reason}.") from None
        return negotiate(connection, where.export)

    @property
    def export(self) -> Export:
        """The server's description of the export. Raise BenchError before entering."""
        if self._export is None:
            raise BenchError(f"{printable(self.name)} has not been opened.")
        return self._export

    @property
    def size(self) -> int:
        """Bytes."""
        return self.export.size

    @property
    def alignment(self) -> int:
        """The server's minimum request size, bytes."""
        return self.export.smallest

    @property
    def writable(self) -> bool:
        """Whether writing is allowed."""
        return self._write and not self.export.read_only
