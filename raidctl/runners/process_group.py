"""Process groups: a program and its children."""

from __future__ import annotations

import contextlib
import os


def send(group: int, number: int) -> bool:
    """Signal every process of a group; return whether any could be signalled."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def alive(group: int) -> bool:
    """Whether a process of the group is still running.

    A zombie counts as ended: in a container without an init, it is never reaped.
    """
    return send(group, 0) and any(_runs_in(group, entry) for entry in os.listdir("/proc") if entry.isdecimal())


def marked(mark: bytes) -> list[int]:
    """Return the processes with an environment variable ``NAME=value``. Those outside of the group are included."""
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            if mark in _contents(f"/proc/{int(entry)}/environ").split(b"\0"):
                found.append(int(entry))
    return found


def _runs_in(group: int, entry: str) -> bool:
    with contextlib.suppress(OSError, ValueError, IndexError):
        # 4711 (a name (of sorts)) S 1 4711 4711 0 -1 …
        state, _, number = _contents(f"/proc/{entry}/stat").rpartition(b")")[2].split()[:3]
        return int(number) == group and state not in b"ZX"
    return False


def _contents(path: str) -> bytes:
    with open(path, "rb") as opened:
        return opened.read()
