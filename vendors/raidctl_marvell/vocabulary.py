"""The tools' words and figures in neutral words.

Sources: the tools' help; Dell's and SmartX's pages on BOSS controllers (functional, degraded, "BGA progress"); the
states and background activities of Marvell's Linux drivers (com_vd_struct.h: LD_STATUS_*, LD_BGA_*, HD_STATUS_*), which
are the numbers behind the words. How the tools spell those that no output shows is unknown: the words are those of
the drivers.
"""

from __future__ import annotations

import re

from raidctl.model import Health, Operation, RaidLevel, TaskState, VolumeStatus
from raidctl.text import collapse, figure, regex
from raidctl.units import parse_size
from raidctl.vendor.fields import optional

# "initialized": functional, and its initialization is done
_FINE = frozenset({"functional", "optimal", "initialized"})
_VOLUMES: tuple[tuple[str, VolumeStatus], ...] = (
    # Degrade of mnv_cli
    ("degrade", "degraded"),
    ("partially", "degraded"),
    ("rebuild", "rebuilding"),
    ("initializ", "initializing"),
    ("migrat", "migrating"),
    ("offline", "offline"),
    ("missing", "offline"),
    ("fail", "failed"),
    ("foreign", "inactive"),
    ("conflict", "inactive"),
    ("importable", "inactive"),
    ("not importable", "inactive"),
    ("not_importable", "inactive"),
)
"""The beginnings of states that are not good. A good state consists of nothing but the word."""
_DRIVES: dict[str, Health] = {
    "online": "ok", "idle": "ok", "ok": "ok", "good": "ok", "unconfigured": "ok", "hot spare": "ok", "spare": "ok",
    "global spare": "ok", "dedicated spare": "ok", "free": "ok", "assigned": "ok", "unassigned": "ok",
    "foreign": "warning",
    "rebuilding": "warning", "rebuild": "warning", "degraded": "warning",
    "offline": "critical", "failed": "critical", "fail": "critical", "dead": "critical", "missing": "critical",
    "error": "critical", "bad": "critical",
}  # fmt: skip
_NEVER_MEMBERS = frozenset(
    {"unconfigured", "hot spare", "spare", "global spare", "dedicated spare", "free", "unassigned"}
)
"""States that no drive of a volume has."""
_LEVELS: dict[str, RaidLevel] = {
    "raid0": "raid0", "raid1": "raid1", "raid1e": "raid1e", "raid5": "raid5", "raid6": "raid6", "raid10": "raid10",
    "raid50": "raid50", "raid60": "raid60", "jbod": "jbod",
}  # fmt: skip
_OPERATIONS: tuple[tuple[str, Operation], ...] = (
    ("rebuild", "rebuild"),
    ("init", "initialize"),
    ("patrol", "patrol_read"),
    # media patrol, defect fixing, consistency fix
    ("fix", "repair"),
    ("check", "check"),
    ("sync", "resync"),
    ("migrat", "migrate"),
    ("expan", "expand"),
    ("copy", "copyback"),
    ("eras", "erase"),
)
"""What ``BGA progress`` contains."""
ACTIVITIES: dict[str, TaskState | None] = {
    "running": "running", "paused": "paused", "auto paused": "paused", "autopaused": "paused", "ddf pending": "queued",
    "pending": "queued", "not running": None, "none": None, "aborted": None, "interrupted": None, "completed": None,
    "stopped": None,
}  # fmt: skip
"""``BGA status``; None: nothing is done."""
_NO_VALUE = frozenset({"", "n/a", "na", "none", "unknown", "-", "not support", "not supported"})
_NUMBERS = regex(r"\d{1,4}(?:[ ,]+\d{1,4})*", re.ASCII)
_COUNT = regex(r"\d{1,16}", re.ASCII)
_PERCENT = regex(r"(\d{1,3}(?:\.\d{1,4})?) ?%", re.ASCII)
_SPEED = regex(r"(?:[\d.]{1,4} )*(\d{1,2}(?:\.\d)?) ?Gb/s", re.ASCII)
_PORT = regex(r".*\bport (\d{1,3})", re.ASCII | re.IGNORECASE)
_SECTOR = regex(r"(\d{3,5}) ?bytes?", re.ASCII | re.IGNORECASE)
_ZEROS = regex(r"(?:0x)?0*")


def has_value(text: str) -> bool:
    """Whether a value has a meaning."""
    return text.strip().lower() not in _NO_VALUE


text = optional(has_value, collapse)


def volume_state(value: str) -> VolumeStatus | None:
    """``functional``, ``Degrade``; None for an unknown word."""
    word = value.strip().lower()
    if word in _FINE:
        return "ok"
    return next((status for start, status in _VOLUMES if word.startswith(start)), None)


def drive_state(value: str) -> Health | None:
    """``online``, ``Idle``; None for an unknown word."""
    return _DRIVES.get(value.strip().lower())


def is_member(value: str) -> bool:
    """Whether a drive of a volume can have this state."""
    return value.strip().lower() not in _NEVER_MEMBERS


def raid_level(value: str) -> RaidLevel | None:
    """``RAID1``; None for a level that has no neutral name."""
    return _LEVELS.get(re.sub(r"[\s-]", "", value).lower())


def operation(value: str) -> Operation:
    """``rebuilding is 15% done``, ``Rebuilding is running in 21%``."""
    return next((name for word, name in _OPERATIONS if word in value.lower()), "unknown")


def percent(value: str) -> float | None:
    """The percentage in such a sentence; None without one."""
    found = _PERCENT.search(value)
    return float(found[1]) if found is not None and float(found[1]) <= 100 else None


def size(value: str) -> int | None:
    """Bytes of ``122040 M``, ``125034840 K``, ``447 GB``: all in powers of 1024."""
    return parse_size(value, binary=True) if has_value(value) else None


def strip(value: str) -> int | None:
    """Bytes of ``64``, which is in KiB, and of ``128K``."""
    return parse_size(f"{value}K" if value.strip().isdecimal() else value, binary=True) if has_value(value) else None


def numbers(value: str) -> list[str] | None:
    """``0 1``: the numbers of drives."""
    if not has_value(value):
        return None
    return [str(int(number)) for number in re.split("[ ,]+", figure(_NUMBERS, value.strip())[0])]


def count(value: str) -> int | None:
    """A plain number."""
    return int(figure(_COUNT, value.strip())[0]) if has_value(value) else None


def speed(value: str) -> float | None:
    """The highest of ``1.5 3 6 Gb/s``, in Gbit/s."""
    return float(figure(_SPEED, value.strip())[1]) if has_value(value) else None


def port(value: str) -> str | None:
    """``0`` of ``HBA port 0``; None of another place."""
    found = _PORT.fullmatch(value.strip())
    return found[1] if found is not None else None


def sector(value: str) -> int | None:
    """``512bytes``, ``512 bytes``."""
    return int(figure(_SECTOR, value.strip())[1]) if has_value(value) else None


def wwn(value: str) -> str | None:
    """A world wide name; None if it is all zeros."""
    return None if _ZEROS.fullmatch(value.strip()) else text(value)
