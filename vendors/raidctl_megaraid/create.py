"""The command that makes a MegaRAID volume: ``/c0 add vd r6 …`` or ``-CfgLdAdd -r6[…]``. Pure.

Sources: the help of storcli 007.2707 ("storcli /cx add vd r[0|1|5|6|00|10|50|60] [Size=…] [name=…] drives=e:s|e:s-x
[PDperArray=x] [WT|WB|AWB] [nora|ra] [Strip=…]"), which takes its words in that order only, and of MegaCli 8.07
("[WT|WB] [NORA|RA] [Direct|Cached] [CachedBadBBU|NoCachedBadBBU] [-szXXX] [-strpszM]"). The help of storcli 1.03 has
``type=raid[0|1|5|6|…]`` and the words of MegaCli for a bad battery instead. perccli is Dell's name of the same tool:
other programs run ``perccli64 /c0 add vd r0 drives=252:0``. ``force`` is not used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Tool
from raidctl.text import regex
from raidctl.vendor.creating import CannotCreate, NewVolume, label
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_megaraid.change import tool_number
from raidctl_megaraid.change.megacli import READ as MEGACLI_READ
from raidctl_megaraid.tools import KINDS

_LEVELS = {"raid0": "r0", "raid1": "r1", "raid5": "r5", "raid6": "r6", "raid10": "r10"}
_PLACE = regex(r"\d{1,5}:\d{1,5}", re.ASCII)
_NAME = regex(r"[\w.-]{1,15}", re.ASCII)
"""The firmware keeps 15 characters."""
_STORCLI_WRITE = {
    "write_through": "wt", "off": "wt", "protected_write_back": "wb", "unprotected_write_back": "awb",
}  # fmt: skip
_STORCLI_READ = {"none": "nora", "read_ahead": "ra"}
_BAD_BATTERY = {"protected_write_back": "NoCachedBadBBU", "unprotected_write_back": "CachedBadBBU"}
"""Whether write-back continues with a bad battery: MegaCli, storcli 1. Without a word, the firmware chooses."""


def create(controller: Controller, new: NewVolume, tools: Sequence[Tool]) -> Sequence[tuple[str, ...]]:
    """One call of the tool that reported the controller."""
    tool = reporting_tool(controller, tools)
    number = tool_number(controller)
    if tool is None or number is None:
        raise CannotCreate("The tool that reported the controller, or its number there, is unknown.")
    kind, command = KINDS.get(tool.name), command_of(tool)
    if new.raid_level not in _LEVELS:
        raise CannotCreate(f"A {new.raid_level} needs its number of spans, which a layout does not contain.")
    label(new, _NAME)  # MegaCli names a volume only once it exists
    places = [drive.id.rpartition("/")[2] for drive in new.drives]
    if not all(_PLACE.fullmatch(place) for place in places):
        raise CannotCreate("The tool does not report the enclosure and slot of a drive.")
    if new.raid_level == "raid1" and len(new.drives) % 2:
        raise CannotCreate("A raid1 of MegaRAID controllers has an even number of drives.")
    if new.size_bytes is not None:
        raise CannotCreate("Sizes are rounded differently by each version: leave size out, or make it by hand.")
    if kind == "megacli":
        return [_megacli(command, number, new, places)]
    if kind in ("storcli", "perccli"):
        first = (tool.version or "").startswith("1.")
        return [_storcli(command, number, new, places, first=first)]
    raise CannotCreate(f"No manual shows how {tool.name} makes a volume: see its own help, {command} help.")


def _storcli(
    command: str, number: str, new: NewVolume, places: Sequence[str], *, first: bool
) -> tuple[str, ...]:  # fmt: skip
    """One command line; ``first``: of version 1."""
    level = f"type={new.raid_level}" if first else _LEVELS[new.raid_level]
    words = [command, f"/c{number}", "add", "vd", level]
    if new.name:
        words.append(f"name={new.name}")
    words.append(f"drives={','.join(places)}")
    if new.raid_level == "raid10":
        words.append("PDperArray=2")
    write = _STORCLI_WRITE.get(new.write or "")
    if first and write == "awb":
        write = "wb"
    words += [word for word in (write, _STORCLI_READ.get(new.read or "")) if word]
    if first and new.write in _BAD_BATTERY:
        words.append(_BAD_BATTERY[new.write])
    if new.strip_bytes:
        words.append(f"Strip={new.strip_bytes // 1024}")
    return tuple(words)


def _megacli(command: str, number: str, new: NewVolume, places: Sequence[str]) -> tuple[str, ...]:
    if new.raid_level == "raid10":
        pairs = [places[at : at + 2] for at in range(0, len(places), 2)]
        words = ["-CfgSpanAdd", "-r10", *(f"-Array{index}[{','.join(pair)}]" for index, pair in enumerate(pairs))]
    else:
        words = ["-CfgLdAdd", f"-{_LEVELS[new.raid_level]}[{','.join(places)}]"]
    if new.write:
        words.append("WT" if new.write in ("write_through", "off") else "WB")
    if read := MEGACLI_READ.get(new.read or ""):
        words.append(read)
    if new.write in _BAD_BATTERY:
        words.append(_BAD_BATTERY[new.write])
    if new.strip_bytes:
        words.append(f"-strpsz{new.strip_bytes // 1024}")
    return (command, *words, f"-a{number}", "-NoLog")
