"""Copies of content from before steps that cannot be undone, in ``saved/CHANGE``."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from raidctl.change.state_directory import sync
from raidctl.errors import AccessMissing
from raidctl.text import regex

_NAME = regex(r"[\w.-]{1,120}", re.ASCII)


def keep(place: Path, change: str, name: str, data: bytes) -> tuple[Path, str]:
    """Write a file that belongs to a change. Return its path and the SHA-256 of its content.

    Raises:
        AccessMissing: It cannot be written.
    """
    folder = place / "saved" / change
    path = folder / (name if _NAME.fullmatch(name) else re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)[:120])
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        # the power may fail right after the step: each new directory is an entry of the one above it
        for directory in (folder, folder.parent, place):
            sync(directory)
    except OSError as error:
        raise AccessMissing(f"{path} cannot be written: {error.strerror}.") from None
    return path, hashlib.sha256(data).hexdigest()
