"""A served model in a separate process, and a small NBD client."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from raidctl.bench.model import control, nbd
from tests.support.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[2]
SLOW_CLIENT_MS = 2.0
"""Milliseconds by which one in a hundred requests is too late. Half a revolution at 15000 rpm is lost then."""


class Client:
    """One connection, for one operation at a time. An error of the server is an OSError."""

    def __init__(self, path: Path) -> None:
        """Connect and negotiate."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE)
        self._socket.connect(os.fspath(path))
        assert self._take(18)[:16] == nbd.GREETING
        self._socket.sendall(struct.pack(">I8sII", 3, b"IHAVEOPT", nbd.OPT_EXPORT_NAME, 0))
        self.size, self.flags = struct.unpack(">QH", self._take(10))

    def read(self, offset: int, size: int) -> bytes:
        """Read."""
        self._ask(nbd.Command.READ, offset, size)
        return self._take(size)

    def write(self, offset: int, data: bytes, *, durable: bool = False) -> None:
        """Write; ``durable`` sets force unit access."""
        self._ask(nbd.Command.WRITE, offset, len(data), data, flags=nbd.FUA if durable else 0)

    def flush(self) -> None:
        """Flush."""
        self._ask(nbd.Command.FLUSH, 0, 0)

    def close(self) -> None:
        """Disconnect."""
        self._socket.close()

    def _ask(self, command: nbd.Command, offset: int, size: int, data: bytes = b"", flags: int = 0) -> None:
        self._socket.sendall(struct.pack(">IHHQQI", nbd.REQUEST_MAGIC, flags, command, 7, offset, size) + data)
        magic, error, handle = struct.unpack(">IIQ", self._take(16))
        assert (magic, handle) == (nbd.SIMPLE_MAGIC, 7)
        if error:
            raise OSError(error, os.strerror(error))

    def _take(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            part = self._socket.recv(min(1 << 20, count - len(parts)))
            if not part:
                raise ConnectionError("the server closed the connection")
            parts += part
        return bytes(parts)


class Model:
    """A served model and its sockets."""

    def __init__(self, folder: Path, words: Sequence[str]) -> None:
        """Start it with its sockets in ``folder`` and these arguments."""
        self.socket, self.control, self.dropping = folder / "nbd", folder / "control", folder / "dropping"
        command = [sys.executable, "-m", "raidctl.bench.model", "--socket", str(self.socket)]
        command += ["--no-flush-socket", str(self.dropping)]
        self.process = subprocess.Popen([*command, "--control", str(self.control), *words], cwd=ROOT)
        self._clients: list[Client] = []

    def client(self) -> Client:
        """Return a new connection, which ``end`` closes."""
        self._clients.append(Client(self.socket))
        return self._clients[-1]

    def end(self) -> None:
        """Close the connections and end the process."""
        for client in self._clients:
            client.close()
        self.process.terminate()
        self.process.wait(PATIENCE)

    def say(self, words: str) -> dict[str, Any]:
        """Send a command to its control socket."""
        return control.ask(self.control, words, PATIENCE)

    def too_slow(self) -> bool:
        """Whether the host was too slow since the last reset.

        A delay of either the model or the client counts.
        """
        found = self.say("status")["lateness"]
        return bool(found["host_too_slow"]) or float(found["client_p99_ms"]) > SLOW_CLIENT_MS


@contextmanager
def prompt() -> Iterator[None]:
    """Give this process real-time priority, if permitted. The client is then not the slow part."""
    before = os.sched_getscheduler(0)
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, before, os.sched_param(0))


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[Model]:
    """Start a model with these arguments, and end it."""
    model = Model(folder, words)
    try:
        wait_for(model)
        yield model
    finally:
        model.end()


def wait_for(model: Model) -> None:
    """Wait until it responds; fails if it ended instead."""

    def responds() -> bool:
        assert model.process.poll() is None, "the model ended at once"
        try:
            model.say("status")
        except OSError:
            return False
        return True

    until(responds)
