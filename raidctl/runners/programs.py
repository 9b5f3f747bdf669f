"""Where programs are looked for."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from raidctl.request import CHANGEABLE

SYSTEM_PATH = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin", "/opt/bin")
"""Where an administrator's programs are, whatever PATH says."""
_HOPS = 40
"""Links on the way to a file at most, as the kernel has it."""


def search_path() -> tuple[str, ...]:
    """The directories of PATH and then an administrator's own, each once.

    Left out are a relative directory, one that cannot be entered (what is searched there ends in "permission denied"
    where "not found" is meant) and, for root, one in which others could put a program.
    """
    given = [
        path
        for path in os.environ.get("PATH", "").split(":")
        if path.startswith("/") and os.access(path, os.X_OK) and (path in SYSTEM_PATH or not changeable(path))
    ]
    return tuple(dict.fromkeys((*given, *SYSTEM_PATH)))


def changeable(path: str) -> str:
    """For root: which part of a path others than root can exchange, links included; empty if none, or for others.

    A directory of `SYSTEM_PATH` is trusted, and whoever owns ``/`` is root (or, in a user namespace, root outside).
    """
    if os.geteuid() != 0:
        return ""
    place = Path(os.path.abspath(path))  # noqa: PTH100 - without following links
    try:
        owners = (0, Path("/").lstat().st_uid)
        for _ in range(_HOPS):
            link = None
            for part in (place, *place.parents):
                if str(part) in SYSTEM_PATH:
                    break
                state = part.lstat()
                if state.st_uid not in owners or _others_write(state):
                    return str(part)
                link = part if stat.S_ISLNK(state.st_mode) else link
            if link is None:
                return ""
            place = Path(os.path.normpath(link.parent / link.readlink() / place.relative_to(link)))
    except OSError:
        pass
    return str(place)


def _others_write(state: os.stat_result) -> bool:
    """Whether a group or everybody may change a file, or exchange what root has in a directory."""
    sticky = stat.S_ISDIR(state.st_mode) and state.st_mode & stat.S_ISVTX
    return not (stat.S_ISLNK(state.st_mode) or sticky) and bool(state.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def first_program(paths: Iterable[str], *, trusted: bool = True) -> str | None:
    """The first of some full paths that this user can execute.

    Args:
        paths: Where to look.
        trusted: Whether one that others than root can change is passed over (`changeable`).

    Raises:
        PermissionError: There is none, but there is one that others may execute, or that is not trusted.
    """
    refused: PermissionError | None = None
    for path in paths:
        try:
            state = Path(path).stat()
        except OSError:  # not there, or in a directory that may not be entered
            continue
        if not stat.S_ISREG(state.st_mode) or not os.access(path, os.X_OK):
            refused = refused or PermissionError(13, "Permission denied", path)
            continue
        part = changeable(path) if trusted else ""
        if not part:
            return path
        refused = PermissionError(13, f"{part} {CHANGEABLE}", path)
    if refused is not None:
        raise refused
    return None
