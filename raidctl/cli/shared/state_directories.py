"""The directory of snapshots, of the journal, and of what else is kept."""

from __future__ import annotations

import os
from pathlib import Path

from raidctl.change.state_place import DANGLING_LINK, is_missing
from raidctl.cli.shared.machine import demo_directory
from raidctl.cli.shared.options import Settings
from raidctl.errors import AccessMissing


def state_directory(settings: Settings) -> Path:
    """Return the directory of the journal, for writing; it is created. A simulated machine has a separate one."""
    from raidctl.change.state_directory import directory  # noqa: PLC0415 - only where something is kept

    return demo_directory(settings, settings.demo) if settings.demo else directory(settings.state_dir)


def readable_journal(settings: Settings) -> Path:
    """Return the directory of the journal, for reading. A simulated machine has a separate one.

    Raises:
        AccessMissing: As for :func:`readable_directory`.
    """
    return state_directory(settings) if settings.demo else readable_directory(settings)


def readable_directory(settings: Settings) -> Path:
    """Return this user's state directory, for reading; it is not created.

    Raises:
        AccessMissing: It cannot be read, or is not a directory.
    """
    from raidctl.change.state_directory import default_directory  # noqa: PLC0415 - as above

    place = Path(settings.state_dir).absolute() if settings.state_dir else default_directory()
    try:
        place.stat()
    except FileNotFoundError:
        if is_missing(f"{place}/"):
            return place
        raise AccessMissing(f"The state directory {place} cannot be read: {DANGLING_LINK}") from None
    except OSError as error:
        raise AccessMissing(f"The state directory {place} cannot be read: {error.strerror}.") from None
    if not place.is_dir():
        raise AccessMissing(f"The state directory {place} is not a directory: name another one with --state-dir.")
    if not os.access(place, os.R_OK | os.X_OK):
        raise AccessMissing(f"The state directory {place} cannot be read: this user has no permission.")
    return place
