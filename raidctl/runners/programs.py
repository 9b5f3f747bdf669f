"""Where programs are looked for."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

SYSTEM_PATH = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin", "/opt/bin")
"""Where an administrator's programs are, whatever PATH says."""


def search_path() -> tuple[str, ...]:
    """The directories of PATH and then an administrator's own, each once.

    Left out are a relative directory, one that cannot be entered (what is searched there ends in "permission denied"
    where "not found" is meant) and, for root, one in which another user could put a program.
    """
    given = [
        path for path in os.environ.get("PATH", "").split(":") if path.startswith("/") and os.access(path, os.X_OK)
    ]
    if os.geteuid() == 0:
        given = [path for path in given if path in SYSTEM_PATH or _roots_own(path)]
    return tuple(dict.fromkeys((*given, *SYSTEM_PATH)))


def _roots_own(path: str) -> bool:
    try:
        state = Path(path).stat()
    except OSError:
        return False
    return state.st_uid == 0 and not state.st_mode & stat.S_IWOTH


def first_program(paths: Iterable[str]) -> str | None:
    """The first of some full paths that this user can execute.

    Raises:
        PermissionError: There is none, but there is one that others may execute.
    """
    refused = None
    for path in paths:
        try:
            state = Path(path).stat()
        except OSError:  # not there, or in a directory that may not be entered
            continue
        if stat.S_ISREG(state.st_mode) and os.access(path, os.X_OK):
            return path
        refused = refused or path
    if refused is not None:
        raise PermissionError(13, "Permission denied", refused)
    return None
