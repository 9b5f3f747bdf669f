"""Tables of lvs with columns of the user's choice: ``lvs -a -o name,copy_percent,devices``.

Each column begins below its heading: lvs prints headings at the left, and columns as wide as their widest value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from raidctl.evidence import Line
from raidctl.text import regex
from raidctl_lvm.draft import Row

_FIELDS = {
    "LV": "lv_name", "VG": "vg_name", "Attr": "lv_attr", "LSize": "lv_size", "LV UUID": "lv_uuid", "Type": "segtype",
    "Stripe": "stripe_size", "Cpy%Sync": "sync_percent", "Copy%": "sync_percent", "Data%": "data_percent",
    "Meta%": "metadata_percent", "SyncAction": "raid_sync_action", "Mismatches": "raid_mismatch_count",
    "IntegMode": "raidintegritymode", "IntegMismatches": "integritymismatches", "Health": "lv_health_status",
    "Devices": "devices",
}  # fmt: skip
"""Headings (lib/report/columns.h) and their fields."""
_STATES = {"Attr", "Type", "Cpy%Sync", "Copy%", "SyncAction", "Mismatches", "Health", "Devices"}
_OF_MIRROR = {"Cpy%Sync": "sync_percent"}
_OF_RAID = {**_OF_MIRROR, "SyncAction": "raid_sync_action", "Mismatches": "raid_mismatch_count"}
_STATES_OF = {"r": _OF_RAID, "R": _OF_RAID, "m": _OF_MIRROR, "M": _OF_MIRROR}
"""By the first letter of Attr: what lvs prints of an active volume."""
_OTHERS = (
    "#Cpy", "#DStr", "#Par", "#Seg", "#Str", "Active", "AllocPol", "Chunk", "Convert", "Data", "ImgSynced",
    "InitImgSync", "IntegBlkSize", "LPerms", "LV Tags", "Layout", "Log", "LE Ranges", "MaxSync", "Meta",
    "Metadata Devs", "MinSync", "Modules", "Monitor", "Move", "Origin", "PE Ranges", "Parent", "Path", "Pool",
    "Rahead", "Region", "Role", "SSize", "Snap%", "Start", "WBehind",
)  # fmt: skip
"""Headings of columns that are not read."""
_HEADING = "|".join(sorted(map(re.escape, (*_FIELDS, *_OTHERS)), key=len, reverse=True))
HEADINGS = rf"(?:LV|VG)(?:\s+(?:{_HEADING}))+$"
"""A line of headings, without the blanks around it."""
_ONE = regex(rf"(?<!\S)(?:{_HEADING})(?!\S)")
_HEAD = regex(rf"\s*{HEADINGS[:-1]}\s*")


def columns_of(line: Line) -> dict[str, int]:
    """Where each column begins. Empty if a line has no headings, or none that shows the state of a volume."""
    if _HEAD.fullmatch(line.text) is None:
        return {}
    found = {match[0]: match.start() for match in _ONE.finditer(line.text)}
    return found if "LV" in found and not _STATES.isdisjoint(found) else {}


def row_of(line: Line, columns: Mapping[str, int]) -> Row | None:
    """Read a row. None if its values are not below the headings."""
    text, starts = line.text.rstrip(), sorted(columns.values())
    cells: dict[str, str] = {}
    for name, start in columns.items():
        end = next((other for other in starts if other > start), len(text))
        if text[:start].strip() and text[start - 1 : start].strip():
            return None
        if name in _FIELDS:
            cells[_FIELDS[name]] = text[start:end].strip()
    if not cells["lv_name"] or " " in cells["lv_name"]:
        return None
    if missing := _missing(cells):
        line.output.gap = line.output.gap or f"{missing} of {cells['lv_name']} is missing"
    for name in ("sync_percent", "data_percent", "metadata_percent"):
        if name in cells:
            cells[name] = cells[name].replace(",", ".")
    return Row(
        cells.get("vg_name", ""), cells["lv_name"].strip("[]"), cells.get("lv_attr", ""), {"lv_name": line}, cells
    )


def _missing(cells: Mapping[str, str]) -> str:
    """The state that a row lacks, as it may end before it. lvs prints each of an active volume, but none of RAID-0."""
    attr = cells.get("lv_attr", "")
    if attr[4:5] != "a" or attr[:1] not in _STATES_OF or cells.get("segtype", "").startswith("raid0"):
        return ""
    return next((label for label, field in _STATES_OF[attr[:1]].items() if cells.get(field) == ""), "")
