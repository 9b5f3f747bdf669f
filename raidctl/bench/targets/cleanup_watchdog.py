"""A shell that removes a file if this process could not.

It is needed only for signal 9, which this process cannot handle.
"""

from __future__ import annotations

import contextlib

from raidctl.runners.process import Companion

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_SCRIPT = 'read -r _; [ "$(stat -c %d:%i -- "$1" 2>/dev/null)" = "$2" ] && rm -f -- "$1"'
"""Its input ends with this process. A different file of the same name is kept."""


class CleanupWatchdog:
    """Remove a file when this process ends, unless dismissed.

    If it cannot be started (a system without a shell), this is not reported: it matters only if raidctl is killed, and
    leftovers are recognised by name.

    Args:
        path: The file, absolute.
        made: Its device and inode: no other one is removed.
    """

    def __init__(self, path: str, made: tuple[int, int]) -> None:
        self._other: Companion | None = None
        argv = ("sh", "-c", _SCRIPT, "raidctl-caretaker", path, f"{made[0]}:{made[1]}")
        with contextlib.suppress(OSError):
            self._other = Companion(argv, {"PATH": _PATH, "LC_ALL": "C"})

    def dismiss(self) -> None:
        """Stop watching, since the file is gone or stays; may be repeated."""
        other, self._other = self._other, None
        if other is not None:
            other.end()
