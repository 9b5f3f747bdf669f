"""Control of a served model over a separate socket. One line of words goes in, one of JSON comes out.

::

    status                   what it is, its policies, its dirty bytes, and how late its answers are
    policy write-back        or write-through: the controller's write policy
    drive-cache on           or off
    read-ahead on            or off: the controller's own
    power-cut                everything volatile is lost, and all connections
    reset                    count the lateness anew
"""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path
from typing import Any, Protocol

from raidctl.bench.model.device import Device
from raidctl.bench.model.lateness import Lateness
from raidctl.json_decode import decode

WORDS = (
    "status",
    "policy write-back",
    "policy write-through",
    "drive-cache on",
    "drive-cache off",
    "read-ahead on",
    "read-ahead off",
    "power-cut",
    "reset",
)


class Served(Protocol):
    """What can be controlled."""

    device: Device
    lateness: Lateness

    def power_cut(self) -> int:
        """Lose what no battery protects; return the number of pages."""


def answer(served: Served, line: bytes) -> bytes:
    """Carry out one line. The answer is a JSON object, with ``error`` if that failed."""
    words = line.decode("utf-8", "replace").split()
    now = time.monotonic()
    result: dict[str, Any]
    try:
        match words:
            case ["status"]:
                result = status(served, now)
            case ["policy", "write-back" | "write-through" as policy]:
                served.device.set_write_back(now, policy == "write-back")
                result = {}
            case ["drive-cache", "on" | "off" as switch]:
                served.device.set_drive_cache(now, switch == "on")
                result = {}
            case ["read-ahead", "on" | "off" as switch]:
                served.device.set_read_ahead(switch == "on")
                result = {}
            case ["power-cut"]:
                result = {"lost_pages": served.power_cut()}
            case ["reset"]:
                served.lateness.reset(now)
                result = {}
            case _:
                result = {"error": f"supported: {', '.join(WORDS)}"}
    except ValueError as error:
        result = {"error": str(error)}
    return json.dumps(result).encode() + b"\n"


def status(served: Served, now: float) -> dict[str, Any]:
    """The model and how well it keeps time."""
    device = served.device
    return {
        **{name: getattr(device.plan, name) for name in ("kind", "level")},
        **{name: getattr(device, name) for name in ("size", "write_back", "drive_cache")},
        "read_ahead": device.reads_ahead,
        "dirty": device.dirty(now),
        "realtime": os.sched_getscheduler(0) == os.SCHED_RR,
        "lateness": served.lateness.report(now),
    }


def ask(path: Path, words: str, timeout: float = 10.0) -> dict[str, Any]:
    """Send one line to a served model. Raise ValueError if it refuses, OSError if nothing responds."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout)
        connection.connect(os.fspath(path))
        connection.sendall(words.encode() + b"\n")
        received = b""
        while not received.endswith(b"\n"):
            part = connection.recv(65536)
            if not part:
                raise ConnectionError("the model closed the connection")
            received += part
    result: dict[str, Any] = decode(received)
    if "error" in result:
        raise ValueError(result["error"])
    return result
