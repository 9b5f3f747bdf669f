"""Lines of the kernel log about ZFS pools. Pure.

Formats from OpenZFS's module/zfs (zio.c, vdev.c). Its own list of events is not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Tool
from raidctl.request import Dialogue, ask_all
from raidctl.text import regex
from raidctl.vendor.events import EventLog, not_read

_FORMS = (
    # WARNING: Pool 'tank' has encountered an uncorrectable I/O failure and has been suspended.
    r"(?:WARNING: )?Pool '[^']{1,256}' has ",
    # zio pool=tank vdev=/dev/sdb1 error=5 type=1 offset=270336 size=8192 flags=b08c1
    r"zio pool=\S",
)
KERNEL: tuple[re.Pattern[str], ...] = tuple(regex(form, re.ASCII) for form in _FORMS)
_WHY = "The events that ZFS keeps are not read. Shown is what the kernel logged."


def log(controller: Controller, tools: Sequence[Tool]) -> Dialogue[EventLog]:
    """A problem: nothing can be read."""
    yield from ask_all([])
    del tools
    return not_read(controller.id, controller.id, _WHY, "zpool events -v")
