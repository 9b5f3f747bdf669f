"""When an SSD will be worn out, in the words of its controller's tool."""

from __future__ import annotations

import re

from raidctl.text import regex

SOON = 56
"""Days. The firmware of Smart Array and SmartRAID controllers reports it at this limit."""
_DAYS = regex(r"(\d{1,9}) days?", re.ASCII | re.IGNORECASE)


def wears_out_soon(text: str) -> bool:
    """Whether ``46667 days``, an estimate from the workload to date, is within the limit."""
    match = _DAYS.match(text.strip())
    return match is not None and int(match[1]) <= SOON
