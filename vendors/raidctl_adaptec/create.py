"""The command that makes an Adaptec volume: ``CREATE 1 LOGICALDRIVE … MAX 6 0 0 0 1``. Pure.

Microchip ARCCONF command line utility user guide, "arcconf create". ``noprompt`` is not used: the tool asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Tool
from raidctl.text import regex
from raidctl.vendor.creating import CannotCreate, NewVolume, label
from raidctl.vendor.identity import controller_number
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_adaptec.settings import address, smartpqi

_LEVELS = {"raid0": "0", "raid1": "1", "raid5": "5", "raid6": "6", "raid10": "10", "raid50": "50", "raid60": "60"}
_NAME = regex(r"[\w.-]{1,15}", re.ASCII)


def create(controller: Controller, new: NewVolume, tools: Sequence[Tool]) -> Sequence[tuple[str, ...]]:
    """One call."""
    tool = reporting_tool(controller, tools)
    number, level = controller_number(controller), _LEVELS.get(new.raid_level)
    if level is None:
        raise CannotCreate(f"raidctl plans no {new.raid_level} on Adaptec controllers.")
    if level == "0" and len(new.drives) < 2 and smartpqi(controller) is not True:
        raise CannotCreate("A volume of one drive is a simple volume here, which is not RAID-0.")
    if level == "1" and len(new.drives) != 2:
        raise CannotCreate("A raid1 of Adaptec controllers has 2 drives.")
    places = [address(drive) for drive in new.drives]
    known = [place for place in places if place is not None]
    if tool is None or number is None or len(known) < len(places):
        raise CannotCreate("arcconf's number for the controller, or the place of a drive, is unknown.")
    if new.size_bytes is not None:
        raise CannotCreate("Volumes that use a part of their drives are not planned: leave size out.")
    words = [command_of(tool), "CREATE", number, "LOGICALDRIVE"]
    if new.strip_bytes and new.raid_level != "raid1":
        words += ["Stripesize", str(new.strip_bytes // 1024)]
    if name := label(new, _NAME):
        words += ["Name", name]
    return [(*words, "MAX", level, *(word for place in known for word in place))]
