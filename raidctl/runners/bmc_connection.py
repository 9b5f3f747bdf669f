"""HTTPS requests to a service processor, by the standard library.

This includes the certificate, limits and redirects.
"""

from __future__ import annotations

import hashlib
import http.client
import queue
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from raidctl.errors import UsageError
from raidctl.request import GET_LIMIT, Failure
from raidctl.text import regex

REQUEST_SECONDS = 30.0
"""Longest time for one request, from the connection to the last byte."""
_REDIRECTS = 3
_MOVED = frozenset({301, 302, 303, 307, 308})
_DIGITS = regex(r"[0-9a-f]{64}")
_CHUNK = 1 << 16


class Address(Struct, frozen=True):
    """The address of a service processor, and the user."""

    host: str
    port: int = 443
    user: str | None = None


def address_of(text: str) -> Address:
    """Read ``https://[user@]HOST[:PORT]``.

    Raises:
        UsageError: It is something else, or has a password in it.
    """
    form = "--bmc takes https://[USER@]HOST"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise UsageError(f"{form}, not {text}.") from None
    if parts.password is not None:
        raise UsageError(f"{form} without the password, which others could see: use --bmc-password-file.")
    if parts.scheme != "https" or not parts.hostname or parts.path.rstrip("/") or parts.query or parts.fragment:
        raise UsageError(f"{form}, not {text}.")
    if any(char <= " " or char == "\x7f" for char in text):
        raise UsageError(f"{form}, without blanks.")
    return Address(parts.hostname, port or 443, parts.username or None)


class Trust(Struct, frozen=True):
    """The way to check the certificate: authorities or a fingerprint.

    The authorities are the system's or those of a file.
    """

    authorities: str | None = None
    """File with certificates in PEM."""
    fingerprint: str | None = None
    """SHA-256 of the certificate in 64 lower-case digits. Without authorities, it alone counts."""

    def context(self) -> ssl.SSLContext:
        """The settings of the connection.

        Raises:
            UsageError: The file has no certificates.
        """
        try:
            context = ssl.create_default_context(cafile=self.authorities)
        except OSError as error:  # SSLError is one
            raise UsageError(f"--bmc-ca {self.authorities} cannot be used: {error.strerror or error}.") from None
        if self.fingerprint is not None and self.authorities is None:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context


def fingerprint_of(text: str) -> str:
    """Read a SHA-256 fingerprint, with or without colons.

    Raises:
        UsageError: It is not a fingerprint.
    """
    digits = text.strip().lower().removeprefix("sha256:").replace(":", "").replace(" ", "")
    if not _DIGITS.fullmatch(digits):
        raise UsageError("--bmc-fingerprint takes the 64 hexadecimal digits of a SHA-256 fingerprint.")
    return digits


class Reply(Struct, frozen=True, kw_only=True):
    """The result of a request: a status with body, or a failure."""

    status: int | None = None
    data: bytes = b""
    headers: Mapping[str, str] = {}
    """Names in lower case."""
    failure: Failure | None = None
    detail: str = ""
    passing: bool = False
    """Whether the failure is temporary: refused, timed out, closed."""

    @property
    def retry_after(self) -> str:
        """``30 s``; empty: not reported."""
        after = self.headers.get("retry-after", "").strip()[:40]
        return f"{after} s" if after.isdigit() else after


class _FingerprintError(Exception):
    """The certificate differs from the given fingerprint."""


class Client:
    """Connections to one service processor, kept for the next request. Thread-safe."""

    def __init__(self, address: Address, trust: Trust, seconds: float) -> None:
        self._address, self._trust, self._seconds = address, trust, seconds
        self._context = trust.context()
        self._idle: queue.SimpleQueue[http.client.HTTPSConnection] = queue.SimpleQueue()

    def get(self, path: str, headers: Mapping[str, str], limit: int = GET_LIMIT) -> Reply:
        """Read a path; redirects are followed if they stay on this host."""
        reply = Reply()
        for _ in range(_REDIRECTS + 1):
            reply = self.send("GET", path, headers, limit=limit)
            if reply.status not in _MOVED:
                return reply
            place = reply.headers.get("location", "")
            target = self.path_here(place, path)
            if target is None:
                detail = f"redirects to another host ({place[:120]}), which is not asked"
                return Reply(status=reply.status, failure=Failure.FAILED, detail=detail)
            path = target
        return Reply(status=reply.status, failure=Failure.FAILED, detail=f"redirects more than {_REDIRECTS} times")

    def path_here(self, place: str, base: str = "/") -> str | None:
        """The path of an address on this service. None if it is elsewhere."""
        own = f"https://{self._name}:{self._address.port}"
        try:
            parts = urlsplit(urljoin(f"{own}{base}", place))
            here = (parts.scheme, parts.hostname, parts.port or 443)
        except ValueError:
            return None
        if here != ("https", self._address.host.lower(), self._address.port):
            return None
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        return path if path.startswith("/") and path.isprintable() and path.isascii() else None

    @property
    def _name(self) -> str:
        return f"[{self._address.host}]" if ":" in self._address.host else self._address.host

    def send(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None, limit: int = GET_LIMIT
    ) -> Reply:
        """Send one request; never raises for what the service does."""
        end = time.monotonic() + self._seconds
        try:
            connection, fresh = self._connection(), False
        except queue.Empty:
            connection, fresh = (
                http.client.HTTPSConnection(
                    self._address.host, self._address.port, context=self._context, timeout=self._seconds
                ),
                True,
            )
        try:
            return self._exchange(connection, (method, path, body, headers), limit, end)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as error:
            connection.close()
            # a kept connection may have been closed meanwhile: a reading is sent again
            if not fresh and method == "GET":
                return self.send(method, path, headers, body, limit)
            return self._failed(error, end)
        except Exception as error:  # noqa: BLE001 - an error in the reply fails only this request
            connection.close()
            return self._failed(error, end)

    def close(self) -> None:
        """Close the kept connections."""
        with suppress(queue.Empty):
            while True:
                self._connection().close()

    def _connection(self) -> http.client.HTTPSConnection:
        return self._idle.get_nowait()

    def _exchange(
        self, connection: http.client.HTTPSConnection, request: tuple[str, str, bytes | None, Mapping[str, str]],
        limit: int, end: float,
    ) -> Reply:  # fmt: skip
        method, path, body, headers = request
        if connection.sock is None:
            connection.connect()
            if connection.sock is not None:
                self._check(connection.sock)
        # each read has the time limit of the socket; this ends a service that sends single bytes slowly
        watchdog = threading.Timer(max(end - time.monotonic(), 0.01), _cut, [connection.sock])
        watchdog.daemon = True
        watchdog.start()
        try:
            connection.request(method, path, body, {"Accept": "application/json", "OData-Version": "4.0", **headers})
            response = connection.getresponse()
            data = _body(response, limit)
        finally:
            watchdog.cancel()
        if time.monotonic() >= end:
            raise TimeoutError  # data after the end of the connection is not a reply
        named = {name.lower(): value for name, value in response.getheaders()}
        if len(data) > limit:
            connection.close()
            detail = f"more than {limit} bytes"
            return Reply(status=response.status, data=data[:limit], failure=Failure.FLOOD, detail=detail)
        if response.isclosed() and not response.will_close:
            self._idle.put(connection)
        else:
            connection.close()
        return Reply(status=response.status, data=data, headers=named)

    def _check(self, connected: socket.socket) -> None:
        wanted = self._trust.fingerprint
        if wanted is not None and (found := _fingerprint(connected)) != wanted:
            raise _FingerprintError(
                f"its certificate has the SHA-256 fingerprint {_colons(found)}, not the one of --bmc-fingerprint"
            )

    def _failed(self, error: Exception, end: float) -> Reply:
        if isinstance(error, TimeoutError) or time.monotonic() >= end:
            return Reply(failure=Failure.TIMEOUT, detail=f"no answer after {self._seconds:g} s", passing=True)
        if isinstance(error, _FingerprintError):
            return Reply(failure=Failure.FAILED, detail=f"{error}. Nothing was sent.")
        if isinstance(error, ssl.SSLCertVerificationError):
            return Reply(failure=Failure.FAILED, detail=self._untrusted(error))
        if isinstance(error, http.client.IncompleteRead):
            return Reply(failure=Failure.FAILED, detail="the answer was cut off", data=error.partial, passing=True)
        if isinstance(error, ssl.SSLError):
            return Reply(failure=Failure.FAILED, detail=f"no TLS connection ({error.reason or error})")
        if isinstance(error, http.client.HTTPException):
            why = str(error)[:80] or type(error).__name__
            return Reply(failure=Failure.FAILED, detail=f"its answer is not HTTP ({why})")
        why = str(getattr(error, "strerror", None) or error)[:120]
        return Reply(failure=Failure.FAILED, detail=f"no connection ({why})", passing=isinstance(error, OSError))

    def _untrusted(self, error: ssl.SSLCertVerificationError) -> str:
        why = f"its certificate is not trusted ({error.verify_message})"
        own = ssl.create_default_context()
        own.check_hostname, own.verify_mode = False, ssl.CERT_NONE
        place = (self._address.host, self._address.port)
        try:
            with (
                socket.create_connection(place, self._seconds) as plain,
                own.wrap_socket(plain, server_hostname=self._address.host) as wrapped,
            ):
                found = _colons(_fingerprint(wrapped))
        except OSError:
            return f"{why}. Give the authority's certificate by --bmc-ca, or the fingerprint by --bmc-fingerprint."
        return (
            f"{why}. Give the authority's certificate by --bmc-ca; or compare this SHA-256 fingerprint with the one "
            f"that the service processor shows on its own page, and give it by --bmc-fingerprint: {found}."
        )


def _body(response: http.client.HTTPResponse, limit: int) -> bytes:
    """Read up to one byte more than the limit. An answer that ends early is an error."""
    data = bytearray()
    while len(data) <= limit:
        chunk = response.read(min(_CHUNK, limit + 1 - len(data)))
        if not chunk:
            break
        data += chunk
    if response.length and len(data) <= limit:  # the announced bytes that did not come
        raise http.client.IncompleteRead(bytes(data), response.length)
    return bytes(data)


def _fingerprint(connected: socket.socket) -> str:
    shown = connected.getpeercert(binary_form=True) if isinstance(connected, ssl.SSLSocket) else None
    return hashlib.sha256(shown or b"").hexdigest()


def _colons(digits: str) -> str:
    return ":".join(digits[place : place + 2] for place in range(0, len(digits), 2)).upper()


def _cut(connected: socket.socket) -> None:
    """End a connection from another thread: its reader wakes up."""
    with suppress(OSError):
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
