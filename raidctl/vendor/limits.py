"""Limits above or below which a figure of a tool is a finding, for all families alike."""

from __future__ import annotations

import re

from raidctl.text import regex

MANY_ERRORS = 10
"""Errors of a drive or cache that are a warning: fewer are more likely chance."""
MANY_LINK_ERRORS = 100
"""Link errors (CRC) of a drive that are a warning: they count for its whole life, and a cable gives thousands."""
LITTLE_CHARGE = 25
"""Percent of charge below which a battery may not last through a power failure."""
WORN_PERCENT = 20
"""Percent of its capacitance or health at which a capacitor is no longer good. No tool prints a limit."""
WORN_OUT = 100
"""Percent of the rated endurance of an SSD."""
# Intel, "RAID Controllers Airflow Requirements and Thermal Operating Limits" (chips of LSI and Broadcom): the chip
# operates below 105 °C, is throttled at 110 °C, and ends all I/O at 116 °C
CHIP_TOO_HOT = 105
"""Degrees Celsius of a MegaRAID controller's chip from which it is outside its limits."""
CHIP_THROTTLED = 110
"""Degrees Celsius at which the firmware throttles it."""
_SOON = 56
"""Days until an SSD is worn out. The firmware of Smart Array and SmartRAID controllers reports it at this limit."""
_DAYS = regex(r"(\d{1,9}) days?", re.ASCII | re.IGNORECASE)


def wears_out_soon(text: str) -> bool:
    """Whether ``46667 days``, an estimate from the workload to date, is within the limit."""
    match = _DAYS.match(text.strip())
    return match is not None and int(match[1]) <= _SOON
