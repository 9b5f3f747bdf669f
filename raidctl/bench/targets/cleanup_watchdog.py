"""Who takes a file away when raidctl itself cannot any more: a shell that waits for the end of this process.

It is needed for signal 9 alone, to which nothing in this process can answer.
"""

from __future__ import annotations

import contextlib

from raidctl.runners.process import Companion

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_SCRIPT = 'read -r _; [ "$(stat -c %d:%i -- "$1" 2>/dev/null)" = "$2" ] && rm -f -- "$1"'
"""Its input ends with this process. Somebody else's file of the same name is another one, and stays."""


class Caretaker:
    """Takes a file away when this process is gone, until it is dismissed.

    Where it cannot be started (a system without a shell) there is none, which nobody needs to know: it matters only
    to a raidctl that is killed, and what one leaves is known by its name.

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
        """The file is gone, or is to stay; more than once does nothing."""
        other, self._other = self._other, None
        if other is not None:
            other.end()
