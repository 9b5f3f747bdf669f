"""The host's end of the virtio-serial port of a machine's agent."""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import socket
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.lab.places import LabError


class GuestDied(LabError):
    """The machine ended, or was reset, while a reply was awaited."""


class Link:
    """The host's end of the port. It sends requests, and hands replies to the waiting threads."""

    def __init__(self, path: Path, process: subprocess.Popen[bytes]) -> None:
        self._socket = self._connect(path, process)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, queue.Queue[dict[str, Any] | None]] = {}
        self._hello: queue.Queue[bool] = queue.Queue()
        self._awaited = True
        self._lock = threading.Lock()
        self._gone = ""
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def ask(self, op: str, limit: float, words: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its reply; ``queue.Empty`` after the limit."""
        box: queue.Queue[dict[str, Any] | None] = queue.Queue()
        with self._lock:
            if self._gone:
                raise GuestDied(self._gone)
            number = next(self._numbers)
            self._waiting[number] = box
            with contextlib.suppress(OSError):  # the listener notices it and reports it
                self._socket.sendall(json.dumps({**words, "op": op, "id": number}).encode() + b"\n")
        answer = box.get(timeout=limit)
        if answer is None:
            raise GuestDied(self._gone or "it was reset")
        return answer

    def expect_hello(self) -> None:
        """Announce a reset, so that the next hello is expected."""
        self._awaited = True

    def wait_hello(self, limit: float) -> None:
        """Wait until the agent has started; ``queue.Empty`` after the limit."""
        if not self._hello.get(timeout=limit):
            raise GuestDied(self._gone)
        self._awaited = False

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    @staticmethod
    def _connect(path: Path, process: subprocess.Popen[bytes]) -> socket.socket:
        """Connect, as soon as QEMU has created the socket."""
        for _ in range(500):
            link = socket.socket(socket.AF_UNIX)
            if link.connect_ex(str(path)) == 0:
                return link
            link.close()
            if process.poll() is not None:
                break
            time.sleep(0.02)
        raise GuestDied(
            f"QEMU ended with {process.poll()}: {(path.parent / 'qemu').read_text(errors='replace')[-2000:]}"
        )

    def _listen(self) -> None:
        """Receive replies until the socket ends."""
        with contextlib.suppress(OSError), self._socket.makefile("rb") as lines:
            for line in lines:
                self._take(json.loads(line))
        self._end("it is off")

    def _take(self, answer: dict[str, Any]) -> None:
        if "hello" in answer:
            self._end("" if self._awaited else "it has restarted unexpectedly")
            self._hello.put(True)
            return
        with self._lock:
            box = self._waiting.pop(answer["id"], None)
        if box is not None:
            box.put(answer)

    def _end(self, why: str) -> None:
        """End all waiting requests without a reply."""
        with self._lock:
            self._gone = why
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for box in waiting:
            box.put(None)
        if why:
            self._hello.put(False)
