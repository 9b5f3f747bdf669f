"""The tool's words and their neutral values, one table per set.

Words are compared in lower case with runs of blanks made one. A word that is not here is ``unknown`` to raidctl: the
caller keeps the raw word and reports a problem.
"""

from __future__ import annotations

import re
from functools import lru_cache

from raidctl.model import BatteryStatus, Health, Mode, Operation, RaidLevel, Role
from raidctl.text import collapse, regex
from raidctl.vendor.statuses import VolumeWord

_PROGRESS = regex(r"(?P<word>[^,:(]*?)[\s,:(-]+(?P<percent>\d{1,3}(?:\.\d+)?) ?%.{0,40}")

NO_VALUE = frozenset(
    {"", "none", "unknown", "n/a", "not available", "not applicable", "not set", "-", "--", "---", "?", "??", "???"}
)
"""Values that mean that there is no value."""


@lru_cache(maxsize=8192)
def normalized(text: str) -> str:
    """The form in which words are looked up."""
    return collapse(text).lower()


def has_value(text: str) -> bool:
    """Whether the tool prints a value, not that there is none."""
    return normalized(text) not in NO_VALUE


def has_state(text: str) -> bool:
    """Whether a state is printed. This includes ``Unknown``, the word for one that the tool cannot read."""
    return has_value(text) or normalized(text) == "unknown"


def split_progress(text: str) -> tuple[str, float | None]:
    """``Recovering`` and 55.73 from ``Recovering, 55.73% complete``. Without a percentage, the text itself and None."""
    match = _PROGRESS.fullmatch(collapse(text))
    if match is None or float(match["percent"]) > 100:
        return collapse(text), None
    return match["word"].strip(), float(match["percent"])


_REBUILDING = VolumeWord("rebuilding", "rebuild")
_DEGRADED = VolumeWord("degraded")
_OFFLINE = VolumeWord("offline")
_FAILED = VolumeWord("failed")
_INITIALIZING = VolumeWord("initializing", "parity")

VOLUME_STATUS: dict[str, VolumeWord] = {
    "ok": VolumeWord("ok"),
    "failed": _FAILED,
    "degraded": _DEGRADED,
    "interim recovery mode": _DEGRADED,
    "interim recovery": _DEGRADED,
    "recovering": _REBUILDING,
    "recovery": _REBUILDING,
    "rebuilding": _REBUILDING,
    "ready for rebuild": _DEGRADED,
    "ready for recovery": _DEGRADED,
    "ready for recovery operation": _DEGRADED,
    "ready rebuild": _DEGRADED,
    "waiting for rebuild": _DEGRADED,
    "waiting to rebuild": _DEGRADED,
    "queued for rebuild": _DEGRADED,
    "rebuild queued": _DEGRADED,
    "multi-path access degraded": _DEGRADED,
    "overheating": _DEGRADED,
    "predictive spare rebuild ready": VolumeWord("ok"),
    "expanding": VolumeWord("expanding", "expand"),
    "expansion in progress": VolumeWord("expanding", "expand"),
    "undergoing expansion": VolumeWord("expanding", "expand"),
    "queued for expansion": VolumeWord("expanding", queued="expand"),
    "waiting for expansion": VolumeWord("expanding", queued="expand"),
    "transforming": VolumeWord("migrating", "migrate"),
    "transformation in progress": VolumeWord("migrating", "migrate"),
    "queued for transformation": VolumeWord("migrating", queued="migrate"),
    "waiting for transformation": VolumeWord("migrating", queued="migrate"),
    "shrinking": VolumeWord("migrating", "migrate"),
    "migrating": VolumeWord("migrating", "migrate"),
    "moving": VolumeWord("migrating", "migrate"),
    "initializing": _INITIALIZING,
    "rapid parity initialization in progress": _INITIALIZING,
    "rapid parity initialization pending": VolumeWord("initializing", queued="parity"),
    "parity initialization in progress": _INITIALIZING,
    "parity initialization": _INITIALIZING,
    "wrong drive replaced": _FAILED,
    "wrong drive": _FAILED,
    "wrong physical drive replaced": _FAILED,
    "bad connect": _FAILED,
    "physical drive not properly connected": _FAILED,
    "drive not properly connected": _FAILED,
    "drive improperly connected": _FAILED,
    "overheated": _OFFLINE,
    "not yet available": _OFFLINE,
    "shutdown": _OFFLINE,
    "not available": _OFFLINE,
    "offline": _OFFLINE,
    "disabled": _OFFLINE,
    "disabled from scsi conflict": _OFFLINE,
    "ejected": _OFFLINE,
    "erasing": _OFFLINE,
    "erase in progress": _OFFLINE,
    "no access - encrypted - missing key": _OFFLINE,
    "encrypted volume offline": _OFFLINE,
    "unconfigured": VolumeWord("inactive"),
    "not configured": VolumeWord("inactive"),
}

DRIVE_STATUS: dict[str, Health] = {
    "ok": "ok",
    "predictive failure": "warning",
    "rebuilding": "warning",
    "recovering": "warning",
    "ready for rebuild": "warning",
    "waiting for rebuild": "warning",
    "queued for rebuild": "warning",
    "rebuild queued": "warning",
    "erasing": "warning",
    "erase in progress": "warning",
    "erase queued": "warning",
    "erase failed": "warning",
    "erase aborted": "warning",
    "erase complete": "warning",
    "erase complete. reenable before using.": "warning",
    "erase complete. reenable before using": "warning",
    "sanitize in progress": "warning",
    "ssd wearout": "warning",
    "ssd wear out": "warning",
    "not supported": "warning",
    "unsupported": "warning",
    "not authenticated": "warning",
    "locked": "warning",
    "degraded": "warning",
    "failed": "critical",
    "failure": "critical",
    "fail": "critical",
    "warn": "warning",
    "offline": "critical",
    "missing": "critical",
    "removed": "critical",
    "not present": "critical",
    "not responding": "critical",
}

DRIVE_OPERATION: dict[str, Operation] = {
    "rebuilding": "rebuild", "recovering": "rebuild", "erasing": "erase", "erase in progress": "erase",
    "erase queued": "erase", "sanitize in progress": "erase",
}  # fmt: skip

ARRAY_STATUS: dict[str, Health] = {
    "ok": "ok",
    "failed physical drive": "warning",
    "failed drive": "warning",
    "predictive failure": "warning",
    "interim recovery mode": "warning",
    "degraded": "warning",
    "rebuilding": "warning",
    "recovering": "warning",
    "ready for rebuild": "warning",
    "failed drives": "warning",
    "missing physical drive": "warning",
    "missing drive": "warning",
    "interim recovery": "warning",
    "erasing": "warning",
    "erase in progress": "warning",
    "queued for expansion": "ok",
    "queued for transformation": "ok",
    "initializing": "ok",
    "parity initialization in progress": "ok",
    "transforming": "ok",
    "expanding": "ok",
    "failed": "critical",
    "offline": "critical",
    "not available": "critical",
}

CACHE_STATUS: dict[str, Health] = {
    "ok": "ok",
    "enabled": "ok",
    "not configured": "ok",
    "temporarily disabled": "warning",
    "disabled": "warning",
    "degraded": "warning",
    "permanently disabled": "critical",
    "failed": "critical",
    "error": "critical",
}

CONTROLLER_STATUS: dict[str, Health] = {
    "ok": "ok",
    "degraded": "warning",
    "warning": "warning",
    "recharging": "warning",
    "failed": "critical",
    "failure": "critical",
    "general failure": "critical",
    "error": "critical",
    "locked up": "critical",
    "not responding": "critical",
}

BATTERY_STATUS: dict[str, BatteryStatus] = {
    "ok": "ok",
    "fully charged": "ok",
    "recharging": "charging",
    "charging": "charging",
    "degraded": "degraded",
    "low": "degraded",
    "not fully charged": "charging",
    "failed": "failed",
    "disconnected": "missing",
    "missing": "missing",
    "not present": "missing",
    "not installed": "missing",
    "not attached": "missing",
}

RAID_LEVELS: dict[str, RaidLevel] = {
    "0": "raid0",
    "1": "raid1",
    "1+0": "raid10",
    "10": "raid10",
    "4": "raid4",
    "5": "raid5",
    "6": "raid6",
    "6 adg": "raid6",
    "adg": "raid6",
    "5+0": "raid50",
    "50": "raid50",
    "6+0": "raid60",
    "60": "raid60",
    "1 adm": "raid1t",
    "1 triple": "raid1t",
    "1t": "raid1t",
    "1+0 adm": "raid10t",
    "10 adm": "raid10t",
    "1+0 triple": "raid10t",
    "10 triple": "raid10t",
    "1+0t": "raid10t",
    "10t": "raid10t",
}

ROLES: dict[str, Role] = {
    "data drive": "member",
    "transient data drive": "member",
    "parity drive": "member",
    "cache drive": "member",
    "spare drive": "spare",
    # a spare that has taken the place of a failed member holds its data
    "active spare drive": "member",
    "auto replace spare drive": "spare",
    "unassigned drive": "unassigned",
    "hba mode drive": "passthrough",
    "hba drive": "passthrough",
}

_ROLE_WORDS: tuple[tuple[str, Role], ...] = (
    ("spare", "spare"),
    ("unassigned", "unassigned"),
    ("hba", "passthrough"),
    ("data", "member"),
)

MODES: dict[str, Mode] = {
    "raid": "raid",
    "raid mode": "raid",
    "smart array": "raid",
    "smart array mode": "raid",
    "hba": "hba",
    "hba mode": "hba",
    "mixed": "mixed",
    "mixed mode": "mixed",
}


def role(text: str) -> Role | None:
    """What a drive is for: ``Data Drive``, ``Spare Drive``, ``Unassigned Drive``, ``HBA Mode Drive``, and variants."""
    key = normalized(text)
    if key in ROLES:
        return ROLES[key]
    return next((found for name, found in _ROLE_WORDS if name in key.split()), None)


def raid_level(text: str) -> RaidLevel:
    """The level of ``1+0``, ``RAID 6 (ADG)``, ``1adm``; ValueError for another word."""
    bare = normalized(text.replace("(", " ").replace(")", " ")).removeprefix("raid").strip(" -")
    spaced = collapse(re.sub(r"(?<=\d)(adm|adg|triple)", r" \1", bare))
    if spaced not in RAID_LEVELS:
        raise ValueError(f"not a RAID level of this tool: {text!r}")
    return RAID_LEVELS[spaced]


def look_up(table: dict[str, Health], text: str) -> Health:
    """The health behind a status word. ``failed …`` with anything after it is as bad as ``failed``."""
    key = normalized(text)
    if key in table:
        return table[key]
    if key.startswith("failed") and "failed" in table:
        return table["failed"]
    return "unknown"


def battery_status(text: str) -> BatteryStatus:
    """``Failed (Replace Batteries)`` and ``Charging failed`` are ``failed``; another word is ``unknown``.

    A good word counts alone.
    """
    word = normalized(text.split("(", maxsplit=1)[0])
    found = BATTERY_STATUS.get(word, "failed" if re.search(r"\bfail", word) else "unknown")
    return "unknown" if found == "ok" and word != normalized(text) else found
