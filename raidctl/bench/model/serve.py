"""Serve a model over NBD on a unix socket with accurate timing.

Every operation has a due time; its reply waits for that time and is never early. Late replies do not accumulate: the
client's next request counts as if it had arrived earlier by the same amount, so the model's time advances by due times.
If the host stalls for longer than can be caught up with, the time is reported as lost; see `lateness`.
"""

from __future__ import annotations

import heapq
import itertools
import os
import selectors
import socket
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from raidctl.bench.model import control
from raidctl.bench.model.device import Device
from raidctl.bench.model.lateness import Lateness
from raidctl.bench.model.nbd import Command, Dialogue, Request, dialogue, reply

CATCH_UP = 0.02
"""Seconds of lateness that the next request can make up for. More counts as a stall of the host."""
CHUNK = 1 << 20


@dataclass(eq=False)
class Client:
    """One connection."""

    socket: socket.socket
    dialogue: Dialogue
    received: bytearray = field(default_factory=bytearray)
    unsent: bytearray = field(default_factory=bytearray)
    needs: int = 0
    behind: float = 0.0
    """Seconds by which the last answer was late."""
    closed: bool = False
    under_way: int = 0
    answered: float | None = None
    """Time of the last answer."""
    drops: bool = False
    """Whether a layer between it and the array drops flushes. The layer acknowledges them without forwarding them."""


class Server:
    """One thread that waits for bytes or for the next due answer."""

    def __init__(
        self, device: Device, path: Path, control_path: Path | None = None, dropping: Path | None = None
    ) -> None:
        """Bind the sockets, replacing one left by a dead server. Raise OSError if that fails.

        ``dropping``: a second socket for the same array, through a layer that drops flushes.
        """
        self.device = device
        self.paths = [each for each in (path, control_path, dropping) if each]
        # a SelectSelector waits for microseconds; epoll rounds up to milliseconds
        self._selector = selectors.SelectSelector()
        self._due: list[tuple[float, int, Client, bytes]] = []
        self._number = itertools.count()
        self._clients: set[Client] = set()
        self._last: Client | None = None
        """Who was answered last."""
        self._running = True
        self.lateness = Lateness(time.monotonic())
        self._listen(path, self._accept)
        if control_path:
            self._listen(control_path, self._accept_control)
        if dropping:
            self._listen(dropping, lambda listener: self._accept(listener, drops=True))

    def stop(self) -> None:
        """End `run` at its next iteration."""
        self._running = False

    def run(self) -> None:
        """Serve until `stop`, then close everything and remove the sockets."""
        try:
            while self._running:
                self._turn()
        finally:
            for key in list(self._selector.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]  # only sockets are registered
            self._selector.close()
            for path in self.paths:
                path.unlink(missing_ok=True)

    def power_cut(self) -> int:
        """Lose what no battery protects, and all connections. Return the number of pages (4 KiB) lost."""
        for client in list(self._clients):
            self._close(client)
        self._due.clear()
        return self.device.power_cut(time.monotonic())

    def _turn(self) -> None:
        now = time.monotonic()
        wait = min(0.5, max(0.0, self._due[0][0] - now)) if self._due else 0.5
        for key, events in self._selector.select(wait):
            ready: Callable[[int], None] = key.data
            ready(events)
        now = time.monotonic()
        while self._due and self._due[0][0] <= now:
            due, _, client, answer = heapq.heappop(self._due)
            late = now - due
            client.behind = min(late, CATCH_UP)
            client.under_way -= 1
            client.answered = now
            self._last = client
            self.lateness.add(late, late - client.behind)
            self._send(client, answer)

    def _listen(self, path: Path, accept: Callable[[socket.socket], None]) -> None:
        if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
            _remove_dead(path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(os.fspath(path))
            listener.listen(64)
        except OSError:
            listener.close()
            raise
        listener.setblocking(False)
        self._selector.register(listener, selectors.EVENT_READ, lambda _: accept(listener))

    def _accept(self, listener: socket.socket, *, drops: bool = False) -> None:
        connection, _ = listener.accept()
        connection.setblocking(False)
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            connection.setsockopt(socket.SOL_SOCKET, option, CHUNK)
        client = Client(connection, dialogue(self.device.size), drops=drops)
        self._clients.add(client)
        self._selector.register(connection, selectors.EVENT_READ, lambda events: self._ready(client, events))
        self._advance(client, None)

    def _accept_control(self, listener: socket.socket) -> None:
        """Answer when the command has come. Until then, the array is served."""
        connection, _ = listener.accept()
        self._selector.register(connection, selectors.EVENT_READ, lambda _: self._command(connection))

    def _command(self, connection: socket.socket) -> None:
        self._selector.unregister(connection)
        with connection:
            connection.settimeout(1.0)
            try:
                connection.sendall(control.answer(self, connection.recv(4096)))
            except OSError:
                return

    def _ready(self, client: Client, events: int) -> None:
        if events & selectors.EVENT_WRITE and not client.closed:
            self._send(client, b"")
        if not events & selectors.EVENT_READ or client.closed:
            return
        try:
            data = client.socket.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._close(client)
            return
        client.received += data
        self._serve(client)

    def _serve(self, client: Client) -> None:
        """Send the protocol what it needs, as far as it has arrived."""
        while not client.closed and client.needs and len(client.received) >= client.needs:
            part = bytes(memoryview(client.received)[: client.needs])
            del client.received[: client.needs]
            self._advance(client, part)

    def _advance(self, client: Client, part: bytes | None) -> None:
        """Advance the protocol until it needs bytes again."""
        client.needs = 0
        try:
            reply = client.dialogue.send(part)
            while not isinstance(reply, int):
                if isinstance(reply, Request):
                    self._carry_out(client, reply)
                else:
                    self._send(client, reply)
                reply = client.dialogue.send(None)
            client.needs = reply
        except StopIteration:
            self._close(client)

    def _carry_out(self, client: Client, request: Request) -> None:
        real = time.monotonic()
        if client.answered is not None and not client.under_way:
            self.lateness.record_client_time(real - client.answered)
        client.under_way += 1
        now = real - self._delay(client)
        data = b""
        if request.command is Command.READ:
            due, data = self.device.read(now, request.offset, request.size)
        elif request.command is Command.WRITE:
            due = self.device.write(now, request.offset, request.data, durable=request.durable and not client.drops)
        elif client.drops:
            due = now + self.device.plan.latency
        else:
            due = self.device.flush(now)
        heapq.heappush(self._due, (due, next(self._number), client, reply(request.handle, 0, data)))

    def _delay(self, client: Client) -> float:
        """Seconds by which a late earlier reply delayed a request.

        Without other requests under way, it has waited for the last reply on any connection, as the client may
        alternate between connections.
        """
        waited = client if self._due or self._last is None else self._last
        return waited.behind

    def _send(self, client: Client, data: bytes) -> None:
        if client.closed:
            return
        client.unsent += data
        try:
            while client.unsent:
                sent = client.socket.send(client.unsent)
                del client.unsent[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self._close(client)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.unsent else 0)
        key = self._selector.get_key(client.socket)
        if key.events != wanted:
            self._selector.modify(client.socket, wanted, key.data)

    def _close(self, client: Client) -> None:
        if not client.closed:
            client.closed = True
            self._clients.discard(client)
            self._selector.unregister(client.socket)
            client.socket.close()


def _remove_dead(path: Path) -> None:
    """Remove a socket without a listener."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        else:
            raise FileExistsError(f"{path} is being served already")
