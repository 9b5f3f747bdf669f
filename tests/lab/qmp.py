"""QEMU's control socket: one command, one reply."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from tests.lab.places import LabError


class Qmp:
    """A connection to a running QEMU."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(60)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("rb")
        self._lines.readline()  # {"QMP": {"version": …}}
        self("qmp_capabilities")

    def __enter__(self) -> Qmp:  # noqa: PYI034  typing has Self from 3.11 on
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()
        self._socket.close()

    def __call__(self, execute: str, **arguments: Any) -> Any:
        """Send a command and return its result; events in between are ignored."""
        self._socket.sendall(json.dumps({"execute": execute, "arguments": arguments}).encode() + b"\n")
        for line in self._lines:
            answer = json.loads(line)
            if "error" in answer:
                raise LabError(f"QEMU refused {execute}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]
        return None  # "quit" may end the connection before its answer
