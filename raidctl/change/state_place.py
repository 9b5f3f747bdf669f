"""The place of the state directory, its files, and whether they exist. Nothing is created, locked or read."""

from __future__ import annotations

import os
from collections.abc import Iterable

ROOT_PLACE = "/var/lib/raidctl"
JOURNAL = "journal.jsonl"
CHECKS = "checks.jsonl"
"""Results of checks."""


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
    """Whether the system reports that there is no such file. With a final slash, it has to be a directory."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
