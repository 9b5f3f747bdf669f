"""The record of a power-cut session that ended because its witness was gone. No witness can record that."""

from __future__ import annotations

import os
from pathlib import Path

from raidctl.change.state_directory import directory, sync
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.state_directories import readable_directory
from raidctl.errors import RaidctlError

FILE = "powercut-left"


def left(settings: Settings) -> str | None:
    """Return the run whose last session ended in this way; None: none is known."""
    try:
        return (readable_directory(settings) / FILE).read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError, RaidctlError):
        return None


def keep(settings: Settings, run: str) -> bool:
    """Save the run's id, synced; return whether that succeeded."""
    try:
        place = directory(settings.state_dir)
        handle = os.open(place / FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(f"{run}\n")
            file.flush()
            os.fsync(file.fileno())
        sync(place)
    except (OSError, RaidctlError):
        return False
    return True


def forget(settings: Settings) -> None:
    """Remove the file: the session is checked, or another one begins."""
    try:
        Path(readable_directory(settings) / FILE).unlink(missing_ok=True)
    except (OSError, RaidctlError):
        return
