"""Times of events. Each controller has its own clock, without a time zone. Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from raidctl.errors import UsageError
from raidctl.text import regex
from raidctl.units import format_moment, parse_iso

MARGIN = timedelta(hours=14)
"""Maximum difference of a controller's local time from UTC. It applies if the clocks' difference is unknown."""
_LENGTH = regex(r"(\d{1,7})\s*([smhdw])", re.ASCII | re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def difference(clock: str | None, now: datetime | None) -> timedelta | None:
    """The difference to add to a controller's time to get UTC. UTC is by the machine's clock. None: unknown."""
    shown = parse_iso(clock)
    return None if shown is None or now is None else now - shown


def shifted(at: str | None, by: timedelta | None) -> str | None:
    """A controller's time on the machine's clock. None if one of them is unknown."""
    known = parse_iso(at)
    if known is None or by is None:
        return None
    try:
        return format_moment(known + by)
    except OverflowError:
        return None


def cutoff(since: str, now: datetime, booted: str | None) -> datetime:
    """Return the moment for ``--since``.

    Args:
        since: ``90s 30m 2h 3d 1w``, ``boot``, or a date ``2026-05-06``, ``2026-05-06T07:08``, in UTC if without a zone.
        now: The present time of the machine.
        booted: When it was booted, UTC.

    Raises:
        UsageError: It has none of these forms, or the time of the boot is unknown.
    """
    word = since.strip()
    if word.lower() == "boot":
        at = parse_iso(booted)
        if at is None:
            raise UsageError("--since boot: the time of the boot is unknown; give a date or a time such as 2h.")
        return at
    length = _LENGTH.fullmatch(word)
    try:
        if length is not None:
            return now - timedelta(seconds=int(length[1]) * _SECONDS[length[2].lower()])
    except OverflowError:
        pass
    else:
        at = parse_iso(word.replace(" ", "T", 1))
        if at is not None:
            return at
    raise UsageError(f'--since "{since}" is not a time: write 2h, 3d, 2026-05-06, 2026-05-06T07:08 or boot.')
