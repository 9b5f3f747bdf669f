"""Whether a drive gives up on a bad sector before the kernel gives up on the drive. Pure."""

from __future__ import annotations

from raidctl.model import Drive

SAFE_TIMEOUT = 180
"""Seconds; longer than any drive is known to retry."""


def gives_up_first(drive: Drive) -> bool | None:
    """Whether the drive's limit ends its retries before the kernel's timeout. None if it is unknown.

    A limit of 0 means that there is none. The drive then needs a timeout that is longer than any drive is known to
    retry.
    """
    limit, timeout = drive.error_recovery_seconds, drive.block.command_timeout_seconds if drive.block else None
    if timeout is None:
        return None
    if limit:
        return limit < timeout
    return True if timeout >= SAFE_TIMEOUT else None if limit is None else False
