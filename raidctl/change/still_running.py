"""Whether a program that a killed raidctl has started is still at work: tools have sessions of their own."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

PROCESSES = Path("/proc")
"""Where the kernel lists the processes of this machine."""


def running(argv: tuple[str, ...]) -> bool:
    """Whether a process of this user has these words at the end of its command line; a script's begins with its shell.

    What others start may be named alike, and must not keep anybody from putting a setting back.
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
