"""Lines of the kernel log about md arrays. Pure.

Formats from the kernel's drivers/md (md.c, raid1.c, raid5.c, raid10.c, raid0.c).
md arrays have no log but this one.
"""

from __future__ import annotations

import re

from raidctl.text import regex
from raidctl.vendor.events import LogReader

_NAME = r"(?P<device>md[\w-]{1,32})"
_FORMS = (
    # md/raid1:md0: active with 2 out of 2 mirrors
    # md/raid:md1: raid level 5 active with 3 out of 3 devices, algorithm 2
    rf"md/\w{{1,16}}:{_NAME}: (?P<fresh>(?:raid level \d+ )?active with )",
    # md/raid1:md0: Disk failure on sdb1, disabling device.
    rf"md/\w{{1,16}}:{_NAME}: ",
    # md: md0: data-check done.
    # md: data-check of RAID array md0
    rf"md: (?:[a-z -]{{1,40}} of RAID array )?{_NAME}\b",
    # md: kicking non-fresh sdb1 from array!
    r"md: ",
    # md0: detected capacity change from 0 to 266338304
    rf"{_NAME}: ",
)
KERNEL: tuple[re.Pattern[str], ...] = tuple(regex(form, re.ASCII) for form in _FORMS)

log: LogReader | None = None
"""None: only the kernel has a log of them."""
