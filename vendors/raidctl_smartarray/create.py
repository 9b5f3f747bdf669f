"""The command that makes a Smart Array volume: ``create type=ld drives=… raid=…``. Pure.

HP Smart Storage Administrator user guide, "Creating a logical drive". ``forced`` is not used: the tool asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Tool
from raidctl.text import regex
from raidctl.vendor.creating import CannotCreate, NewVolume, label
from raidctl.vendor.tools import command_of, reporting_tool

_LEVELS = {
    "raid0": "0", "raid1": "1", "raid10": "1+0", "raid5": "5", "raid6": "6", "raid50": "50", "raid60": "60",
    "raid1t": "1adm", "raid10t": "10adm",
}  # fmt: skip
_ADDRESS = regex(r"(?:\d{1,3}[IE]?:)?\d{1,3}:\d{1,3}", re.ASCII)
_SLOT = regex(r"\w{1,8}", re.ASCII)
_LABEL = regex(r"[\w.-]{1,64}", re.ASCII)


def create(controller: Controller, new: NewVolume, tools: Sequence[Tool]) -> Sequence[tuple[str, ...]]:
    """One call; the drives become a new array."""
    tool = reporting_tool(controller, tools)
    level = _LEVELS.get(new.raid_level)
    if level is None:
        raise CannotCreate(f"Smart Array controllers have no {new.raid_level}.")
    if tool is None or controller.slot is None or not _SLOT.fullmatch(controller.slot):
        raise CannotCreate("The tool that reported the controller, or the controller's slot, is unknown.")
    if level == "1" and len(new.drives) != 2:
        raise CannotCreate("A raid1 of Smart Array controllers has 2 drives; more are a raid10.")
    places = [drive.id.rpartition("/")[2] for drive in new.drives]
    if not all(_ADDRESS.fullmatch(place) for place in places):
        raise CannotCreate("The tool does not report the port, box and bay of a drive.")
    if new.size_bytes is not None:
        raise CannotCreate("The unit of the tool's size is not documented: leave size out, or make it by hand.")
    words = [command_of(tool), "ctrl", f"slot={controller.slot}", "create", "type=ld"]
    words += [f"drives={','.join(places)}", f"raid={level}"]
    if new.strip_bytes:
        words.append(f"ss={new.strip_bytes // 1024}")
    if name := label(new, _LABEL):
        words.append(f"logicaldrivelabel={name}")
    if new.write:
        words.append(f"aa={'disable' if new.write in ('write_through', 'off') else 'enable'}")
    return [tuple(words)]
