"""Check whether a tool that a killed raidctl started is still running. Tools have separate sessions."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

PROCESSES = Path("/proc")
"""The kernel's list of processes."""


def running(argv: tuple[str, ...]) -> bool:
    """Whether a process of this user has this command line. It ends with these words; a script's begins with its shell.

    Other users' processes do not count: with such a name anybody could block the restore.
    """
    if not argv:
        return False
    name, rest = argv[0].rpartition("/")[2], list(argv[1:])
    for path in PROCESSES.glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.parent.stat().st_uid != os.geteuid():
                continue
            words = path.read_bytes().decode("utf-8", errors="replace").rstrip("\0").split("\0")
            head = words[: len(words) - len(rest)]
            if head and words[len(head) :] == rest and head[-1].rpartition("/")[2] == name:
                return True
    return False
