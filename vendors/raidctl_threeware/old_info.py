"""The forms of ``info cN`` of the releases for controllers of the series 6000 to 8000, which print no tables.

Their rows become those of the tables of later releases.
"""

from __future__ import annotations

import re
from typing import Literal

from raidctl.text import regex

Kind = Literal["controller", "setting", "count", "units", "ports"]

_SIZE = r"(?P<size>\d{1,9}(?:\.\d{1,3})? ?[KMGT]B) \( ?(?P<blocks>\d{1,15}) blocks\)"
# REBUILDING (12%)
_STATUS = r"(?P<status>[A-Z][A-Z -]*[A-Z*])(?:[ ,(]+(?P<percent>\d{1,3}%)\)?)?"
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    # Controller: c2
    ("controller", regex(r"Controller: c(?P<number>\d{1,3})", re.ASCII)),
    # Serial #: F06803A0000000
    ("setting", regex(r"(?P<label>Driver|Model|FW|BIOS|Monitor|Serial #|PCB|PCHIP|ACHIP):\s+(?P<value>\S.*)")),
    # # of units:  2
    ("count", regex(r"# of (?P<what>units|ports):\s*(?P<count>\d{1,3})", re.ASCII)),
    # Unit  0: RAID 5 698.67 GB (1465184768 blocks): DEGRADED
    ("units", regex(rf"Unit +(?P<number>\d{{1,4}}): (?P<type>[A-Z][\w +-]{{1,20}}?) {_SIZE}: {_STATUS}", re.ASCII)),
    # Port  0: WDC WD2500JB-00GVA0 WD-WMAL00000000 233.76 GB (490234752 blocks): OK(unit 0)
    (
        "ports",
        regex(
            rf"Port +(?P<number>\d{{1,4}}): (?P<model>\S.*?) (?P<serial>\S+) {_SIZE}: {_STATUS}"
            r" ?(?:\((?i:unit (?P<unit>\d{1,4})|no unit)\))?",
            re.ASCII,
        ),
    ),
    # Port  2: DRIVE NOT PRESENT
    ("ports", regex(r"Port +(?P<number>\d{1,4}): DRIVE (?P<status>NOT PRESENT)", re.ASCII)),
)
LABELS = {"Driver": "Driver Version", "FW": "Firmware Version", "Serial #": "Serial Number"}
"""The names of settings in later releases."""


def parse(text: str) -> tuple[Kind, dict[str, str]] | None:
    """Kind and parts of a line. None for a line of another form."""
    stripped = text.strip()
    for kind, form in _FORMS:
        match = form.fullmatch(stripped)
        if match is not None:
            return kind, {name: value for name, value in match.groupdict().items() if value is not None}
    return None


def unit(parts: dict[str, str]) -> dict[str, str]:
    """The row of a table for a unit's line."""
    row = {
        "Unit": f"u{parts['number']}",
        "UnitType": parts["type"].replace(" ", "-"),
        "Status": parts["status"].replace(" ", "-"),
    }
    return {**row, "%Cmpl": parts["percent"]} if "percent" in parts else row


def port(parts: dict[str, str]) -> dict[str, str]:
    """The row of a table for a port's line."""
    row = {
        "Port": f"p{parts['number']}", "Status": parts["status"].replace(" ", "-"),
        "Unit": f"u{parts['unit']}" if "unit" in parts else "-",
    }  # fmt: skip
    cells = {"Size": "size", "Blocks": "blocks", "Serial": "serial", "Model": "model"}
    return {**row, **{column: parts[name] for column, name in cells.items() if name in parts}}
