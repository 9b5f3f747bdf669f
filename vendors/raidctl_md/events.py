"""Lines of the kernel log about md arrays. Pure.

Formats from the kernel's drivers/md (md.c, raid1.c, raid5.c, raid10.c, raid0.c).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.model import Controller, Tool
from raidctl.request import Dialogue, ask_all
from raidctl.vendor.events import EventLog

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
KERNEL: tuple[re.Pattern[str], ...] = tuple(re.compile(form, re.ASCII) for form in _FORMS)


def events(
    controllers: Sequence[Controller],  # noqa: ARG001 - the signature of all families
    tools: Sequence[Tool],  # noqa: ARG001 - as above
    view: HostView,  # noqa: ARG001 - as above
) -> Dialogue[Sequence[EventLog]]:
    """None: md arrays have no log but the kernel's."""
    yield from ask_all([])
    return ()
