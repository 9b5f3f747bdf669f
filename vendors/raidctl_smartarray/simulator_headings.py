"""The headings in a ``ctrl all show config detail``, by which the simulator's modules find their place. Pure."""

from __future__ import annotations

import re

from raidctl.text import regex

# Smart Array P440ar in Slot 0 (Embedded)
CONTROLLER = regex(r".* in Slot (?P<slot>\w+)\b")
#    Array: A
ARRAY = regex(r"\s*Array: (?P<name>\w+)\s*$")
#       Logical Drive: 1
VOLUME = regex(r"\s*Logical Drive: (?P<name>\d+)\s*$")
#    Unassigned
#    HBA Drives
UNASSIGNED = regex(r"\s*(?:Unassigned|HBA Drives)\s*$", re.IGNORECASE)
