"""The place of the state directory, its files, and whether they exist. Nothing is created, locked or read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

ROOT_PLACE = "/var/lib/raidctl"
JOURNAL = "journal.jsonl"
CHECKS = "checks.jsonl"
"""Results of checks."""
DANGLING_LINK = "it is, or is behind, a link to something that does not exist. Is its file system mounted?"
"""Why a file is not read that is not known to be missing."""


def default_place() -> str:
    """Return this user's state directory. A ``~`` at its beginning is not expanded."""
    if os.geteuid() == 0:
        return ROOT_PLACE
    home = os.environ.get("XDG_STATE_HOME", "")
    return f"{home if home.startswith('/') else '~/.local/state'}/raidctl"


def are_missing(named: str | None, files: Iterable[str]) -> bool:
    """Whether a state directory has none of these files. One that cannot be looked for counts as present."""
    place = named or os.path.expanduser(default_place())  # noqa: PTH111 - pathlib takes long to import
    return all(is_missing(f"{place}/{file}") for file in files)


def is_missing(path: str) -> bool:
    """Whether the system reports that there is no such file. With a final slash, it has to be a directory.

    The target of a dangling link does not count as missing: its file system may not be mounted yet.
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return not _is_dangling(path)
    except OSError:
        return False
    return False


def _is_dangling(path: str) -> bool:
    """Whether the last existing part of a path is a dangling link."""
    while path := path.rstrip("/"):
        try:
            link = stat.S_ISLNK(os.lstat(path).st_mode)
        except OSError:
            path = path.rpartition("/")[0]
            continue
        try:
            os.lstat(f"{path}/")
        except OSError:
            return link
        return False
    return False
