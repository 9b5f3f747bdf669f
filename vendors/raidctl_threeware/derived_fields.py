"""Details that give a neutral field as well. The tool's own words stay among the details."""

from __future__ import annotations

import re

from raidctl.model import ScrubMode
from raidctl.text import regex
from raidctl.vendor.draft import Derived

_STEPS = ("1", "2", "3", "4", "5")
_LANES = regex(r"(\d{1,2}) lanes?", re.ASCII | re.IGNORECASE)
_LANE_SPEED = regex(r"(\d{1,2}(?:\.\d)?) Gbps/lane", re.ASCII | re.IGNORECASE)
# the controller's schedule skips a unit without automatic verification
_VERIFY: dict[str, ScrubMode] = {"on": "automatic", "off": "manual"}


def _lanes(text: str) -> int | None:
    match = _LANES.fullmatch(text.strip())
    return int(match[1]) or None if match else None


def _speed(text: str) -> float | None:
    match = _LANE_SPEED.fullmatch(text.strip())
    return float(match[1]) or None if match else None


def _verify(text: str) -> ScrubMode | None:
    return _VERIFY.get(text.strip().lower())


def _rate(text: str) -> str | None:
    """``1`` to ``5``."""
    return text.strip() if text.strip() in _STEPS else None


CONTROLLER: Derived = {
    # /c6 Rebuild Rate = 1
    "rebuild rate": (("rates.rebuild", _rate),),
    # /c6 Verify Rate = 1
    "verify rate": (("rates.check", _rate),),
    # /c0 Controller Bus Width = 8 lanes
    "controller bus width": (("pci_link.width", _lanes),),
    "controller bus speed": (("pci_link.speed_gtps", _speed),),
}
UNIT: Derived = {
    # /c0/u0 Auto Verify Policy = on
    "auto verify policy": (("consistency_check.mode", _verify),),
    # u0    RAID-5    OK             -       -       256K    2793.96   RiW    ON
    **dict.fromkeys(("avrfy", "averify"), (("consistency_check.mode", _verify),)),
}
