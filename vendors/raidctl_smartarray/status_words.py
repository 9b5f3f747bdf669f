"""The words of cciss_vol_status, complete according to its source (1.12a), and of /proc/driver/cciss.

Words that the other tools of the family print as well are in :mod:`raidctl_smartarray.vocabulary`.
"""

from __future__ import annotations

from raidctl.model import Health, RaidLevel
from raidctl.vendor.statuses import VolumeWord
from raidctl_smartarray.vocabulary import VOLUME_STATUS, normalized

_STATES: dict[str, VolumeWord] = {
    "ok": VOLUME_STATUS["ok"],
    "failed": VOLUME_STATUS["failed"],
    "not configured": VOLUME_STATUS["not configured"],
    "using interim recovery mode": VOLUME_STATUS["interim recovery mode"],
    "ready for recovery operation": VOLUME_STATUS["ready for recovery operation"],
    "currently recovering": VOLUME_STATUS["recovering"],
    "wrong physical drive was replaced": VOLUME_STATUS["wrong physical drive replaced"],
    "a physical drive is not properly connected": VOLUME_STATUS["physical drive not properly connected"],
    "hardware is overheating": VOLUME_STATUS["overheating"],
    "hardware was overheated": VOLUME_STATUS["overheated"],
    "currently expannding": VOLUME_STATUS["expanding"],  # so spelled
    "currently expanding": VOLUME_STATUS["expanding"],
    "not yet available": VOLUME_STATUS["not yet available"],
    "queued for expansion": VOLUME_STATUS["queued for expansion"],
}

# RAID 1(1+0): a mirror of two drives or a striped one; "RAID 1" of older versions stands for both, too
_LEVELS: dict[str, RaidLevel] = {"0": "raid0", "4": "raid4", "5": "raid5", "6": "raid6", "adg": "raid6"}

_GOOD_SPARES = frozenset(
    {
        "at least one spare drive designated",
        "at least one spare drive remains available",
    }
)
SPARE_REBUILDS = "at least one spare drive activated and currently rebuilding"
_USED_SPARES = frozenset(
    {
        "at least one spare drive activated",
        "at least one activated on-line spare drive is completely rebuilt on this logical drive",
        "at least one spare drive has failed",
        SPARE_REBUILDS,
    }
)

DRIVE_LISTS: dict[str, tuple[Health, str]] = {
    "failed drives:": ("critical", "Failed"),
    "'replacement' drives:": ("warning", "Replacement, not yet rebuilt"),
    "drives currently substituted for by spares:": ("warning", "Substituted for by a spare"),
}
"""Titles of lists below a volume, and what their drives are."""
DRIVE_WORDS: dict[str, Health] = {"ok": "ok", "s.m.a.r.t. predictive failure": "warning"}

_ALARMS = frozenset({"fan failed", "temperature problem", "door alert", "power supply unit failed"})


CACHE_LINES: dict[str, Health | None] = {
    "write cache temporarily disabled": "warning",
    "write cache permanently disabled": "critical",
    "possible data loss on last reset": "warning",
    "cache contains unflushed data": "warning",
    "cache dirty limit reached": "warning",
    "excessive ecc errors detected": "critical",
    "non power related data loss": "critical",
    "auto-reconfigured on last reset": None,
    "redundant controller data flushed on reset": None,
    "hw problem with battery enable": "critical",
    "cpld battery backed write cache incompatibility": "critical",
    "flash backed cache present": None,
    "permanent disable condition detected": "critical",
}
"""Lines below a cache's figures, and the resulting state of the cache. A reason can follow the first two."""


def volume_word(text: str) -> VolumeWord | None:
    """What a volume's status means. None for an unknown word: ``Unknown status 14``."""
    return _STATES.get(normalized(text))


def level(text: str) -> RaidLevel | None:
    """The level of ``5``, ``ADG``. None if the word has several meanings: ``1(1+0)``, ``1 ADM``, ``5+1``."""
    return _LEVELS.get(normalized(text))


def spare_is_good(text: str) -> bool | None:
    """Whether a sentence about spares reports no failure. None for an unknown one."""
    word = normalized(text)
    return True if word in _GOOD_SPARES else False if word in _USED_SPARES else None


def alarms(text: str) -> tuple[list[str], bool]:
    """Return the alarms in the status of an enclosure. The second value is whether all its words are known."""
    if normalized(text) == "ok":
        return [], True
    found = [part.strip() for part in text.split(",") if part.strip()]
    known = all(normalized(part) in _ALARMS for part in found) or text.startswith("Unknown problem (")
    return found, known and bool(found)
