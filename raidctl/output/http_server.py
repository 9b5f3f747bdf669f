"""Serve the last result over HTTP, refreshed if it is too old.

Tools run in the thread that calls :func:`serve`, the main one, so that a signal that ends raidctl ends them, too; only
requests are answered in separate threads.
"""

from __future__ import annotations

import queue
import socket
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import BoundedSemaphore, Lock, Thread, Timer
from typing import Any, NoReturn
from urllib.parse import parse_qs

from raidctl import __version__
from raidctl.errors import CannotTell, UsageError

LOOPBACK = "127.0.0.1"
_SIGNAL_DELAY = 1
"""Seconds until a signal is noticed, at most."""
_PATIENCE = 10
"""Seconds that a client may take to send its request. The same limit holds for receiving the response."""
CONNECTIONS = 32
"""Clients at a time; further ones are rejected."""
_PAUSE = 0.5
"""Seconds until the next attempt to accept a client. It applies if no file descriptor is left."""
PROBE = "/probe"
"""Path of the pages of targets."""
_BUSY = b"HTTP/1.0 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True)
class Page:
    """A response."""

    body: bytes
    kind: str
    """The Content-Type."""
    status: int = 200


class Refresher:
    """A refresher of a page on request, at most every ``interval`` seconds. Requests in the meantime wait."""

    def __init__(self, scan: Callable[[], Page], interval: float) -> None:
        self._scan = scan
        self._interval = interval
        self._asked: queue.SimpleQueue[Future[Page]] = queue.SimpleQueue()

    def page(self) -> Page:
        """Return the current page; called by the threads that answer requests."""
        future: Future[Page] = Future()
        self._asked.put(future)
        return future.result()

    def run(self) -> NoReturn:
        """Refresh once at the beginning, then on request. It runs until an exception ends it."""
        page, until = self._scan(), time.monotonic() + self._interval
        while True:
            try:
                future = self._asked.get(timeout=_SIGNAL_DELAY)
            except queue.Empty:  # a signal that another thread has received is noticed only when this one wakes up
                continue
            if time.monotonic() >= until:
                page, until = self._scan(), time.monotonic() + self._interval
            future.set_result(page)


class Probes:
    """One page for each allowed target. Requests cause a scan at most every ``interval`` seconds.

    Concurrent requests for one target share a scan; different targets are read in parallel.
    """

    def __init__(self, scan: Callable[[str], Page], allowed: Iterable[str], interval: float) -> None:
        self._scan = scan
        self._interval = interval
        self._locks = {target: Lock() for target in allowed}
        self._pages: dict[str, tuple[float, Page]] = {}

    def page(self, query: str) -> Page:
        """Return the page of ``target=…``; called by the threads that answer requests."""
        targets = parse_qs(query).get("target", [])
        if len(targets) != 1:
            return _plain(400, f"Name one target: {PROBE}?target=HOST.")
        lock = self._locks.get(targets[0])
        if lock is None:
            return _plain(403, "This target is not in the list of targets.")
        with lock:
            until, page = self._pages.get(targets[0], (0.0, None))
            if page is None or time.monotonic() >= until:
                page = self._scan(targets[0])
                self._pages[targets[0]] = time.monotonic() + self._interval, page
        return page


def _plain(status: int, sentence: str) -> Page:
    return Page(f"{sentence}\n".encode(), "text/plain; charset=utf-8", status)


def address(text: str) -> tuple[str, int]:
    """Parse ``127.0.0.1:9809`` or ``[::1]:9809``. A port alone, ``9809`` or ``:9809``, means the loopback.

    Raises:
        UsageError: It is not an address.
    """
    host, _, port = text.rpartition(":")
    number = int(port) if port.isascii() and port.isdecimal() else -1
    bracketed = host.startswith("[") and host.endswith("]")
    if not 0 <= number <= 65535 or (":" in host and not bracketed):
        raise UsageError(f"{text} is not an address to listen on: write 9809, 127.0.0.1:9809 or [::1]:9809.")
    return host.strip("[]") or LOOPBACK, number


def serve(
    place: tuple[str, int], path: str, scans: Refresher, announce: Callable[[str], None], probes: Probes | None = None
) -> NoReturn:
    """Serve ``path`` until an exception or a signal ends it. ``announce`` receives the URL.

    With ``probes``, the pages of targets are served at `PROBE`.

    Raises:
        CannotTell: The address cannot be listened on.
    """
    server = _server(place, path, scans, probes)
    host, port = server.server_address[:2]
    shown = f"[{host!s}]" if ":" in str(host) else str(host)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        announce(f"http://{shown}:{port}{path}")
        scans.run()
    finally:
        server.server_close()  # its threads end with the program; joining them could take forever


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = CONNECTIONS
    loopback = False
    """Whether only this machine can connect."""

    def __init__(self, *arguments: Any) -> None:
        self._free = BoundedSemaphore(CONNECTIONS)
        super().__init__(*arguments)
        self.loopback = _is_loopback(str(self.server_address[0]))

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept the next client. Pause after a failure, which would otherwise be retried at once, forever."""
        try:
            return self.socket.accept()
        except OSError:
            time.sleep(_PAUSE)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, or reject the client."""
        if not self._free.acquire(blocking=False):
            with suppress(OSError):
                request.send(_BUSY, socket.MSG_DONTWAIT)
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread could be started
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make room for the next client."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors of clients that have disconnected."""


def _is_loopback(host: str) -> bool:
    """Whether a name or address, perhaps with a port, means this machine."""
    name = (
        host[1:].partition("]")[0] if host.startswith("[") else host if host.count(":") > 1 else host.partition(":")[0]
    )
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name.lower().rstrip(".") == "localhost"


def _server(place: tuple[str, int], path: str, scans: Refresher, probes: Probes | None = None) -> _Server:
    try:
        family = socket.getaddrinfo(*place, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        kind = type("Server", (_Server,), {"address_family": family})
        server: _Server = kind(place, _handler(path, scans, probes))
    except OSError as error:
        raise CannotTell(f"{place[0]} port {place[1]} cannot be listened on: {error.strerror}.") from error
    return server


def _page(asked: str, path: str, scans: Refresher, probes: Probes | None) -> Page:
    """Return the page at a path."""
    place, _, question = asked.partition("?")
    if place == path:
        return scans.page()
    if place == PROBE and probes is not None:
        return probes.page(question)
    if place == "/":
        link = f'<!doctype html><title>raidctl</title><p><a href="{path}">{path}</a></p>\n'
        return Page(link.encode(), "text/html; charset=utf-8")
    return _plain(404, f"There is only {path} here." if probes is None else f"There are only {path} and {PROBE} here.")


def _handler(path: str, scans: Refresher, probes: Probes | None) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _PATIENCE
        server_version = f"raidctl/{__version__}"
        sys_version = ""

        def handle(self) -> None:
            """Answer one request. A client that sends it byte by byte gets no more time than others."""
            self._late = Timer(_PATIENCE, self._hang_up)
            self._late.daemon = True
            self._late.start()
            try:
                super().handle()
            finally:
                self._late.cancel()

        def _hang_up(self) -> None:
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

        def do_GET(self) -> None:
            """Send the page or a link to it. Refuse requests through a foreign name that resolves to this machine."""
            self._late.cancel()
            named = self.headers.get("Host")
            if named is not None and getattr(self.server, "loopback", False) and not _is_loopback(named):
                self._answer(Page(b"Ask for localhost or 127.0.0.1.\n", "text/plain; charset=utf-8", 403))
                return
            self._answer(_page(self.path, path, scans, probes))

        do_HEAD = do_GET  # noqa: N815 - the standard library's names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as above
            """Log nothing: a line for every scrape would fill the log."""

        def _answer(self, page: Page) -> None:
            self.send_response(page.status)
            self.send_header("Content-Type", page.kind)
            self.send_header("Content-Length", str(len(page.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(page.body)

    return Handler
