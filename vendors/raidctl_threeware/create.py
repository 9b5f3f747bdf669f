"""The command that makes a 3ware unit: ``/c0 add type=raid6 disk=0-7 …``. Pure.

3ware SATA+SAS CLI Guide, version 10.2, page 53. The write cache is on unless ``nowrcache`` is
given; with ``storsave=protect``, also for a layout that asks for no write policy, it is used only while the battery is
good. The user guide has the numbers of drives: a unit of one drive is ``type=single``, which is not RAID-0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Tool
from raidctl.text import regex
from raidctl.vendor.creating import CannotCreate, NewVolume, label
from raidctl.vendor.tools import command_of
from raidctl_threeware.vocabulary import PORT_ID

_LEVELS = {"raid0": "raid0", "raid1": "raid1", "raid5": "raid5", "raid6": "raid6", "raid10": "raid10"}
_MIN_DRIVES = {"raid0": 2, "raid6": 5}
_NAME = regex(r"[\w.-]{1,21}", re.ASCII)
"""The manual: up to 21 characters."""


def create(controller: Controller, new: NewVolume, tools: Sequence[Tool]) -> Sequence[tuple[str, ...]]:  # noqa: ARG001 - the signature of all
    """One call."""
    level = _LEVELS.get(new.raid_level)
    if level is None:
        raise CannotCreate(f"raidctl plans no {new.raid_level} on 3ware controllers.")
    if len(new.drives) < _MIN_DRIVES.get(level, 0):
        raise CannotCreate(f"A {level} of 3ware controllers has at least {_MIN_DRIVES[level]} drives.")
    if level == "raid1" and len(new.drives) != 2:
        raise CannotCreate("A raid1 of 3ware controllers has 2 drives.")
    ports = [PORT_ID.fullmatch(drive.id) for drive in new.drives]
    known = [port for port in ports if port is not None]
    if not tools or len(known) < len(ports):
        raise CannotCreate("The tool, or the port of a drive, is unknown.")
    if new.size_bytes is not None:
        raise CannotCreate("Units that use a part of their drives are not planned: leave size out.")
    words = [command_of(tools[0]), f"/c{known[0][1]}", "add", f"type={level}"]
    words.append(f"disk={':'.join(port[2] for port in known)}")
    if new.strip_bytes and new.raid_level != "raid1":
        words.append(f"stripe={new.strip_bytes // 1024}")
    if name := label(new, _NAME):
        words.append(f"name={name}")
    if new.write in ("write_through", "off"):
        words.append("nowrcache")
    elif new.write in (None, "protected_write_back"):
        words.append("storsave=protect")
    return [tuple(words)]
