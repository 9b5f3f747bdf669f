"""Whether a program that a killed raidctl has started is still at work: tools have sessions of their own."""

from __future__ import annotations

import contextlib
from pathlib import Path

PROCESSES = Path("/proc")
"""Where the kernel lists the processes of this machine."""


def running(argv: tuple[str, ...]) -> bool:
    """Whether a process has these words at the end of its command line; a script's begins with its interpreter."""
    if not argv:
        return False
    name, rest = argv[0].rpartition("/")[2], list(argv[1:])
    for path in PROCESSES.glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().decode("utf-8", errors="replace").rstrip("\0").split("\0")
            head = words[: len(words) - len(rest)]
            if head and words[len(head) :] == rest and head[-1].rpartition("/")[2] == name:
                return True
    return False
