"""The directory of this user's snapshots."""

from __future__ import annotations

import os
from pathlib import Path

from raidctl.change.state_place import LEADS_NOWHERE, is_missing
from raidctl.cli.shared.options import Settings
from raidctl.errors import AccessMissing


def kept_place(settings: Settings) -> Path:
    """Return the state directory, for reading; it is not created.

    Raises:
        AccessMissing: It is another user's, or no directory.
    """
    from raidctl.change.state_directory import default_directory  # noqa: PLC0415 - only where something is kept

    place = Path(settings.state_dir).absolute() if settings.state_dir else default_directory()
    try:
        place.stat()
    except FileNotFoundError:
        if is_missing(f"{place}/"):
            return place
        raise AccessMissing(f"The state directory {place} cannot be read: {LEADS_NOWHERE}") from None
    except OSError as error:
        raise AccessMissing(f"The state directory {place} cannot be read: {error.strerror}.") from None
    if not place.is_dir():
        raise AccessMissing(f"The state directory {place} is not a directory: name another one with --state-dir.")
    if not os.access(place, os.R_OK | os.X_OK):
        raise AccessMissing(f"The state directory {place} cannot be read: it is another user's.")
    return place
