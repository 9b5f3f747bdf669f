"""The tool's status words and figures in neutral words.

Sources: tw_cli(8) of 2011 ("show", "/cx show", "/cx/px show", "/cx/bbu show status", "Enclosure Object Messages").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from raidctl.model import Battery, BatteryStatus, Health, Interface, Operation, RaidLevel, ReadPolicy, VolumeStatus
from raidctl.text import figure, regex
from raidctl.units import parse_percent, parse_size
from raidctl.vendor.fields import look_up
from raidctl.vendor.statuses import worst

NO_VALUE = frozenset({"", "-", "--", "n/a", "na", "none", "unknown", "not available", "xx-xxx-xxxx"})
"""Values that mean: not reported."""

_UNITS: dict[str, tuple[VolumeStatus, Operation | None]] = {
    "OK": ("ok", None),
    "VERIFYING": ("checking", "check"),
    "VERIFY-PAUSED": ("checking", "check"),
    "VERIFY-PAUSE": ("checking", "check"),
    "INITIALIZING": ("initializing", "initialize"),
    "INIT-PAUSED": ("initializing", "initialize"),
    "INIT-PAUSE": ("initializing", "initialize"),
    "REBUILDING": ("rebuilding", "rebuild"),
    "REBUILD-PAUSED": ("rebuilding", "rebuild"),
    "REBUILD-PAUSE": ("rebuilding", "rebuild"),
    "REBUILD-VERIFY": ("rebuilding", "rebuild"),
    "REBUILD-INIT": ("rebuilding", "rebuild"),
    "REBUILD-MIGRATE": ("rebuilding", "rebuild"),
    "RECOVERY": ("rebuilding", "recovery"),
    "MIGRATING": ("migrating", "migrate"),
    "MIGRATE-PAUSED": ("migrating", "migrate"),
    "MIGRATE-PAUSE": ("migrating", "migrate"),
    "DEGRADED": ("degraded", None),
    "INOPERABLE": ("failed", None),
    "OFFLINE": ("offline", None),
}

# A drive that is DEGRADED is "the degradation point of that unit" (/cx/px show status).
_DRIVES: dict[str, Health] = {
    "OK": "ok",
    "VERIFYING": "ok",
    "VERIFY-PAUSED": "ok",
    "VERIFY-PAUSE": "ok",
    "INITIALIZING": "ok",
    "INIT-PAUSED": "ok",
    "INIT-PAUSE": "ok",
    "MIGRATING": "ok",
    "MIGRATE-PAUSED": "ok",
    "MIGRATE-PAUSE": "ok",
    "DCB-DATA-CHECK": "ok",
    "REBUILDING": "warning",
    "REBUILD-PAUSED": "warning",
    "REBUILD-PAUSE": "warning",
    "REBUILD-VERIFY": "warning",
    "RECOVERY": "warning",
    "SMART-FAILURE": "warning",
    "ECC-ERROR": "warning",
    "ORPHAN": "warning",
    "UNSUPP-DCB": "warning",
    "UNCONV-DCB": "warning",
    "POR-OCCURRED": "warning",
    "DEGRADED": "critical",
    "INOPERABLE": "critical",
    "NOT-SUPPORTED": "critical",
    "DEVICE-ERROR": "critical",
    "READ-TIMEOUT": "critical",
    "READ-FAILURE": "critical",
    "DRIVE-REMOVED": "critical",
    "OFFLINE-JBOD": "critical",
    "NOT-PRESENT": "critical",
    "CFG-OP-FAIL": "critical",
}
_SEVERITY: dict[VolumeStatus, int] = {"ok": 0, "rebuilding": 2, "degraded": 3, "offline": 4, "failed": 5}

# Testing is a full discharge and charge of the battery; WeakBat is "functioning normally … should be replaced"
_BATTERIES: dict[str, BatteryStatus] = {
    "ok": "ok",
    "testing": "learning",
    "charging": "charging",
    "weakbat": "degraded",
    "fault": "failed",
    "error": "failed",
    "failed": "failed",
    "-": "missing",
    "not present": "missing",
    "notpresent": "missing",
    "none": "missing",
}
_LEVELS: dict[str, RaidLevel] = {
    "RAID-0": "raid0",
    "RAID-1": "raid1",
    "RAID-5": "raid5",
    "RAID-6": "raid6",
    "RAID-10": "raid10",
    "RAID-50": "raid50",
    "JBOD": "jbod",
    "SINGLE": "jbod",
}
_READ: dict[str, ReadPolicy] = {"intelligent": "adaptive", "basic": "none", "off": "off", "disabled": "off"}
QUIET = frozenset({"OK", "NOT-INSTALLED", "NO-DEVICE", "NOT-REPORTABLE", "N/A", "-"})
"""Status words of enclosure parts that need no action."""
# SES: Unknown (6) is a failed sensor or a status that is not available; Not Available (7) is a part that is not running
UNREADABLE = frozenset({"UNKNOWN", "NOT-AVAILABLE"})
"""Status words of enclosure parts whose state the enclosure cannot read."""

_SIZE = regex(r"(\d+(?:\.\d+)?)\s*([KMGT]B?)\b.*", re.ASCII)
_BLOCKS = regex(r".*\((\d{1,20}) Blocks\)", re.ASCII | re.IGNORECASE)


PORT_ID = regex(r"threeware:(\d{1,3})/p(\d{1,4})", re.ASCII)
"""The id of a drive: the numbers of its controller and its port."""
_IMPOSSIBLE = regex(r"\d{16}", re.ASCII)
_MARK = regex(r"\([AP]\)$")


CACHES = {"W": True, "RBW": True, "RIW": True, "ON": True, "RI": False, "RB": False, "OFF": False}
"""Whether the write cache is on, by the column ``Cache``. It is ``-`` for a spare."""
BATTERY_WORDS = {
    "OnlineState": frozenset({"on", "off"}),
    "BBUReady": frozenset({"yes", "no", "ready", "not ready", "true", "false"}),
}
"""The words of battery columns that have no other words."""


@lru_cache(maxsize=4096)
def has_value(text: str) -> bool:
    """Whether a value has a meaning."""
    return text.strip().lower() not in NO_VALUE


def has_state(text: str) -> bool:
    """Whether a state is printed. This includes ``UNKNOWN``, the word for one that the tool cannot read."""
    return has_value(text) or text.strip().lower() == "unknown"


def unit_status(word: str) -> tuple[VolumeStatus, Operation | None] | None:
    """Status and running operation in a unit's status word. None for an unknown word."""
    return _UNITS.get(word.upper().rstrip("*"))


def severity(status: VolumeStatus) -> int:
    """Severity of a status; the higher, the worse."""
    return _SEVERITY.get(status, 1)


def drive_status(word: str) -> Health | None:
    """Health of a drive's status word. None for an unknown one."""
    return _DRIVES.get(word.upper().rstrip("*"))


def worse(one: Health, other: Health) -> bool:
    """Whether the first is worse than the second."""
    return one != other and worst((one, other)) == one


def battery_status(word: str) -> BatteryStatus | None:
    """``WeakBat``, ``TESTING``; None for an unknown word."""
    return _BATTERIES.get(word.lower())


def ready(battery: Battery) -> bool:
    """Whether a battery "is able to backup" the controller (/cx/bbu show). BBUReady may be No with a good status."""
    ready_word = battery.details.get("BBUReady") or battery.details.get("BBU Ready") or ""
    return ready_word.lower() not in {"no", "not ready", "false"} and battery.details.get("OnlineState", "") != "Off"


def raid_level(kind: str) -> RaidLevel | None:
    """``RAID-50``; None for ``Migrator``, which has two, and for unknown words."""
    return _LEVELS.get(kind.upper())


def plausible(text: str) -> str:
    """The text, unless it holds a figure that no hardware has."""
    if _IMPOSSIBLE.search(text):
        raise ValueError(text)
    return text


@lru_cache(maxsize=256)
def size(text: str) -> int:
    """Return the bytes of ``931.51 GB``, ``488MB``, ``64K``, in binary units.

    The tool prints 1953525168 blocks as 931.51 GB.
    """
    match = figure(_SIZE, plausible(text).strip())
    return parse_size(f"{match[1]} {match[2]}", binary=True)


def capacity(text: str) -> int:
    """Bytes of ``149.05 GB (312581808 Blocks)``: the blocks are exact."""
    blocks = _BLOCKS.fullmatch(plausible(text))
    return int(blocks[1]) * 512 if blocks else size(text)


@lru_cache(maxsize=256)
def gigabytes(text: str) -> int:
    """Return the bytes of a figure in the column ``Size(GB)``. Like all figures of the tool, it is binary."""
    return parse_size(f"{plausible(text)} GB", binary=True)


def percent(text: str) -> float:
    """Return a percentage: ``98%``, or ``26`` of old releases.

    An active process has ``29%(A)``, a paused one ``70%(P)``.
    """
    bare = _MARK.sub("", text.strip()).rstrip("%")
    return parse_percent(f"{bare}%")


def interface(text: str) -> Interface | None:
    """``SAS`` or ``SATA`` of the column Type; None for other values."""
    word = text.strip().upper()
    if word.startswith("SATA"):
        return "sata"
    if word.startswith("SAS"):
        return "sas"
    if not has_value(word):
        return None
    raise ValueError(text)


# Intelligent reads ahead if it pays; Basic caches reads, and does not read ahead
read_policy: Callable[[str], ReadPolicy] = look_up(_READ, lambda text: text.strip().lower())


def drive_model(text: str, kind: str | None) -> str:
    """The model; SAS drives have the vendor's column before it: ``SEAGATE ST936701SS``."""
    words = text.split()
    vendor = kind == "sas" and len(words) > 1 and words[0].replace("-", "").isalpha()
    return " ".join(words[1:] if vendor else words)
