"""Find programs, and check who can change them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence

from raidctl.request import CHANGEABLE

SYSTEM_PATH = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin", "/opt/bin")
"""Directories of administrative programs, searched in addition to PATH."""
_HOPS = 40
"""Most links on the way to a file, as in the kernel."""


def search_path() -> tuple[str, ...]:
    """Return the directories of PATH and then of `SYSTEM_PATH`, each once.

    Left out are relative directories, those that cannot be entered (a search there fails with "permission denied"
    instead of "not found") and, for root, those in which others could place a program.
    """
    given = [
        path
        for path in os.environ.get("PATH", "").split(":")
        if path.startswith("/") and os.access(path, os.X_OK) and (path in SYSTEM_PATH or not changeable(path))
    ]
    return tuple(dict.fromkeys((*given, *SYSTEM_PATH)))


def program_directories() -> tuple[Sequence[str], Sequence[str]]:
    """Return the directories of `search_path`, and those of raidctl's own commands.

    The latter are beside the interpreter (venv), or beside the package (private tree).
    """
    tree = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    return search_path(), (os.path.dirname(sys.executable) or ".", f"{tree}/bin")


def changeable(path: str) -> str:
    """For root, return the part of a path others can change.

    Links are included. It is empty if there is none, or if not root.

    A directory of `SYSTEM_PATH` is trusted, and the owner of ``/`` counts as root (in a user namespace, it is root
    outside).
    """
    if os.geteuid() != 0:
        return ""
    place = os.path.abspath(path)  # without following links
    try:
        owners = (0, os.lstat("/").st_uid)
        for _ in range(_HOPS):
            link = None
            for part in _upwards(place):
                if part in SYSTEM_PATH:
                    break
                state = os.lstat(part)
                if state.st_uid not in owners or _others_write(state):
                    return part
                link = part if stat.S_ISLNK(state.st_mode) else link
            if link is None:
                return ""
            target = os.path.join(os.path.dirname(link), os.readlink(link))
            place = os.path.normpath(os.path.join(target, os.path.relpath(place, link)))
    except OSError:
        pass
    return place


def _as_safe_as_raidctl(path: str) -> bool:
    """Whether a program is one of raidctl's own commands, and others can change raidctl itself.

    An example is ``sudo .venv/bin/raidctl``, with the environment of a user.
    """
    _, own = program_directories()
    beside = os.path.dirname(os.path.realpath(path)) in {os.path.realpath(directory) for directory in own}
    return beside and os.path.basename(path).startswith("raidctl-") and bool(changeable(__file__))


def _upwards(path: str) -> Iterator[str]:
    """A full path and the directories above it, up to the root."""
    yield path
    while (above := os.path.dirname(path)) != path:
        yield (path := above)


def _others_write(state: os.stat_result) -> bool:
    """Whether a group or everybody may change a file or directory.

    In a directory, this means replacing root's files.
    """
    sticky = stat.S_ISDIR(state.st_mode) and state.st_mode & stat.S_ISVTX
    return not (stat.S_ISLNK(state.st_mode) or sticky) and bool(state.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def executable_by_some(path: str) -> bool:
    """Whether at least one user, perhaps only root, can execute a file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH))


def first_program(paths: Iterable[str], *, trusted: bool = True) -> str | None:
    """Return the first of some full paths that this user can execute.

    Args:
        paths: Where to look.
        trusted: Whether to skip a program that others than root can change (`changeable`).

    Raises:
        PermissionError: There is only one that others may execute, or that is not trusted.
    """
    refused: PermissionError | None = None
    for path in paths:
        try:
            state = os.stat(path)
        except OSError:  # missing, or in a directory that cannot be entered
            continue
        if not stat.S_ISREG(state.st_mode) or not os.access(path, os.X_OK):
            if refused is None or not executable_by_some(refused.filename):
                refused = PermissionError(13, "Permission denied", path)
            continue
        part = changeable(path) if trusted else ""
        if not part or _as_safe_as_raidctl(path):
            return path
        refused = PermissionError(13, f"{part} {CHANGEABLE}", path)
    if refused is not None:
        raise refused
    return None
